import type { OpenSource, Picture, Source, SourceSink } from "../ports/source.ts";
import type { Session, SessionDeps, SessionSettings, SessionSink } from "./session.ts";
import { startSession } from "./session.ts";

/** A driver that hangs is not waited for any longer than this, ms: it may let go later, or the next opening says that the device is busy. */
const CLOSE_MS_MAX = 3_000;
/** A still that is not had by then is not had, ms. */
const STILL_MS_MAX = 10_000;

/** A real picture. The device is opened once for all who want it, and closed after the last. */
export function deviceSource(settings: SessionSettings, deps: SessionDeps): Source {
  const device = createShared(settings, deps);
  /** Who has it open. */
  let now: SessionSink | undefined;

  return {
    format: { ...settings.size, frameRate: settings.rate, audio: settings.sound !== undefined },
    async open(sink: SourceSink): Promise<OpenSource> {
      if (now !== undefined) throw new Error("The picture is open already; close it first.");
      const letGo = () => {
        if (now === user) now = undefined;
      };
      const user: SessionSink = {
        video: (picture) => sink.video(picture),
        audio: (block) => sink.audio(block),
        ended(reason) {
          letGo();
          sink.ended(reason);
        },
      };
      now = user;
      try {
        await device.join(user);
      } catch (error) {
        letGo();
        throw error;
      }
      let closed = false;
      return {
        async close() {
          if (closed) return;
          closed = true;
          await device.leave(user);
          letGo();
        },
      };
    },
    still: () => takeOne(device, deps),
  };
}

/** The next picture of the device, copied. */
async function takeOne(device: Shared, { clock }: SessionDeps): Promise<Picture> {
  let settle: { take(picture: Picture): void; fail(error: Error): void } | undefined;
  const taken = new Promise<Picture>((take, fail) => {
    settle = { take, fail };
  });
  taken.catch(() => undefined);
  const user: SessionSink = {
    video: (picture) => settle?.take({ ...picture, data: picture.data.slice() }),
    audio: () => undefined,
    ended: (reason) => settle?.fail(new Error(reason)),
  };
  const stop = clock.after(STILL_MS_MAX, () => settle?.fail(new Error("The device gave no picture in time.")));
  try {
    await device.join(user);
    return await taken;
  } finally {
    stop();
    await device.leave(user);
  }
}

interface Shared {
  /** Resolves when the device is open; the user then hears of pictures. Rejects when it cannot be opened. */
  join(user: SessionSink): Promise<void>;
  leave(user: SessionSink): Promise<void>;
}

/** One session for everybody who wants the device now. */
function createShared(settings: SessionSettings, deps: SessionDeps): Shared {
  const users = new Set<SessionSink>();
  /** Those whose session is still being opened, and why it ended before they knew that it was. */
  const waiting = new Map<SessionSink, string | null>();
  let running: Promise<Session> | null = null;
  let closing: Promise<void> = Promise.resolve();

  const stop = (session: Promise<Session>): Promise<void> => {
    if (running === session) running = null;
    const closed = session.then(
      (open) => open.close(),
      () => undefined,
    );
    closing = new Promise((resolve) => {
      const stopWaiting = deps.clock.after(CLOSE_MS_MAX, resolve);
      const over = () => {
        stopWaiting();
        resolve();
      };
      closed.then(over, over);
    });
    return closing;
  };
  const start = (): Promise<Session> => {
    const session: Promise<Session> = closing.then(() =>
      startSession(settings, deps, {
        video: (picture) => each((user) => user.video(picture)),
        audio: (block) => each((user) => user.audio(block)),
        ended(reason) {
          const told = [...users];
          users.clear();
          void stop(session);
          for (const user of told) {
            if (waiting.has(user)) waiting.set(user, reason);
            else user.ended(reason);
          }
        },
      }),
    );
    return session;
  };
  const each = (tell: (user: SessionSink) => void) => {
    for (const user of [...users]) tell(user);
  };

  return {
    async join(user) {
      users.add(user);
      waiting.set(user, null);
      running ??= start();
      const joined = running;
      try {
        await joined;
        const reason = waiting.get(user);
        if (typeof reason === "string") throw new Error(reason);
      } catch (error) {
        users.delete(user);
        if (running === joined) running = null;
        throw error;
      } finally {
        waiting.delete(user);
      }
    },
    async leave(user) {
      users.delete(user);
      if (users.size === 0 && running !== null) await stop(running);
      else await closing;
    },
  };
}

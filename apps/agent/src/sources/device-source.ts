import type { MachineConfig } from "../config/entry.ts";
import type { PictureConfig, SoundConfig } from "../config/pictures.ts";
import { isCamera } from "../config/source-delay.ts";
import type { OpenSource, Source, SourceSink, VideoFrame } from "../ports/source.ts";
import { soundInput, videoInput, videoSize } from "./inputs.ts";
import type { Session, SessionDeps, SessionSettings, SessionSink } from "./session.ts";
import { startSession } from "./session.ts";

/** A driver that hangs is not waited for any longer than this, ms: it may let go later, or the next opening says that the device is busy. */
const CLOSE_MS_MAX = 3_000;
/** A still that is not had by then is not had, ms. */
const STILL_MS_MAX = 10_000;

/** A source of real video. The device is opened once for all its users, and closed after the last. */
export function deviceSource(settings: SessionSettings, deps: SessionDeps): Source {
  const device = createShared(settings, deps);
  /** The user that has it open. */
  let now: SessionSink | undefined;

  return {
    format: { ...settings.size, frameRate: settings.rate, audio: settings.sound !== undefined },
    async open(sink: SourceSink): Promise<OpenSource> {
      if (now !== undefined) throw new Error("The source is open already; close it first.");
      const release = () => {
        if (now === user) now = undefined;
      };
      const user: SessionSink = {
        video: (frame) => sink.video(frame),
        audio: (block) => sink.audio(block),
        ended(reason) {
          release();
          sink.ended(reason);
        },
      };
      now = user;
      try {
        await device.join(user);
      } catch (error) {
        release();
        throw error;
      }
      let closed = false;
      return {
        async close() {
          if (closed) return;
          closed = true;
          await device.leave(user);
          release();
        },
      };
    },
    still: () => takeOne(device, deps),
  };
}

/** The next frame of the device, copied. */
async function takeOne(device: Shared, { clock }: SessionDeps): Promise<VideoFrame> {
  let settle: { take(frame: VideoFrame): void; fail(error: Error): void } | undefined;
  const taken = new Promise<VideoFrame>((take, fail) => {
    settle = { take, fail };
  });
  taken.catch(() => undefined);
  const user: SessionSink = {
    video: (frame) => settle?.take({ ...frame, data: frame.data.slice() }),
    audio: () => undefined,
    ended: (reason) => settle?.fail(new Error(reason)),
  };
  const stop = clock.after(STILL_MS_MAX, () => settle?.fail(new Error("The device gave no frame in time.")));
  try {
    await device.join(user);
    return await taken;
  } finally {
    stop();
    await device.leave(user);
  }
}

interface Shared {
  /** Resolves when the device is open; the user then receives frames. Rejects when it cannot be opened. */
  join(user: SessionSink): Promise<void>;
  leave(user: SessionSink): Promise<void>;
}

/** One session for all present users of the device. */
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
    closing = closedInTime(closed, deps.clock);
    return closing;
  };
  const start = (): Promise<Session> => {
    const session: Promise<Session> = closing.then(() =>
      startSession(settings, deps, {
        video: (frame) => each((user) => user.video(frame)),
        audio: (block) => each((user) => user.audio(block)),
        ended(reason) {
          const ended = [...users];
          users.clear();
          void stop(session);
          for (const user of ended) {
            if (waiting.has(user)) waiting.set(user, reason);
            else user.ended(reason);
          }
        },
      }),
    );
    return session;
  };
  const each = (deliver: (user: SessionSink) => void) => {
    for (const user of [...users]) deliver(user);
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

function closedInTime(closed: Promise<void>, clock: SessionDeps["clock"]): Promise<void> {
  return new Promise((resolve) => {
    const stopWaiting = clock.after(CLOSE_MS_MAX, resolve);
    const over = () => {
      stopWaiting();
      resolve();
    };
    closed.then(over, over);
  });
}

/** The source of a configured video input, with its sound where it has one. */
export function configuredSource(picture: PictureConfig, sound: SoundConfig, deps: SessionDeps): Source {
  const settings = {
    video: videoInput(picture),
    size: videoSize(picture),
    rate: picture.rate,
    delayMs: isCamera(picture) ? picture.delayMs : 0,
    sound: sound.kind === "rtsp" ? ("video" as const) : soundInput(sound),
  };
  return deviceSource(settings, deps);
}

/** The sources that a driver paints by itself. */
interface Painted {
  readonly source: Source;
  readonly roomCamera: Source | undefined;
}

/** The sources of one machine: the configured ones, else those that the driver paints. The list was checked: one of them has a picture. */
export function sourcesOf(
  { picture, sound, roomCamera }: Pick<MachineConfig, "picture" | "sound" | "roomCamera">,
  painted: Painted | undefined,
  deps: SessionDeps,
): Painted {
  const none = { kind: "none" } as const;
  const room = (): Source | undefined => {
    if (roomCamera === undefined) return painted?.roomCamera;
    return roomCamera.kind === "none" ? undefined : configuredSource(roomCamera, none, deps);
  };
  const source = picture === undefined ? painted?.source : configuredSource(picture, sound ?? none, deps);
  if (source === undefined)
    throw new Error("Nothing shows this machine: it has no picture, and its driver paints none.");
  return { source, roomCamera: room() };
}

import type { MachineReport } from "../journal/records.ts";
import type { MachineBroadcast } from "../media/broadcast.ts";
import type { Grants } from "../seat/grants.ts";
import type { PressReply, WirePress } from "../seat/press-guard.ts";
import { startLoop } from "../supervisor/loop.ts";
import type { FreshLine } from "./index-file.ts";
import type { RecordedSessionDeps } from "./recorded-session.ts";
import { RecordedSession, sentenceOf } from "./recorded-session.ts";

/** How often it is looked who holds the seat, ms. */
const LOOK_MS = 500;
/** A seat that is lost is recorded for so much longer: the credits go home, and a page may come back. ms. */
const AFTER_MS = 5_000;
/** Without a segment for this long nothing is recorded, ms. */
const SILENT_MS = 30_000;

export interface MachineRecordDeps extends RecordedSessionDeps {
  readonly grants: Grants;
  readonly broadcast: Pick<MachineBroadcast, "record" | "gameBegan">;
  /** Whether the disk has room; what is wrong, else. */
  readonly obstacle: () => string | undefined;
  /** Recording fails from now on, and why; undefined: it works again. */
  readonly changed: (why: string | undefined) => void;
  /** The session has ended, and its last line is sealed. */
  readonly ended: () => void;
}

/** Records every play session of one machine. */
export interface MachineRecord {
  /** The play session that is recorded now. */
  session(): string | undefined;
  /** Why nothing is recorded that should be; undefined: all is. */
  problem(): string | undefined;
  /** A game has just begun; its event comes later. */
  gameBegins(): void;
  event(report: MachineReport): void;
  press(press: WirePress, at: number, answer: PressReply | undefined): void;
  end(): Promise<void>;
}

export function startMachineRecord(deps: MachineRecordDeps): MachineRecord {
  const { clock, grants, broadcast } = deps;
  const wanted = createWanted(deps);
  let open: RecordedSession | undefined;
  let why: string | undefined;
  const games = createBegins(broadcast);
  let ending = false;
  const add = (line: FreshLine): void => open?.add(line);

  function report(next: string | undefined): void {
    if (next === why) return;
    const isNew = (next === undefined) !== (why === undefined);
    why = next;
    if (next !== undefined) add({ t: "problem", at: clock.now(), why: next });
    if (isNew) deps.changed(next);
  }

  async function converge(): Promise<void> {
    const session = ending ? undefined : wanted();
    if (open !== undefined && (open.session !== session || open.broken)) await close(open);
    if (session === undefined) return;
    const obstacle = deps.obstacle();
    if (obstacle !== undefined) throw new Error(obstacle);
    if (open === undefined) await begin(session);
    else open.seat(grants.epoch());
    if (open !== undefined && clock.now() - open.sealedAt > SILENT_MS) report("no picture comes from the machine");
  }

  async function begin(session: string): Promise<void> {
    const broke = (reason: string): void => {
      report(reason);
      loop.ring();
    };
    open = new RecordedSession(deps, session, { problem: report, broke });
    await open.begin(grants.epoch());
  }

  async function close(last: RecordedSession): Promise<void> {
    try {
      await last.close();
    } finally {
      open = undefined;
      deps.ended();
    }
  }

  const loop = startLoop({ clock, idleMs: LOOK_MS, run: converge, failed: (error) => report(sentenceOf(error)) });

  return {
    session: () => open?.session,
    problem: () => why,
    gameBegins: games.said,
    event(happened) {
      add({ t: "event", at: clock.now(), report: happened });
      if ("phase" in happened && happened.phase === "started") games.reported();
    },
    press({ epoch, seq, button }, at, answer) {
      const { outcome, reason } = answer ?? {};
      add({ t: "press", at, doneAt: clock.now(), epoch, seq, button, outcome, reason });
    },
    async end() {
      ending = true;
      await loop.stop();
      if (open !== undefined) await close(open);
    },
  };
}

/** One key frame for each game: where the machine says that it begins, else where its event is. */
function createBegins(broadcast: Pick<MachineBroadcast, "gameBegan">) {
  let waits = false;
  return {
    said(): void {
      waits = true;
      broadcast.gameBegan();
    },
    reported(): void {
      if (!waits) broadcast.gameBegan();
      waits = false;
    },
  };
}

/** The play session that is to be recorded; its seat may have been lost a moment ago. */
function createWanted({ grants, clock }: Pick<MachineRecordDeps, "grants" | "clock">): () => string | undefined {
  let held: { readonly session: string; readonly at: number } | undefined;
  return () => {
    const seat = grants.seat();
    if (seat !== undefined && grants.check(grants.epoch()) === undefined)
      held = { session: seat.playSessionId, at: clock.now() };
    return held !== undefined && clock.now() - held.at < AFTER_MS ? held.session : undefined;
  };
}

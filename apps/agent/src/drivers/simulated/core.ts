import { lookOf } from "@longarm/reels/brands";
import type { Spin } from "@longarm/reels/game/draw";
import { randomOf } from "@longarm/reels/game/random";
import type { Reveal, Stage } from "@longarm/reels/game/reveal";
import { paceOf, reveal } from "@longarm/reels/game/reveal";
import { JACKPOTS } from "@longarm/reels/game/rules";
import { stripsOf } from "@longarm/reels/game/strips";
import { createQueue } from "../../machine/machine-queue.ts";
import type { Bell } from "./bell.ts";
import { bell } from "./bell.ts";
import { gravest } from "./faults.ts";
import { factoryState } from "./memory/apply.ts";
import type { Entry } from "./memory/entries.ts";
import type { MachineState, OpenGame } from "./memory/state.ts";
import type { Memory } from "./memory/store.ts";
import { openMemory } from "./memory/store.ts";
import type { MachineOptions, Rules } from "./options.ts";
import { rulesOf } from "./options.ts";

/** What powers the machine: its memory, its one turn at a time, and the game on the glass. */
export type Core = {
  readonly rules: Rules;
  state(): MachineState;
  /** The machine's clock in whole milliseconds. */
  now(): number;
  /** One thing at a time: what is checked is still true when it is written. */
  serial<T>(run: () => Promise<T>): Promise<T>;
  /** Makes a change durable; rejects with `MemoryFault` and changes nothing otherwise. Call it within `serial`. */
  commit(entry: Entry): Promise<void>;
  /** Shows a game that is durable. */
  show(game: OpenGame): void;
  stage(): Stage | null;
  pick(): boolean;
  /** Continues the game after a fault, if none is left. */
  resume(): void;
  /** The least time from game to game has passed then. */
  nextGameAt(): number;
  /** The last turn of the reels seen since power up, when it began and when its game ended. */
  rest(): { spin: Spin | null; restAt: number; spinAt: number };
  outOfService(): boolean;
  /** When the lock for a transfer ends, ms since 1970; 0: none. Power takes it away. */
  lockedUntil(): number;
  lockUntil(at: number): void;
  onActivity(listener: () => void): () => void;
  /** Rings when the glass shows something else. */
  readonly glass: Bell;
  close(): Promise<void>;
};

/** How long the machine waits before it tries again to write the end of a game. */
const RETRY_MS = 500;

/** Brands whose jackpots were hit not long ago: on a new floor some are above the lobby's limit for "hot" and some below. */
const HIT_LATELY = new Set(["kuzey", "mercan"]);

/** What the jackpots had collected when the machine was delivered: a third to a half of their start, or up to a quarter. */
function carried({ seed, ...options }: MachineOptions): number[] {
  const random = randomOf(seed, "carried");
  const [least, most] = HIT_LATELY.has(lookOf(options)) ? [0, 0.25] : [0.34, 0.5];
  return JACKPOTS.map(({ start }) => Math.floor(start * least) + random.whole(Math.floor(start * (most - least))));
}

/** Where the reels were left when the machine was delivered, so that a new floor does not show one picture twelve times. */
function leftAt({ seed, ...options }: MachineOptions): number[] {
  const random = randomOf(seed, "left");
  return stripsOf(lookOf(options)).map((strip) => random.whole(strip.length));
}

type Running = {
  live: Reveal | null;
  spin: Spin | null;
  restAt: number;
  spinAt: number;
  outOfService: boolean;
  lockedUntil: number;
  closed: boolean;
  nextGameAt: number;
};

function atRest(nextGameAt: number): Running {
  return {
    live: null,
    spin: null,
    restAt: 0,
    spinAt: 0,
    outOfService: false,
    lockedUntil: 0,
    closed: false,
    nextGameAt,
  };
}

/** Commits, and keeps in mind whether the memory can be written. */
function booker(memory: Memory, run: Running, ring: () => void): (entry: Entry) => Promise<void> {
  return async (entry) => {
    try {
      await memory.commit(entry);
      run.outOfService = false;
    } catch (error) {
      run.outOfService = true;
      throw error;
    } finally {
      ring();
    }
  };
}

function ringer(...bells: readonly Bell[]): () => void {
  return () => {
    for (const one of bells) one.ring();
  };
}

function lockOf(run: Running, ring: () => void): Pick<Core, "lockedUntil" | "lockUntil"> {
  return {
    lockedUntil: () => run.lockedUntil,
    lockUntil(at) {
      run.lockedUntil = at;
      ring();
    },
  };
}

/** Reads the memory and completes the game a power cut interrupted: its outcome was drawn and safe. */
export async function startCore(options: MachineOptions): Promise<Core> {
  const { clock } = options;
  const rules = rulesOf(options);
  const { minCycleMs } = rules.description.limits;
  const memory = await openMemory(options.folder, factoryState(carried(options), leftAt(options)), {
    files: options.files,
  });
  const lastStart = memory.state().game?.startedAt ?? -minCycleMs;
  const run = atRest(lastStart + minCycleMs);
  const activity = bell();
  const glass = bell();
  const ring = ringer(activity, glass);
  const serial = createQueue();
  const now = (): number => Math.round(clock.now());

  const commit = booker(memory, run, ring);
  const finish = () =>
    finishGame({ run, memory, commit, now, handPayFrom: rules.handPayFrom, again: retry }).then(glass.ring);
  const retry = (): void => {
    clock.after(RETRY_MS, () => void serial(finish));
  };
  /** A booking that `finish` makes up for when it fails. */
  const report = (entry: Entry): void => {
    serial(() => commit(entry)).catch(() => undefined);
  };
  const onStage = (stage: Stage): void => {
    ring();
    const entry = bonusEntry(stage, memory.state().game, now());
    if (entry !== null) report(entry);
  };
  const faulty = (): boolean => gravest(memory.state().faults) !== undefined;

  await commit({ do: "power", at: now() });
  await finish();

  return {
    rules,
    state: memory.state,
    now,
    serial,
    commit,
    show(game) {
      run.nextGameAt = game.startedAt + minCycleMs;
      run.live = reveal({
        clock,
        pace: paceOf(minCycleMs),
        game,
        paused: faulty,
        onStage,
        onEnd: () => void serial(finish),
      });
      glass.ring();
    },
    stage: () => run.live?.stage() ?? null,
    pick: () => run.live?.pick() ?? false,
    resume: () => (faulty() ? undefined : run.live?.resume()),
    nextGameAt: () => run.nextGameAt,
    rest: () => run,
    outOfService: () => run.outOfService,
    ...lockOf(run, ring),
    onActivity: activity.listen,
    glass,
    close: () =>
      serial(async () => {
        run.closed = true;
        run.live?.stop();
        await memory.close();
      }),
  };
}

/** The queue's events when the bonus opens and when its last pick is shown. */
function bonusEntry(stage: Stage, game: OpenGame | null, at: number): Entry | null {
  if (stage.is !== "bonus" || game === null) return null;
  if (stage.picked === 0) return { do: "bonusStart", at };
  return stage.picked === game.outcome.picks.length && game.bonusOpen ? { do: "bonusEnd", at } : null;
}

type Finish = {
  run: Running;
  memory: { state(): MachineState };
  commit(entry: Entry): Promise<void>;
  now(): number;
  handPayFrom: number;
  again(): void;
};

/** Books the end of the game in progress, if there is one. The outcome is safe: only its booking may have to wait. */
async function finishGame({ run, memory, commit, now, handPayFrom, again }: Finish): Promise<void> {
  const { game } = memory.state();
  if (game === null || run.closed) return;
  try {
    if (game.bonusOpen) await commit({ do: "bonusEnd", at: now() });
    await commit({ do: "gameEnd", at: now(), handPayFrom });
    run.spin = game.outcome.spins.at(-1) ?? null;
    run.restAt = now();
    run.spinAt = run.live?.stage().spinAt ?? 0;
    run.live = null;
  } catch {
    again();
  }
}

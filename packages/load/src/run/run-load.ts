import { availableParallelism } from "node:os";
import { MACHINE_STATUS } from "@longarm/contract/machine";
import type { CrewNow } from "../crew/crew.ts";
import { sendCrew } from "../crew/crew.ts";
import type { Asked } from "../people/person.ts";
import type { Account } from "../visitor/sign-in.ts";
import { signIn } from "../visitor/sign-in.ts";
import type { Venue } from "../visitor/venue.ts";
import { call, VenueProblem } from "../visitor/venue.ts";

export type LoadAsked = {
  readonly venue: Venue;
  readonly players: readonly Account[];
  readonly viewers: readonly Account[];
  /** At most so many machines. */
  readonly machines: number;
  readonly durationMs: number;
  readonly seed: number;
  /** Presses also on machines that do not say that they are simulated. */
  readonly realMoney: boolean;
  /** Only these, where that is known. */
  readonly only?: ReadonlySet<string>;
};

export type LoadDeps = {
  /** Ms that never run backwards. */
  readonly now: () => number;
  pause(ms: number): Promise<void>;
  /** One line about what goes on. */
  progress(line: string): void;
  /** Aborted: everybody goes home before their time. */
  readonly stop: AbortSignal;
  /** Aborted: the processes are ended at once. */
  readonly abandon: AbortSignal;
};

/** What a run came to. */
export type LoadResult = CrewNow & {
  readonly machines: readonly string[];
  readonly ranMs: number;
  /** Not everybody had the time that was asked for. */
  readonly interrupted: boolean;
};

const PROGRESS_MS = 5_000;
const LOOK_MS = 250;
/** Games, bonuses and transfers end within this, ms; then the processes are ended. */
const HOME_MS = 180_000;

/** Sends people to a venue and waits until they are home again. @throws VenueProblem when nobody can play there, Error. */
export async function runLoad(asked: LoadAsked, deps: LoadDeps): Promise<LoadResult> {
  const machines = await machinesToPlay(asked);
  const crew = sendCrew(asked.venue, peopleOf(asked, machines), availableParallelism());
  const abandon = (): void => crew.stop();
  deps.abandon.addEventListener("abort", abandon, { once: true });
  const from = deps.now();
  const isGone = settled(crew.gone);
  try {
    let toldAtMs = from;
    while (!deps.stop.aborted && !isGone.now() && deps.now() - from < asked.durationMs) {
      await deps.pause(LOOK_MS);
      if (deps.now() - toldAtMs < PROGRESS_MS) continue;
      toldAtMs = deps.now();
      deps.progress(progressLine(crew.now(), deps.now() - from, asked));
    }
    const ranMs = deps.now() - from;
    const interrupted = ranMs < asked.durationMs;
    deps.progress(interrupted ? "Everybody goes home now; once more Ctrl-C ends at once." : "Everybody goes home.");
    crew.finish();
    const late = deps.now() + HOME_MS;
    while (!isGone.now() && deps.now() < late) await deps.pause(LOOK_MS);
    if (!isGone.now()) throw new Error(`Not everybody was home after ${HOME_MS / 1_000} s.`);
    await crew.gone;
    return { ...crew.now(), machines, ranMs, interrupted };
  } finally {
    deps.abandon.removeEventListener("abort", abandon);
    crew.stop();
  }
}

function settled(promise: Promise<void>): { now(): boolean } {
  let is = false;
  const done = (): void => {
    is = true;
  };
  promise.then(done, done);
  return { now: () => is };
}

/** Machines that are free now, as the first account's lobby shows them. */
async function machinesToPlay(asked: LoadAsked): Promise<string[]> {
  const scout = asked.players[0] ?? asked.viewers[0];
  if (scout === undefined) throw new VenueProblem("Nobody is to go there: ask for players or viewers.");
  const { venue, only } = asked;
  const me = await signIn(venue, scout);
  const machines = await me.machines().finally(() => call(venue, "logout", { token: me.token }).catch(() => undefined));
  const wanted = machines.filter(({ id }) => only?.has(id) ?? true);
  // Who only watches goes where somebody plays.
  const usable = wanted.filter(({ status, mine }) =>
    asked.players.length > 0
      ? status === MACHINE_STATUS.available || mine === true
      : status === MACHINE_STATUS.available || status === MACHINE_STATUS.playing,
  );
  if (usable.length === 0)
    throw new VenueProblem(
      machines.length === 0
        ? "There is no machine in this lobby: check that an agent runs."
        : `None of the ${machines.length} machines is free to be played: look at longarm machines list.`,
    );
  return usable.slice(0, asked.machines).map(({ id }) => id);
}

function peopleOf({ players, viewers, seed, realMoney }: LoadAsked, machines: readonly string[]): Asked[] {
  const all = [
    ...players.map((account) => ({ role: "player" as const, account })),
    ...viewers.map((account) => ({ role: "viewer" as const, account })),
  ];
  return all.map(({ role, account }, index) => {
    const first = role === "player" ? index : index - players.length;
    return { role, account, machines, first, realMoney, seed: (seed * 100_003 + index) % 2 ** 31 };
  });
}

function progressLine({ present, tally, problems }: CrewNow, atMs: number, { players, viewers }: LoadAsked): string {
  const seconds = Math.round(atMs / 1_000);
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const refused = Object.entries(tally.counts).filter(([what]) => what.startsWith("refused: "));
  const times = refused.reduce((sum, [, many]) => sum + many, 0);
  return [
    `${clock}  seated ${present.seated} of ${players.length}`,
    `watching ${present.watching} of ${viewers.length}`,
    `with a picture ${present.seeing}`,
    `games ${tally.counts["games"] ?? 0}`,
    `longest gap ${Math.round(tally.seen.gaps.most)} ms`,
    `refused ${times}`,
    ...(problems.length > 0 ? [`problems ${problems.length}`] : []),
  ].join(", ");
}

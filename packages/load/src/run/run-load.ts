import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { MACHINE_STATUS } from "@longarm/contract/lobby-lists";
import type { Timers } from "@longarm/link/socket";
import { systemTimers } from "@longarm/link/socket";
import type { Account } from "../account.ts";
import { signIn } from "../account.ts";
import type { Assignment } from "../people/person.ts";
import type { Tally } from "../people/tally.ts";
import { addTally, emptyTally } from "../people/tally.ts";
import type { Venue } from "../venue.ts";
import { call, VenueProblem } from "../venue.ts";

type LoadRun = {
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

type LoadDeps = {
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
  /** Some players did not have the whole time. */
  readonly interrupted: boolean;
};

const PROGRESS_MS = 5_000;
const LOOK_MS = 250;
/** Games, bonuses and transfers end within this, ms; then the processes are ended. */
const HOME_MS = 180_000;

/** Sends players to a venue and waits until they have left. @throws VenueProblem when no player can play there, Error. */
export async function runLoad(load: LoadRun, deps: LoadDeps): Promise<LoadResult> {
  const machines = await machinesToPlay(load);
  const crew = sendCrew(load.venue, peopleOf(load, machines), availableParallelism());
  const abandon = (): void => crew.stop();
  deps.abandon.addEventListener("abort", abandon, { once: true });
  const from = deps.now();
  const isGone = settled(crew.gone);
  try {
    let reportedAtMs = from;
    while (!deps.stop.aborted && !isGone.now() && deps.now() - from < load.durationMs) {
      await deps.pause(LOOK_MS);
      if (deps.now() - reportedAtMs < PROGRESS_MS) continue;
      reportedAtMs = deps.now();
      deps.progress(progressLine(crew.now(), deps.now() - from, load));
    }
    const ranMs = deps.now() - from;
    const interrupted = ranMs < load.durationMs;
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
async function machinesToPlay(load: LoadRun): Promise<string[]> {
  const scout = load.players[0] ?? load.viewers[0];
  if (scout === undefined) throw new VenueProblem("Nobody is to go there: ask for players or viewers.");
  const { venue, only } = load;
  const me = await signIn(venue, scout);
  const machines = await me.machines().finally(() => call(venue, "logout", { token: me.token }).catch(() => undefined));
  const wanted = machines.filter(({ id }) => only?.has(id) ?? true);
  // Who only watches goes where somebody plays.
  const usable = wanted.filter(({ status, mine }) =>
    load.players.length > 0
      ? status === MACHINE_STATUS.available || mine === true
      : status === MACHINE_STATUS.available || status === MACHINE_STATUS.playing,
  );
  if (usable.length === 0)
    throw new VenueProblem(
      machines.length === 0
        ? "There is no machine in this lobby: check that an agent runs."
        : `None of the ${machines.length} machines is free to be played: look at longarm machines list.`,
    );
  return usable.slice(0, load.machines).map(({ id }) => id);
}

function peopleOf({ players, viewers, seed, realMoney }: LoadRun, machines: readonly string[]): Assignment[] {
  const all = [
    ...players.map((account) => ({ role: "player" as const, account })),
    ...viewers.map((account) => ({ role: "viewer" as const, account })),
  ];
  return all.map(({ role, account }, index) => {
    const first = role === "player" ? index : index - players.length;
    return { role, account, machines, first, realMoney, seed: (seed * 100_003 + index) % 2 ** 31 };
  });
}

function progressLine({ present, tally, problems }: CrewNow, atMs: number, { players, viewers }: LoadRun): string {
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

const PROCESS = fileURLToPath(new URL("./crew-main.ts", import.meta.url));
/** More people in one process would be late with what they do. */
const PEOPLE_OF_PROCESS = 16;
/** Problems that are kept; the others only count. */
const PROBLEMS_MAX = 20;

/** What is known of a run while it goes on, and at its end. */
type CrewNow = {
  readonly tally: Tally;
  readonly present: Present;
  /** The most of any process. */
  readonly effort: Effort;
  /** How long the platform's limits made people wait to sign in, ms. */
  readonly waitedMs: number;
  readonly problems: readonly string[];
};

/** People in processes of their own. */
type Crew = {
  now(): CrewNow;
  /** Everybody goes home: games end, credits leave, seats are given back. */
  finish(): void;
  /** Resolves once everybody has. @throws Error when a process ended before. */
  readonly gone: Promise<void>;
  /** Ends the processes at once, whatever their people have on machines. */
  stop(): void;
};

/** Sends people to a venue. `processes`: at most so many. */
function sendCrew(venue: Venue, people: readonly Assignment[], processes: number): Crew {
  const shares = share(people, Math.max(1, Math.min(processes, Math.ceil(people.length / PEOPLE_OF_PROCESS))));
  const signIns = new SignInQueue(systemTimers);
  const tally = emptyTally();
  const problems: string[] = [];
  const last = new Map<ChildProcess, { present: Present; effort: Effort }>();
  const most = { processorShare: 0, lateMs: 0 };
  const receive = (child: ChildProcess, report: CrewReport): void => {
    const say = (ask: CrewRequest): void => void (child.connected && child.send(ask));
    if (report.is === "wantsToSignIn") signIns.want(() => say({ is: "maySignIn", number: report.number }));
    else if (report.is === "signedIn") signIns.over(report.waitMs);
    else if (report.is === "problem" && problems.length < PROBLEMS_MAX) problems.push(report.sentence);
    else if (report.is === "tally") {
      addTally(tally, report.tally);
      last.set(child, report);
      most.processorShare = Math.max(most.processorShare, report.effort.processorShare);
      most.lateMs = Math.max(most.lateMs, report.effort.lateMs);
    }
  };
  const started = shares.map((some) => start(venue, some, receive));
  return {
    now: () => ({ tally, present: sum([...last.values()]), effort: most, waitedMs: signIns.waitedMs, problems }),
    finish() {
      for (const { child } of started) if (child.connected) child.send({ is: "finish" } satisfies CrewRequest);
      signIns.release();
    },
    gone: Promise.all(started.map(({ gone }) => gone)).then(() => {}),
    stop: () => started.forEach(({ child }) => void child.kill("SIGKILL")),
  };
}

function start(
  venue: Venue,
  people: readonly Assignment[],
  receive: (child: ChildProcess, report: CrewReport) => void,
) {
  const child = fork(PROCESS, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const gone = new Promise<void>((resolve, reject) => {
    let isDone = false;
    child.on("message", (report: CrewReport) => {
      if (report.is === "done") isDone = true;
      receive(child, report);
    });
    child.on("exit", (code, signal) => {
      if (isDone) resolve();
      else reject(new Error(`A process of people ended before they had gone home (${signal ?? code}).`));
    });
  });
  // The caller handles it once it waits for it.
  gone.catch(() => undefined);
  child.send({ is: "begin", venue, people } satisfies CrewRequest);
  return { child, gone };
}

/** One after the other, so that each process has players and viewers. */
function share(people: readonly Assignment[], many: number): Assignment[][] {
  return Array.from({ length: many }, (_, index) => people.filter((__, at) => at % many === index));
}

function sum(all: readonly { present: Present }[]): Present {
  const add = (key: keyof Present): number => all.reduce((total, { present }) => total + present[key], 0);
  return { seated: add("seated"), watching: add("watching"), seeing: add("seeing") };
}

/** Sign-ins under way at once: each costs the venue a hash of a password. */
const AT_ONCE = 4;

/** Lets players sign in a few at a time, and no player for as long as the venue says to wait. */
export class SignInQueue {
  readonly #timers: Timers;
  readonly #waiting: (() => void)[] = [];
  #open = 0;
  #paused = false;
  #released = false;
  #waitedMs = 0;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** How long the venue made people wait in all, ms. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** `go` is called when it is somebody's turn. */
  want(go: () => void): void {
    this.#waiting.push(go);
    if (this.#released) this.release();
    else this.#next();
  }

  over(waitMs: number): void {
    this.#open -= 1;
    if (waitMs > 0 && !this.#paused) {
      this.#paused = true;
      this.#waitedMs += waitMs;
      this.#timers.after(waitMs, () => {
        this.#paused = false;
        this.#next();
      });
    }
    this.#next();
  }

  /** No player waits any more, now or later. */
  release(): void {
    this.#released = true;
    this.#paused = false;
    for (const go of this.#waiting.splice(0)) go();
  }

  #next(): void {
    while (!this.#paused && this.#open < AT_ONCE) {
      const go = this.#waiting.shift();
      if (go === undefined) return;
      this.#open += 1;
      go();
    }
  }
}

/** How many people are where. */
type Present = {
  /** Have a seat. */
  readonly seated: number;
  /** Have a place to watch. */
  readonly watching: number;
  /** Of both: pictures come now. */
  readonly seeing: number;
};

/** What a process of people costs. */
export type Effort = {
  /** Of one core, 0 to 1 and more. */
  readonly processorShare: number;
  /** How late the process's own events came, 99 of 100, ms. */
  readonly lateMs: number;
};

/** Requests to a process of simulated players. */
export type CrewRequest =
  | { readonly is: "begin"; readonly venue: Venue; readonly people: readonly Assignment[] }
  /** Somebody may sign in. */
  | { readonly is: "maySignIn"; readonly number: number }
  | { readonly is: "finish" };

/** Its reports. */
export type CrewReport =
  | { readonly is: "wantsToSignIn"; readonly number: number }
  /** `waitMs`: the venue said to wait so long before the next. */
  | { readonly is: "signedIn"; readonly number: number; readonly waitMs: number }
  /** Once a second: what was added since. */
  | { readonly is: "tally"; readonly tally: Tally; readonly present: Present; readonly effort: Effort }
  | { readonly is: "problem"; readonly sentence: string }
  /** Everybody has gone home. */
  | { readonly is: "done" };

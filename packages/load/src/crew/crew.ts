import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Timers } from "@longarm/link/socket";
import { systemTimers } from "@longarm/link/socket";
import type { Asked } from "../people/person.ts";
import type { Tally } from "../people/tally.ts";
import { addTally, emptyTally } from "../people/tally.ts";
import type { Venue } from "../visitor/venue.ts";
import type { CrewAsk, CrewTold, Effort, Present } from "./messages.ts";

const PROCESS = fileURLToPath(new URL("crew-main.ts", import.meta.url));
/** More people in one process would be late with what they do. */
const PEOPLE_OF_PROCESS = 16;
/** Problems that are kept; the others only count. */
const PROBLEMS_MAX = 20;

/** What is known of a run while it goes on, and at its end. */
export type CrewNow = {
  readonly tally: Tally;
  readonly present: Present;
  /** The most of any process. */
  readonly effort: Effort;
  /** How long the platform's limits made people wait to sign in, ms. */
  readonly waitedMs: number;
  readonly problems: readonly string[];
};

/** People in processes of their own. */
export type Crew = {
  now(): CrewNow;
  /** Everybody goes home: games end, credits leave, seats are given back. */
  finish(): void;
  /** Resolves once everybody has. @throws Error when a process ended before. */
  readonly gone: Promise<void>;
  /** Ends the processes at once, whatever their people have on machines. */
  stop(): void;
};

/** Sends people to a venue. `processes`: at most so many. */
export function sendCrew(venue: Venue, people: readonly Asked[], processes: number): Crew {
  const shares = share(people, Math.max(1, Math.min(processes, Math.ceil(people.length / PEOPLE_OF_PROCESS))));
  const turns = new Turns(systemTimers);
  const tally = emptyTally();
  const problems: string[] = [];
  const last = new Map<ChildProcess, { present: Present; effort: Effort }>();
  const most = { processorShare: 0, lateMs: 0 };
  const hear = (child: ChildProcess, told: CrewTold): void => {
    const say = (ask: CrewAsk): void => void (child.connected && child.send(ask));
    if (told.is === "wantsTurn") turns.want(() => say({ is: "turn", number: told.number }));
    else if (told.is === "turnOver") turns.over(told.waitMs);
    else if (told.is === "problem" && problems.length < PROBLEMS_MAX) problems.push(told.sentence);
    else if (told.is === "tally") {
      addTally(tally, told.tally);
      last.set(child, told);
      most.processorShare = Math.max(most.processorShare, told.effort.processorShare);
      most.lateMs = Math.max(most.lateMs, told.effort.lateMs);
    }
  };
  const started = shares.map((some) => start(venue, some, hear));
  return {
    now: () => ({ tally, present: sum([...last.values()]), effort: most, waitedMs: turns.waitedMs, problems }),
    finish() {
      for (const { child } of started) if (child.connected) child.send({ is: "finish" } satisfies CrewAsk);
      turns.release();
    },
    gone: Promise.all(started.map(({ gone }) => gone)).then(() => {}),
    stop: () => started.forEach(({ child }) => void child.kill("SIGKILL")),
  };
}

function start(venue: Venue, people: readonly Asked[], hear: (child: ChildProcess, told: CrewTold) => void) {
  const child = fork(PROCESS, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const gone = new Promise<void>((resolve, reject) => {
    let isDone = false;
    child.on("message", (told: CrewTold) => {
      if (told.is === "done") isDone = true;
      hear(child, told);
    });
    child.on("exit", (code, signal) => {
      if (isDone) resolve();
      else reject(new Error(`A process of people ended before they had gone home (${signal ?? code}).`));
    });
  });
  // Whoever waits for it hears of it; until then it is nobody's.
  gone.catch(() => undefined);
  child.send({ is: "begin", venue, people } satisfies CrewAsk);
  return { child, gone };
}

/** One after the other, so that each process has players and viewers. */
function share(people: readonly Asked[], many: number): Asked[][] {
  return Array.from({ length: many }, (_, index) => people.filter((__, at) => at % many === index));
}

function sum(all: readonly { present: Present }[]): Present {
  const add = (key: keyof Present): number => all.reduce((total, { present }) => total + present[key], 0);
  return { seated: add("seated"), watching: add("watching"), seeing: add("seeing") };
}

/** Sign-ins under way at once: each costs the venue a hash of a password. */
const AT_ONCE = 4;

/** Lets people sign in a few at a time, and nobody for as long as the venue says to wait. */
export class Turns {
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

  /** Nobody waits any more, now or later. */
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

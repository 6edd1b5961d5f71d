import type { InitAnswer } from "@longarm/contract/game-socket";
import type { Timers } from "@longarm/link/socket";
import { HandshakeRefused } from "@longarm/link/ws-socket";
import type { Account, SignedIn } from "../account.ts";
import { signIn } from "../account.ts";
import { addSeen } from "../figures.ts";
import type { Receiver } from "../receiver/receiver.ts";
import type { Venue } from "../venue.ts";
import { CallRefused } from "../venue.ts";
import { Visit } from "../visit.ts";
import type { Tally } from "./tally.ts";
import { addMedia, count, time } from "./tally.ts";

type Role = "player" | "viewer";

/** One of the people of a run. */
export type Assignment = {
  readonly role: Role;
  readonly account: Account;
  /** Repeats the same choices. */
  readonly seed: number;
  /** The machines they may go to. */
  readonly machines: readonly string[];
  /** The first one they look at. */
  readonly first: number;
  /** Plays for real money too: presses on machines that do not say that they are simulated. */
  readonly realMoney: boolean;
};

/** Somebody who is at a machine, for live figures. */
type AtMachine = {
  readonly role: "player" | "spectator";
  readonly visit: { readonly seated: boolean };
  /** Pictures come now. */
  readonly sees: boolean;
  /** Moves what was measured since the last time into the tally. */
  report(): void;
};

/** What people share in one process. */
export type Surroundings = {
  readonly venue: Venue;
  readonly timers: Timers;
  /** Ms that never run backwards. */
  readonly now: () => number;
  readonly tally: () => Tally;
  /** An id of a transfer that no run has used: a venue keeps them for ever, and answers one it knows without moving money. */
  readonly newId: () => string;
  /** Those at machines now, for live figures. */
  readonly present: Set<AtMachine>;
  /** Aborted when the run is to end: nothing new is begun. */
  readonly finish: AbortSignal;
  /** Waits until the player may sign in: venues bound how many may in a minute. `waitMs`: the venue said to wait. */
  maySignIn(): Promise<(waitMs: number) => void>;
};

/** Somebody cannot take part at all: one sentence. */
class PersonProblem extends Error {
  override readonly name = "PersonProblem";
}

const HOPELESS: ReadonlySet<string> = new Set([
  "auth.wrong",
  "auth.wrong_counted",
  "auth.protected",
  "auth.banned",
  "auth.ip_not_permitted",
  "player.excluded",
]);
const TRIES = 5;

/** Waits, at most until the run is to end. */
export function rest({ timers, finish }: Surroundings, ms: number): Promise<void> {
  if (finish.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      stop();
      finish.removeEventListener("abort", done);
      resolve();
    };
    const stop = timers.after(ms, done);
    finish.addEventListener("abort", done, { once: true });
  });
}

/** Waits, whatever happens. */
export function pause({ timers }: Surroundings, ms: number): Promise<void> {
  return new Promise((resolve) => void timers.after(ms, resolve));
}

/** Signs in, waiting as long as the platform's limits ask for; undefined: the run ended first. @throws PersonProblem. */
export async function enter(around: Surroundings, account: Account): Promise<SignedIn | undefined> {
  for (let failures = 0; !around.finish.aborted; ) {
    const release = await around.maySignIn();
    let waitMs = 0;
    try {
      if (around.finish.aborted) return undefined;
      const from = around.now();
      const me = await signIn(around.venue, account);
      time(around.tally(), "sign-in", around.now() - from);
      return me;
    } catch (error) {
      countError(around.tally(), "sign-in", error);
      if (error instanceof CallRefused && HOPELESS.has(error.label))
        throw new PersonProblem(`${account.username} cannot sign in: ${error.label}. Check the accounts.`, {
          cause: error,
        });
      if (error instanceof CallRefused && error.waitMs > 0) waitMs = error.waitMs;
      else failures += 1;
      if (failures >= TRIES)
        throw new PersonProblem(`${account.username} cannot sign in: ${String(error)}`, { cause: error });
    } finally {
      release(waitMs);
    }
    if (waitMs === 0) await rest(around, 500 * 2 ** failures);
  }
  return undefined;
}

/** Counts a refusal by its code and a failure by its kind. */
export function countError(tally: Tally, what: string, error: unknown): void {
  if (error instanceof CallRefused) count(tally, `refused: ${error.label}`);
  else if (error instanceof HandshakeRefused) count(tally, `refused: socket, http ${error.httpStatus}`);
  else {
    const { code, cause, name } = error as { code?: string; cause?: { code?: string }; name?: string };
    count(tally, `error: ${what}, ${cause?.code ?? code ?? name ?? "unknown"}`);
  }
}

/** The same numbers for the same seed, 0 to below 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Between two values. */
export const between = (random: () => number, least: number, most: number): number => least + random() * (most - least);

/** How a visit began. */
type Begun =
  | { readonly is: "here"; readonly answer: InitAnswer }
  /** `label`: the problem's name, else its code. */
  | { readonly is: "refused"; readonly label: string }
  | { readonly is: "late" };

/** From the seat to the first frame, at most, ms. */
const PICTURE_MS = 10_000;
/** And so long for the seat, ms. */
const SEAT_MS = 20_000;

type Goal = {
  readonly me: SignedIn;
  readonly machineId: string;
  readonly url?: string | null | undefined;
  readonly role: "player" | "spectator";
  readonly random: () => number;
};

/** Somebody's visit at a machine, with everything that is measured of it. */
export class Attendance {
  readonly visit: Visit;
  readonly role: Goal["role"];
  readonly #around: Surroundings;
  readonly #from: number;
  readonly #begun = Promise.withResolvers<Begun>();
  #hereAtMs: number | undefined;
  #hasPicture = false;
  #droppedAtMs: number | undefined;
  #over = false;
  #counted: { readonly receiver: Receiver; readonly counts: ReturnType<Receiver["counts"]> } | undefined;

  constructor(around: Surroundings, goal: Goal) {
    this.#around = around;
    this.#from = around.now();
    const { me, machineId, url, role, random } = goal;
    this.role = role;
    this.visit = new Visit(
      { venue: around.venue, token: me.token, machineId, url, role },
      {
        ...{ timers: around.timers, now: around.now, random },
        seated: (answer) => this.#seated(answer, role),
        refused: (refusal) => {
          this.#over = true;
          const label = refusal.name ?? `code ${refusal.code}`;
          count(around.tally(), `refused: ${label}`);
          this.#begun.resolve({ is: "refused", label });
        },
        closed: (reason) => {
          this.#over = true;
          count(around.tally(), `ended by the venue: ${reason}`);
          this.#begun.resolve({ is: "refused", label: reason });
        },
        dropped: (onPurpose) => {
          this.#droppedAtMs = around.now();
          count(around.tally(), onPurpose ? "networks lost on purpose" : "drops");
        },
        unopened: (error) => countError(around.tally(), "game socket", error),
        renewed: () => count(around.tally(), "picture connections renewed"),
        picture: ({ atMs }) => this.#picture(atMs),
        roundTrip: (ms) => time(around.tally(), "round trip", ms),
      },
    );
    around.present.add(this);
    around.timers.after(SEAT_MS, () => this.#begun.resolve({ is: "late" }));
  }

  begun(): Promise<Begun> {
    return this.#begun.promise;
  }

  /** The venue ended it, or never began it. */
  get over(): boolean {
    return this.#over;
  }

  /** When the seat was given first, ms. */
  get hereAtMs(): number | undefined {
    return this.#hereAtMs;
  }

  /** Pictures come now. */
  get sees(): boolean {
    return this.#around.now() - (this.visit.video.lastAtMs ?? Number.NEGATIVE_INFINITY) < 2_000;
  }

  /** Moves what was measured since the last time into the tally. */
  report(final = false): void {
    const tally = this.#around.tally();
    addSeen(tally.seen, this.visit.video.takeSeen(final));
    const receiver = this.visit.video.receiver;
    if (receiver === undefined) return;
    const counts = structuredClone(receiver.counts());
    addMedia(tally, counts, this.#counted?.receiver === receiver ? this.#counted.counts : undefined);
    this.#counted = { receiver, counts };
  }

  async end(): Promise<void> {
    if (!this.#around.present.delete(this)) return;
    const here = this.#hereAtMs;
    // A gap at the end of a session that the venue ended is the end, not a gap.
    this.report(!this.#over);
    if (here !== undefined && !this.#hasPicture && this.#around.now() - here > PICTURE_MS)
      count(this.#around.tally(), "visits without a picture");
    await this.visit.end();
  }

  #seated(answer: InitAnswer, role: Goal["role"]): void {
    const nowMs = this.#around.now();
    const tally = this.#around.tally();
    if (this.#hereAtMs === undefined) {
      this.#hereAtMs = nowMs;
      time(tally, role === "player" ? "seat" : "place to watch", nowMs - this.#from);
      count(tally, role === "player" ? "seats taken" : "places to watch taken");
    }
    if (this.#droppedAtMs !== undefined) time(tally, "back after a drop", nowMs - this.#droppedAtMs);
    this.#droppedAtMs = undefined;
    this.#begun.resolve({ is: "here", answer });
  }

  #picture(atMs: number): void {
    if (this.#hasPicture) return;
    this.#hasPicture = true;
    time(this.#around.tally(), "first picture", atMs - this.#from);
  }
}

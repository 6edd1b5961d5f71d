import type { Timers } from "@longarm/link/socket";
import { HandshakeRefused } from "@longarm/link/ws-socket";
import type { Account, SignedIn } from "../account.ts";
import { signIn } from "../account.ts";
import type { Venue } from "../venue.ts";
import { CallRefused } from "../venue.ts";
import type { Tally } from "./tally.ts";
import { count, time } from "./tally.ts";

type Role = "player" | "viewer";

/** One of the people of a run. */
export type Asked = {
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
  tell(): void;
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
  /** Waits for a turn to sign in: venues bound how many may in a minute. `waitMs` of the answer: the venue said to wait. */
  turn(): Promise<(waitMs: number) => void>;
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
    const release = await around.turn();
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

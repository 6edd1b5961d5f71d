import type { Clock } from "../../clock.ts";
import type { Stamp } from "./sealed.ts";

/** A message that is older or newer than this was recorded and is sent again, or the clocks of two nodes are wrong, ms. */
export const STAMP_AGE_MS_MAX = 120_000;

/** Stamps what a process sends, and knows what it has heard before: whoever can read the server can send everything again. */
export class Stamps {
  readonly #clock: Pick<Clock, "now">;
  readonly #from: string;
  #count = 0;
  /** The newest message by sender and subject; one sender's come in their order. */
  readonly #heard = new Map<string, Stamp>();
  #sweptAt = Number.NEGATIVE_INFINITY;

  /** @param from of this process alone. */
  constructor(clock: Pick<Clock, "now">, from: string) {
    this.#clock = clock;
    this.#from = from;
  }

  next(): Stamp {
    this.#count += 1;
    return { from: this.#from, count: this.#count, at: this.#clock.now() };
  }

  /** False for what was heard before, and for what is too old to know whether it was. */
  isNew(subject: string, stamp: Stamp): boolean {
    const now = this.#clock.now();
    if (Math.abs(now - stamp.at) > STAMP_AGE_MS_MAX) return false;
    this.#forget(now);
    const key = `${stamp.from} ${subject}`;
    if (stamp.count <= (this.#heard.get(key)?.count ?? 0)) return false;
    this.#heard.set(key, stamp);
    return true;
  }

  #forget(now: number): void {
    if (Math.abs(now - this.#sweptAt) < STAMP_AGE_MS_MAX) return;
    this.#sweptAt = now;
    for (const [key, { at }] of this.#heard) if (now - at > STAMP_AGE_MS_MAX) this.#heard.delete(key);
  }
}

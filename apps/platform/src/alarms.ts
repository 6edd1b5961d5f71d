import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";

/** The same alarm is told again after this long, ms. */
const AGAIN_MS = 60_000;
/** What is remembered at most; beyond it the oldest alarm may be told again early. */
const KEPT_MAX = 1_000;

/** Calls for staff: an error in the log with the field `alarm`, for the same subject at most once a minute. */
export class Alarms {
  readonly #clock: Pick<Clock, "now">;
  readonly #log: Log;
  readonly #told = new Map<string, number>();

  constructor({ clock, log }: { readonly clock: Pick<Clock, "now">; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** `subject` names what it is about: a transfer, a machine. */
  raise(alarm: string, subject: string, facts: object, sentence: string): void {
    const key = `${alarm} ${subject}`;
    const now = this.#clock.now();
    const last = this.#told.get(key);
    if (last !== undefined && now - last < AGAIN_MS) return;
    this.#told.delete(key);
    this.#told.set(key, now);
    const [oldest] = this.#told.keys();
    if (this.#told.size > KEPT_MAX && oldest !== undefined) this.#told.delete(oldest);
    this.#log.error({ alarm, ...facts }, sentence);
  }
}

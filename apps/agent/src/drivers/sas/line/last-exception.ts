import type { SasEvent } from "../protocol/events.ts";
import type { Reply } from "../protocol/replies.ts";

/** In place of a long poll's code: the general poll. */
export const GENERAL = 0x80;

export type LastExceptionOptions = {
  /** An exception that was accepted before the line was opened, and perhaps never acknowledged: the machine may repeat it. */
  readonly unacknowledged?: SasEvent | undefined;
  /** The machine knows that the last exception was accepted, so an equal one is another. */
  readonly acknowledged?: () => void;
};

/** `by`: code of the poll that it answered; the same poll brings it again. Undefined: the loop was broken since, so any poll may. */
type Accepted = { readonly event: SasEvent; by: number | undefined; queried: boolean };

/**
 * The last exception that was accepted, until the machine has answered a poll of another kind: only that says that the machine knows it. Until then
 * an equal exception is the same one, because an acknowledgement without an answer may be lost; from then on it is another.
 */
export class LastException {
  readonly #options: LastExceptionOptions;
  #last: Accepted | undefined;

  constructor(options: LastExceptionOptions) {
    this.#options = options;
    const { unacknowledged: event } = options;
    this.#last = event && { event, by: undefined, queried: false };
  }

  /** `by`: code of the poll that the exception answered. */
  accept(event: SasEvent, by: number): void {
    this.#last = { event, by, queried: false };
  }

  /** It could not be stored, so it must come again. */
  forget(): void {
    this.#last = undefined;
  }

  /** The machine has forgotten what it said last, and keeps an exception that was not acknowledged. */
  loopBroke(): void {
    if (this.#last !== undefined) this.#last.by = undefined;
  }

  /** Whether a general poll must come before all others, because it shows whether the machine repeats the exception. */
  comesFirst(): boolean {
    return this.#last !== undefined && this.#last.by === undefined;
  }

  /** Whether to send a long poll that only acknowledges; once for each exception. */
  asks(): boolean {
    if (this.#last?.by !== GENERAL || this.#last.queried) return false;
    this.#last.queried = true;
    return true;
  }

  /** Whether the reply to the poll of this code is the exception once more. */
  isRepeated(code: number, reply: Reply): boolean {
    if (this.#last === undefined) return false;
    const { event, by, queried } = this.#last;
    if (reply.is === "event" && (by ?? code) === code && isSame(reply.event, event)) {
      this.#last = { event, by: code, queried: queried && by !== undefined };
      return true;
    }
    if (by === undefined ? reply.is === "event" : by !== code || reply.is !== "busy") this.#acknowledge();
    return false;
  }

  /** However damaged, an answer to a poll of another kind says that this poll has acknowledged. */
  damagedAnswer(code: number): void {
    const by = this.#last?.by;
    if (by !== undefined && by !== code) this.#acknowledge();
  }

  #acknowledge(): void {
    this.#last = undefined;
    this.#options.acknowledged?.();
  }
}

/** After a power cut real-time events are off, and the machine repeats the exception without its data. */
const isSame = (one: SasEvent, other: SasEvent): boolean =>
  one.code === other.code &&
  (one.data === undefined || other.data === undefined || JSON.stringify(one.data) === JSON.stringify(other.data));

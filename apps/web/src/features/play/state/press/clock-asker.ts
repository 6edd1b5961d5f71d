import { ClockAnswer } from "@longarm/contract/data-channel";
import type { Stop, Timers } from "@longarm/link/socket";
import type { ClockMatch } from "./clock-match.ts";

const PERIOD_MS = 1_000;
/** The first few come quickly, so that the first press has a clock. */
const FIRST_PERIOD_MS = 100;
const FIRST_COUNT = 5;
/** Questions that may still be answered; an answer to anything else is not ours. */
const OPEN_MAX = 16;

export type ClockAskerDeps = {
  readonly match: ClockMatch;
  readonly timers: Timers;
  /** Ms; the clock of the page's own events and frames. */
  readonly now: () => number;
  /** Sends over the `clock` channel; false while it is not open. */
  readonly send: (frame: string) => boolean;
};

/** Asks the agent for its time over the `clock` channel and feeds the match. */
export class ClockAsker {
  readonly #deps: ClockAskerDeps;
  #open: number[] = [];
  #asked = 0;
  #stop: Stop = () => {};

  constructor(deps: ClockAskerDeps) {
    this.#deps = deps;
  }

  /** Begins anew, for a channel that has just opened. */
  start(): void {
    this.end();
    this.#asked = 0;
    this.#ask();
  }

  end(): void {
    this.#stop();
    this.#open = [];
  }

  /** Asks at once, and for a picture that needs none before it. */
  wantKeyFrame(): void {
    this.#send({ keyFrame: true });
  }

  /** One frame of the channel; what is not an answer to an open question is dropped. */
  heard(frame: string): void {
    const t3 = this.#deps.now();
    const answer = readAnswer(frame);
    if (answer === undefined || !this.#open.includes(answer.t0)) return;
    this.#open = this.#open.filter((t0) => t0 !== answer.t0);
    this.#deps.match.add({ t0: answer.t0, t1: answer.t1, t2: answer.t2, t3 });
    if (answer.rtp !== null && answer.capturedAt !== null) this.#deps.match.addPicture(answer.rtp, answer.capturedAt);
  }

  #send(more: { keyFrame?: true }): void {
    const t0 = this.#deps.now();
    if (!this.#deps.send(JSON.stringify({ t0, ...more }))) return;
    this.#open = [...this.#open, t0].slice(-OPEN_MAX);
    this.#asked += 1;
  }

  #ask(): void {
    this.#send({});
    this.#stop = this.#deps.timers.after(this.#asked < FIRST_COUNT ? FIRST_PERIOD_MS : PERIOD_MS, () => this.#ask());
  }
}

function readAnswer(frame: string): ClockAnswer | undefined {
  try {
    const parsed = ClockAnswer.safeParse(JSON.parse(frame));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

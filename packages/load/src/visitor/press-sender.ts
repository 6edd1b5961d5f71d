import { PRESS_GIVE_UP_MS, PRESS_REPEAT_MS, PressAnswer } from "@longarm/contract/data-channel";
import type { Timers } from "@longarm/link/socket";

export type PressOutcome = PressAnswer["outcome"] | "unknown" | "unsent";

export type PressSenderDeps = {
  readonly timers: Timers;
  /** Sends over the `press` channel; false while it is not open. */
  readonly send: (frame: string) => boolean;
};

type UnderWay = { readonly seq: number; readonly settle: (outcome: PressOutcome) => void };

/** Brings presses to the agent as the page does: one at a time, repeated under its number until it is answered, so that it counts once. */
export class PressSender {
  readonly #deps: PressSenderDeps;
  #seq = 0;
  #epoch: number | undefined;
  #underWay: UnderWay | undefined;

  constructor(deps: PressSenderDeps) {
    this.#deps = deps;
  }

  /** The seat was taken (again): numbers begin anew. */
  begin(epoch: number): void {
    this.end();
    this.#epoch = epoch;
    this.#seq = 0;
  }

  /** What is under way becomes unknown, and nothing can be pressed. */
  end(): void {
    this.#epoch = undefined;
    this.#settle("unknown");
  }

  /** `at`: now, ms of the agent's clock; `stake`: with a wager, minor units. */
  press(button: string, at: number, stake?: number): Promise<PressOutcome> {
    const epoch = this.#epoch;
    if (epoch === undefined || this.#underWay !== undefined) return Promise.resolve("unsent");
    this.#seq += 1;
    const seq = this.#seq;
    const frame = JSON.stringify({ epoch, seq, button, at, ...(stake !== undefined && { stake }) });
    return new Promise((settle) => {
      const underWay: UnderWay = { seq, settle };
      this.#underWay = underWay;
      const later = (delayMs: number, run: () => void): void =>
        void this.#deps.timers.after(delayMs, () => {
          if (this.#underWay === underWay) run();
        });
      const isSent = this.#deps.send(frame);
      for (const delayMs of PRESS_REPEAT_MS) later(delayMs, () => void this.#deps.send(frame));
      later(PRESS_GIVE_UP_MS, () => this.#settle(isSent ? "unknown" : "unsent"));
    });
  }

  /** One frame of the `press` channel. */
  heard(frame: string): void {
    const answer = readAnswer(frame);
    if (answer !== undefined && answer.seq === this.#underWay?.seq) this.#settle(answer.outcome);
  }

  #settle(outcome: PressOutcome): void {
    const settled = this.#underWay;
    this.#underWay = undefined;
    settled?.settle(outcome);
  }
}

function readAnswer(frame: string): PressAnswer | undefined {
  try {
    return PressAnswer.safeParse(JSON.parse(frame)).data;
  } catch {
    return undefined;
  }
}

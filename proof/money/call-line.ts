import type { Chance, Life, Schedule } from "./schedule.ts";

/**
 * Shares of calls that go wrong. `lost`: never arrives. `unanswered`: is done, and its answer is lost. `refusing`: an error of the other side, before or
 * after it was done. `late`: arrives after the platform has given it up, and so perhaps after what the platform says next.
 */
export type CallWeather = {
  readonly lost: number;
  readonly unanswered: number;
  readonly refusing: number;
  readonly late: number;
};
export const FRIENDLY: CallWeather = { lost: 0, unanswered: 0, refusing: 0, late: 0 };

export const TRAVEL_MS_MAX = 30;
const LATE_MS_MAX = 18_000;

type LineParts = {
  readonly schedule: Schedule;
  readonly chance: Chance;
  readonly count: (fault: string) => void;
  /** Who is called, for the table of faults. */
  readonly to: string;
  /** How long the platform waits for an answer, ms. */
  readonly answerMs: number;
};

/** HTTP status and body. */
type Answered = { readonly status: number; readonly body: object };
/** What a caller has of its call. */
type Came = { readonly is: "said"; readonly answer: object } | { readonly is: "nothing"; readonly why: string };

/** A line to another computer, in the place of HTTP. It loses calls and answers; that computer lives on when the platform dies. */
export class CallLine {
  weather = FRIENDLY;
  readonly #parts: LineParts;

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  /** Makes one call as one life of the platform. `take`: what the other side does with it. */
  async call(life: Life, take: () => Answered): Promise<Came> {
    const { schedule, chance, answerMs } = this.#parts;
    const clock = schedule.clockOf(life);
    const pass = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
    const fault = this.#fault();
    const travelMs = chance.next() * TRAVEL_MS_MAX;
    const arrivesMs = fault === "late" ? answerMs + chance.next() * LATE_MS_MAX : travelMs;
    // Not of the caller's life: what has left it arrives, whatever becomes of it.
    const answered = new Promise<Answered>((resolve) => {
      if (fault === "lost" || fault === "refusedBefore") return;
      schedule.after(arrivesMs, () => resolve(take()));
    });
    if (fault === "refusedBefore" || fault === "refusedAfter") {
      await pass(2 * travelMs);
      return { is: "nothing", why: "HTTP 500" };
    }
    if (fault !== undefined) {
      await pass(answerMs);
      return { is: "nothing", why: "no answer in time" };
    }
    const { status, body: answer } = await answered;
    await pass(travelMs);
    return status === 200 ? { is: "said", answer } : { is: "nothing", why: `HTTP ${status}` };
  }

  #fault(): (typeof FAULTS)[number] | undefined {
    const { lost, unanswered, refusing, late } = this.weather;
    const shares = { lost, unanswered, refusedBefore: refusing / 2, refusedAfter: refusing / 2, late };
    let drawn = this.#parts.chance.next();
    for (const fault of FAULTS) {
      if (drawn < shares[fault]) {
        this.#parts.count(`call to ${this.#parts.to}: ${fault}`);
        return fault;
      }
      drawn -= shares[fault];
    }
    return undefined;
  }
}

const FAULTS = ["lost", "unanswered", "refusedBefore", "refusedAfter", "late"] as const;

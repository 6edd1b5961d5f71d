import { ClockAnswer } from "@longarm/contract/data-channel";

/** The newest answers kept: about half a minute, in which two quartz clocks part by a millisecond or two. */
const KEPT = 30;
const ROUND_TRIP_MS_MAX = 5_000;
const RTP_PER_MS = 90;
/** Questions that may still be answered. */
const OPEN_MAX = 16;

type Sample = { readonly offsetMs: number; readonly roundTripMs: number };

/** What is known of the agent's clock, from questions over the `clock` channel: of the newest answers the quickest is believed. */
export class AgentClock {
  #open: number[] = [];
  #answers: Sample[] = [];
  #picture: { readonly rtp: number; readonly capturedAt: number } | undefined;

  /** The frame of a question asked at `nowMs`. `keyFrame`: pictures are missing. */
  ask(nowMs: number, keyFrame = false): string {
    this.#open = [...this.#open, nowMs].slice(-OPEN_MAX);
    return JSON.stringify({ t0: nowMs, ...(keyFrame && { keyFrame }) });
  }

  /** The round trip of an answer, ms; undefined for what is none of ours. */
  heard(frame: string, nowMs: number): number | undefined {
    const answer = ClockAnswer.safeParse(parseJson(frame));
    if (!answer.success || !this.#open.includes(answer.data.t0)) return undefined;
    const { t0, t1, t2, rtp, capturedAt } = answer.data;
    this.#open = this.#open.filter((one) => one !== t0);
    const roundTripMs = nowMs - t0 - (t2 - t1);
    if (!(roundTripMs >= 0 && roundTripMs <= ROUND_TRIP_MS_MAX)) return undefined;
    this.#answers = [...this.#answers, { offsetMs: (t1 - t0 + (t2 - nowMs)) / 2, roundTripMs }].slice(-KEPT);
    if (rtp !== null && capturedAt !== null) this.#picture = { rtp, capturedAt };
    return roundTripMs;
  }

  /** The quickest of the newest answers, ms. */
  get roundTripMs(): number | undefined {
    return this.#best?.roundTripMs;
  }

  /** A moment of ours on the agent's clock; before the first answer both are taken for the same. */
  toAgent(ms: number): number {
    return ms + (this.#best?.offsetMs ?? 0);
  }

  /** How old a picture with this RTP timestamp (90 kHz, 32 bits) is at `nowMs`, ms; undefined before anything is known. */
  ageMs(rtp: number, nowMs: number): number | undefined {
    if (this.#picture === undefined || this.#best === undefined) return undefined;
    // The difference in 32 bits, with its sign: right across a wrap.
    const capturedAt = this.#picture.capturedAt + ((rtp - this.#picture.rtp) | 0) / RTP_PER_MS;
    return this.toAgent(nowMs) - capturedAt;
  }

  get #best(): Sample | undefined {
    const [first, ...others] = this.#answers;
    if (first === undefined) return undefined;
    return others.reduce((best, next) => (next.roundTripMs <= best.roundTripMs ? next : best), first);
  }
}

function parseJson(frame: string): unknown {
  try {
    return JSON.parse(frame);
  } catch {
    return undefined;
  }
}

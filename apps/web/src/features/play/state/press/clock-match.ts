/** One question to the agent's clock. `t0` and `t3` are ours (ms), `t1` and `t2` the agent's (ms). */
export type ClockSample = { readonly t0: number; readonly t1: number; readonly t2: number; readonly t3: number };

/** The newest samples kept: about half a minute, in which two quartz clocks part by a millisecond or two. */
const SAMPLES_KEPT = 30;
/** A sample that took longer says nothing. */
const ROUND_TRIP_MS_MAX = 5_000;
const RTP_PER_MS = 90;

/**
 * What the page knows of the agent's clock. Of the newest samples the one with the shortest round trip is believed: delay on the way
 * can only lengthen it, and its error is at most half of it.
 */
export class ClockMatch {
  #samples: { readonly offsetMs: number; readonly roundTripMs: number }[] = [];
  #best: { readonly offsetMs: number; readonly roundTripMs: number } | undefined;
  /** When the agent answered last, ms of the page's clock. */
  answeredAt: number | undefined;
  #picture: { readonly rtp: number; readonly capturedAt: number } | undefined;

  /** Takes a sample; one that cannot be true is dropped. */
  add({ t0, t1, t2, t3 }: ClockSample): void {
    const roundTripMs = t3 - t0 - (t2 - t1);
    if (!(t3 >= t0 && t2 >= t1 && roundTripMs >= 0 && roundTripMs <= ROUND_TRIP_MS_MAX)) return;
    this.answeredAt = t3;
    const sample = { offsetMs: (t1 - t0 + (t2 - t3)) / 2, roundTripMs };
    this.#samples = [...this.#samples, sample].slice(-SAMPLES_KEPT);
    this.#best = this.#samples.reduce((best, next) => (next.roundTripMs <= best.roundTripMs ? next : best));
  }

  /** Another agent, or the same one started again: everything learned is void. */
  reset(): void {
    this.answeredAt = undefined;
    this.#samples = [];
    this.#best = undefined;
    this.#picture = undefined;
  }

  get matched(): boolean {
    return this.#best !== undefined;
  }

  /** The shortest round trip of late, ms. */
  get roundTripMs(): number | undefined {
    return this.#best?.roundTripMs;
  }

  /** A moment of ours on the agent's clock. Before the first sample both are taken for the same. */
  toAgent(pageMs: number): number {
    return pageMs + (this.#best?.offsetMs ?? 0);
  }

  toPage(agentMs: number): number {
    return agentMs - (this.#best?.offsetMs ?? 0);
  }

  /** The agent took the picture with RTP timestamp `rtp` (90 kHz, 32 bit, wraps round) at `capturedAt` of its clock. */
  addPicture(rtp: number, capturedAt: number): void {
    this.#picture = { rtp, capturedAt };
  }

  /** When the picture with this RTP timestamp was taken, on the agent's clock; undefined before anything is known. */
  capturedAt(rtp: number): number | undefined {
    if (this.#picture === undefined || this.#best === undefined) return undefined;
    // The difference in 32 bits, with its sign: right across a wrap.
    return this.#picture.capturedAt + ((rtp - this.#picture.rtp) | 0) / RTP_PER_MS;
  }
}

import { ClockAnswer } from "@longarm/contract/data-channel";
import type { Stop, Timers } from "@longarm/link/socket";
import type { RtcConnection } from "./rtc-port.ts";

/** One request to the agent's clock. `t0` and `t3` are ours (ms), `t1` and `t2` the agent's (ms). */
export type ClockSample = { readonly t0: number; readonly t1: number; readonly t2: number; readonly t3: number };

/** The newest samples kept: about half a minute, in which two quartz clocks drift apart by a millisecond or two. */
const SAMPLES_KEPT = 30;
/** A sample that took longer says nothing. */
const ROUND_TRIP_MS_MAX = 5_000;
const RTP_PER_MS = 90;

/**
 * The agent's clock as the page knows it. Of the newest samples it uses the one with the shortest round trip: a delay on the network can only
 * lengthen it, and its error is at most half of it.
 */
export class AgentClock {
  #samples: { readonly offsetMs: number; readonly roundTripMs: number }[] = [];
  #best: { readonly offsetMs: number; readonly roundTripMs: number } | undefined;
  /** When the agent answered last, ms of the page's clock. */
  answeredAt: number | undefined;
  #frame: { readonly rtp: number; readonly capturedAt: number } | undefined;

  /** Drops a sample that cannot be true. */
  add({ t0, t1, t2, t3 }: ClockSample): void {
    const roundTripMs = t3 - t0 - (t2 - t1);
    if (!(t3 >= t0 && t2 >= t1 && roundTripMs >= 0 && roundTripMs <= ROUND_TRIP_MS_MAX)) return;
    this.answeredAt = t3;
    const sample = { offsetMs: (t1 - t0 + (t2 - t3)) / 2, roundTripMs };
    this.#samples = [...this.#samples, sample].slice(-SAMPLES_KEPT);
    this.#best = this.#samples.reduce((best, next) => (next.roundTripMs <= best.roundTripMs ? next : best));
  }

  /** Another agent, or the same one started again: nothing learned holds. */
  reset(): void {
    this.answeredAt = undefined;
    this.#samples = [];
    this.#best = undefined;
    this.#frame = undefined;
  }

  get matched(): boolean {
    return this.#best !== undefined;
  }

  /** The shortest round trip of late, ms. */
  get roundTripMs(): number | undefined {
    return this.#best?.roundTripMs;
  }

  /** A moment of ours on the agent's clock. Before the first sample both clocks are treated as the same. */
  toAgent(pageMs: number): number {
    return pageMs + (this.#best?.offsetMs ?? 0);
  }

  toPage(agentMs: number): number {
    return agentMs - (this.#best?.offsetMs ?? 0);
  }

  /** The agent captured the frame with RTP timestamp `rtp` (90 kHz, 32 bit, wraps round) at `capturedAt` of its clock. */
  addFrame(rtp: number, capturedAt: number): void {
    this.#frame = { rtp, capturedAt };
  }

  /** When the frame with this RTP timestamp was captured, on the agent's clock; undefined before anything is known. */
  capturedAt(rtp: number): number | undefined {
    if (this.#frame === undefined || this.#best === undefined) return undefined;
    // The difference in 32 bits, with its sign: right across a wrap.
    return this.#frame.capturedAt + ((rtp - this.#frame.rtp) | 0) / RTP_PER_MS;
  }
}

const PERIOD_MS = 1_000;
/** The first few come quickly, so that the first press has a clock. */
const FIRST_PERIOD_MS = 100;
const FIRST_COUNT = 5;
/** Requests that may still be answered; every other answer is dropped. */
const OPEN_MAX = 16;

/** The data channels in use now, if any. */
type Channels = { readonly channels: Pick<RtcConnection, "send"> | undefined };

/** Requests the agent's time over the `clock` channel, and key frames; each request says how frames are wanted. */
export class ClockPoll {
  readonly #clock: AgentClock;
  readonly #timers: Timers;
  readonly #now: () => number;
  readonly #link: Channels;
  #open: number[] = [];
  #sent = 0;
  #smooth = false;
  #stop: Stop = () => {};

  /** `now`: ms of the page's own events and frames. */
  constructor(clock: AgentClock, timers: Timers, now: () => number, link: Channels) {
    this.#clock = clock;
    this.#timers = timers;
    this.#now = now;
    this.#link = link;
  }

  /** Begins anew, for a channel that has just opened. */
  start(): void {
    this.end();
    this.#sent = 0;
    this.#poll();
  }

  end(): void {
    this.#stop();
    this.#open = [];
  }

  /** Sends a request at once that also asks for a frame that depends on no earlier one. */
  requestKeyFrame(): void {
    this.#send({ keyFrame: true });
  }

  /** Whether frames are wanted evenly rather than at once; the agent learns it now, and again with every request. */
  wantSmooth(smooth: boolean): void {
    if (smooth === this.#smooth) return;
    this.#smooth = smooth;
    this.#send({});
  }

  /** One frame of the channel; anything but an answer to an open request is dropped. */
  receive(frame: string): void {
    const t3 = this.#now();
    const answer = readAnswer(frame);
    if (answer === undefined || !this.#open.includes(answer.t0)) return;
    this.#open = this.#open.filter((t0) => t0 !== answer.t0);
    this.#clock.add({ t0: answer.t0, t1: answer.t1, t2: answer.t2, t3 });
    if (answer.rtp !== null && answer.capturedAt !== null) this.#clock.addFrame(answer.rtp, answer.capturedAt);
  }

  #send(more: { keyFrame?: true }): void {
    const t0 = this.#now();
    if (
      this.#link.channels?.send("clock", JSON.stringify({ t0, ...more, ...(this.#smooth && { smooth: true }) })) !==
      true
    )
      return;
    this.#open = [...this.#open, t0].slice(-OPEN_MAX);
    this.#sent += 1;
  }

  #poll(): void {
    this.#send({});
    this.#stop = this.#timers.after(this.#sent < FIRST_COUNT ? FIRST_PERIOD_MS : PERIOD_MS, () => this.#poll());
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

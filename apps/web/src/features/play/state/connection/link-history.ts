import type { RtcStats } from "../picture/rtc-port.ts";
import type { Step } from "../recovery/ladder.ts";

/** One second of the link. */
export type LinkSample = {
  /** Ms of the page's clock. */
  readonly at: number;
  /** Glass to glass, ms. */
  readonly delayMs: number | undefined;
  readonly framesPerSecond: number;
  /** 0 to 1. */
  readonly lossShare: number;
  /** Of the video, as it came. */
  readonly bitsPerSecond: number;
};

/** Something that was done about missing pictures, or that they came again. */
export type LinkEvent = { readonly at: number; readonly what: Step | "missing" | "back" };

/** The plots look back this far, ms. */
export const HISTORY_MS = 60_000;
const SAMPLE_MS = 1_000;
/** The two counters of one reading are not read at the same moment: a little less than a second is one. */
const SLACK_MS = 50;
const EVENTS_KEPT = 50;

/** The last minute of the link, second by second, and what was done about it. */
export class LinkHistory {
  #samples: LinkSample[] = [];
  #events: LinkEvent[] = [];
  #before: { readonly at: number; readonly bytes: number } | undefined;

  /** Takes the newest counters; keeps one sample a second. */
  add(at: number, stats: RtcStats, now: Omit<LinkSample, "at" | "bitsPerSecond">): void {
    const before = this.#before;
    if (before !== undefined && at - before.at < SAMPLE_MS - SLACK_MS) return;
    this.#before = { at, bytes: stats.videoBytes };
    if (before === undefined) return;
    // Fewer bytes than before are those of a new connection.
    const bytes = stats.videoBytes < before.bytes ? stats.videoBytes : stats.videoBytes - before.bytes;
    this.#samples.push({ at, ...now, bitsPerSecond: Math.round((bytes * 8_000) / (at - before.at)) });
    this.#samples = this.#samples.filter((sample) => sample.at > at - HISTORY_MS);
  }

  event(at: number, what: LinkEvent["what"]): void {
    this.#events = [...this.#events, { at, what }].slice(-EVENTS_KEPT);
  }

  get samples(): readonly LinkSample[] {
    return this.#samples;
  }

  get events(): readonly LinkEvent[] {
    return this.#events;
  }
}

import type { RtcStats } from "./rtc-port.ts";

export type Quality = "good" | "fair" | "poor" | "lost";

/** What the link readout says. */
export type Readout = {
  readonly quality: Quality;
  /** Bars lit, 0 to 4. */
  readonly bars: number;
  /** Glass to glass, 2 s median, ms. */
  readonly delayMs: number | undefined;
  /** True: the browser does not tell which picture it shows, so the delay is put together from its parts. */
  readonly estimated: boolean;
  readonly framesPerSecond: number;
  /** Share of the packets that were lost, 0 to 1, over the last readings. */
  readonly lossShare: number;
  readonly roundTripMs: number | undefined;
};

export const GOOD_MS = 80;
export const FAIR_MS = 180;
/** Losing more than this shows in the picture. */
const FAIR_LOSS = 0.02;
const POOR_LOSS = 0.08;

export const LOST_READOUT: Readout = {
  quality: "lost",
  bars: 0,
  delayMs: undefined,
  estimated: false,
  framesPerSecond: 0,
  lossShare: 0,
  roundTripMs: undefined,
};

/** Pictures a second, as a share of those that are wanted, below which a game jerks, and below which nobody sees what the reels do. */
const FAIR_RATE = 2 / 3;
const POOR_RATE = 1 / 3;
/** Standing still for so long altogether within the last seconds, ms (`FREEZE_WINDOW_MS`). */
const FAIR_FROZEN_MS = 250;
const POOR_FROZEN_MS = 1_000;
/** The agent is asked once a second; not answering for so long means that presses do not come through either, ms. */
export const CONTROL_SILENT_MS = 4_000;

/** Everything the word of the link is judged by. */
export type LinkFacts = {
  /** The game socket is there. */
  readonly online: boolean;
  /** Pictures come. */
  readonly live: boolean;
  readonly delayMs: number | undefined;
  readonly lossShare: number;
  /** Undefined: they have not come for long enough to count. */
  readonly framesPerSecond: number | undefined;
  readonly wantedPerSecond: number;
  /** For how long the picture stood still in the last seconds, ms. */
  readonly frozenMs: number;
  /** Since the agent answered last, beside the picture, ms; undefined: it was never asked on this connection. */
  readonly controlMs: number | undefined;
};

/**
 * The word for a link, by its worst part. Lost: no platform, no picture, or an agent that does not answer. Delay: good under 80 ms, fair under 180, poor
 * above; loss, the rate of pictures and freezes can only make it worse.
 */
export function qualityOf(facts: LinkFacts): Quality {
  const { online, live, delayMs, lossShare, framesPerSecond, wantedPerSecond, frozenMs, controlMs } = facts;
  if (!online || !live || (controlMs !== undefined && controlMs >= CONTROL_SILENT_MS)) return "lost";
  const rate = framesPerSecond === undefined ? 1 : framesPerSecond / wantedPerSecond;
  if (lossShare >= POOR_LOSS || rate < POOR_RATE || frozenMs >= POOR_FROZEN_MS) return "poor";
  if (delayMs === undefined) return "fair";
  if (delayMs >= FAIR_MS) return "poor";
  const isFair = delayMs >= GOOD_MS || lossShare >= FAIR_LOSS || rate < FAIR_RATE || frozenMs >= FAIR_FROZEN_MS;
  return isFair ? "fair" : "good";
}

export function barsOf(quality: Quality, delayMs: number | undefined): number {
  if (quality === "lost") return 0;
  if (quality === "poor") return 1;
  if (quality === "fair") return delayMs !== undefined && delayMs < (GOOD_MS + FAIR_MS) / 2 ? 3 : 2;
  return 4;
}

/** Loss between two readings of the browser's counters; 0 when nothing came. */
export function lossBetween(before: RtcStats | undefined, now: RtcStats): number {
  const lost = Math.max(0, now.packetsLost - (before?.packetsLost ?? 0));
  const received = Math.max(0, now.packetsReceived - (before?.packetsReceived ?? 0));
  return lost + received === 0 ? 0 : lost / (lost + received);
}

/** The delay put together from the way, the buffer and the decoder, ms. */
export function estimatedDelayMs(stats: RtcStats): number | undefined {
  if (stats.roundTripMs === undefined) return undefined;
  return stats.roundTripMs / 2 + stats.jitterBufferMs + stats.decodeMs;
}

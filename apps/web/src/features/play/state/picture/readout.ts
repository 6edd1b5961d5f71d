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

/** The word for a delay and a loss: good under 80 ms, fair under 180, poor above; loss can only make it worse. */
export function qualityOf(delayMs: number | undefined, lossShare: number): Exclude<Quality, "lost"> {
  if (delayMs === undefined) return lossShare >= POOR_LOSS ? "poor" : "fair";
  if (delayMs >= FAIR_MS || lossShare >= POOR_LOSS) return "poor";
  return delayMs >= GOOD_MS || lossShare >= FAIR_LOSS ? "fair" : "good";
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

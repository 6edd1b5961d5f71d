import { FREEZE_MS_MAX, FREEZES_MAX } from "@longarm/contract/game-socket";
import type { RtcStats } from "./rtc-port.ts";

export type Quality = "good" | "fair" | "poor" | "lost";

/** What the link readout shows. */
export type Readout = {
  readonly quality: Quality;
  /** Bars lit, 0 to 4. */
  readonly bars: number;
  /** Glass to glass, 2 s median, ms. */
  readonly delayMs: number | undefined;
  /** True: the browser does not report which frame it shows, so the delay is estimated from its parts. */
  readonly estimated: boolean;
  readonly framesPerSecond: number;
  /** Share of the packets that were lost, 0 to 1, over the last readings. */
  readonly lossShare: number;
  readonly roundTripMs: number | undefined;
};

export const GOOD_MS = 80;
export const FAIR_MS = 180;
/** More loss than this shows in the video. */
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

/** Frames a second, as a share of those wanted, below which a game jerks, and below which the reels cannot be followed. */
const FAIR_RATE = 2 / 3;
const POOR_RATE = 1 / 3;
/** Frozen for so long altogether within the last seconds, ms (`FREEZE_WINDOW_MS`). */
const FAIR_FROZEN_MS = 250;
const POOR_FROZEN_MS = 1_000;
/** The page requests the agent's clock once a second; without an answer for so long presses do not arrive either, ms. */
export const CONTROL_SILENT_MS = 4_000;

/** What the quality of the link is judged by. */
export type LinkMeasures = {
  /** The game socket is open. */
  readonly online: boolean;
  /** Video arrives. */
  readonly live: boolean;
  readonly delayMs: number | undefined;
  readonly lossShare: number;
  /** Undefined: video has not arrived for long enough to count. */
  readonly framesPerSecond: number | undefined;
  readonly wantedPerSecond: number;
  /** For how long the video was frozen in the last seconds, ms. */
  readonly frozenMs: number;
  /** Since the agent last answered a clock request, ms; undefined: this connection has sent none. */
  readonly controlMs: number | undefined;
};

/**
 * The quality of a link, by its worst part. Lost: no platform, no video, or an agent that does not answer. Delay: good under 80 ms, fair
 * under 180, poor above; loss, frame rate and freezes can only make it worse.
 */
export function qualityOf(measures: LinkMeasures): Quality {
  const { online, live, delayMs, lossShare, framesPerSecond, wantedPerSecond, frozenMs, controlMs } = measures;
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

/** Loss between two readings of the browser's counters; 0 when nothing arrived. */
export function lossBetween(before: RtcStats | undefined, now: RtcStats): number {
  const lost = Math.max(0, now.packetsLost - (before?.packetsLost ?? 0));
  const received = Math.max(0, now.packetsReceived - (before?.packetsReceived ?? 0));
  return lost + received === 0 ? 0 : lost / (lost + received);
}

/** The delay estimated from network, buffer and decoder, ms. */
export function estimatedDelayMs(stats: RtcStats): number | undefined {
  if (stats.roundTripMs === undefined) return undefined;
  return stats.roundTripMs / 2 + stats.jitterBufferMs + stats.decodeMs;
}

/**
 * The limits of a link over which the game can be played fairly. After a second without a frame the player cannot see what a press did; and
 * a frame that is a second old shows another game than the one pressed for, while a press that travels half of that is refused as stale.
 */
const PLAYABLE_GAP_MS_MAX = 1_000;
/** Glass to glass, median of two seconds, ms. */
const PLAYABLE_DELAY_MS_MAX = 1_000;

export type PlayableMeasures = {
  /** Since the last frame, ms. */
  readonly missingMs: number;
  /** Unknown before the first frames and where nothing measures it. */
  readonly delayMs: number | undefined;
  /** Since the agent last answered a clock request, ms; undefined: there was none, and presses go by the platform. */
  readonly controlMs: number | undefined;
  readonly online: boolean;
};

export function isPlayable({ missingMs, delayMs, controlMs, online }: PlayableMeasures): boolean {
  const reachesAgent = controlMs === undefined ? online : controlMs < CONTROL_SILENT_MS;
  return reachesAgent && missingMs < PLAYABLE_GAP_MS_MAX && (delayMs === undefined || delayMs < PLAYABLE_DELAY_MS_MAX);
}

/** A frame on the player's screen. */
export type FrameSeen = {
  /** When it was handed to the screen, ms of the page's clock. */
  readonly shownAt: number;
  /** From capture to `shownAt`, ms; unknown where the browser does not report which frame it is. */
  readonly delayMs: number | undefined;
};

/** The readout looks back this far, ms. */
export const WINDOW_MS = 2_000;
/** A delay outside this range comes from a clock that is not matched yet. */
const DELAY_MS_MAX = 10_000;

/** Freezes are remembered for so long, ms. */
export const FREEZE_WINDOW_MS = 5_000;
/** The video was frozen between two frames further apart than this, ms: a rate of five a second is poor by itself. */
const FREEZE_MS = 200;

type Freeze = { readonly endedAt: number; readonly ms: number };

/** The frames of the last two seconds: how many a second, and how old they were. */
export class FrameWindow {
  #seen: FrameSeen[] = [];
  #last: number | undefined;
  /** Since when frames arrive without a break as long as the window. */
  #since: number | undefined;
  #freezes: readonly Freeze[] = [];
  /** The newest that were not reported. */
  #unreported: readonly Freeze[] = [];

  add(frame: FrameSeen): void {
    const { shownAt } = frame;
    const gapMs = this.#last === undefined ? 0 : shownAt - this.#last;
    if (gapMs >= FREEZE_MS) {
      this.#freezes = [...this.#freezes, { endedAt: shownAt, ms: gapMs }];
      this.#unreported = [...this.#unreported, { endedAt: shownAt, ms: gapMs }].slice(-FREEZES_MAX);
    }
    if (this.#last === undefined || gapMs >= WINDOW_MS) this.#since = shownAt;
    this.#last = shownAt;
    this.#seen.push(frame);
    this.#forget(frame.shownAt);
  }

  /** Frames a second over the window that ends now. */
  perSecond(now: number): number {
    this.#forget(now);
    return (this.#seen.length * 1_000) / WINDOW_MS;
  }

  /** The same once the window is full; undefined before: video that has just begun is not slow video. */
  steadyPerSecond(now: number): number | undefined {
    return this.#since === undefined || now - this.#since < WINDOW_MS ? undefined : this.perSecond(now);
  }

  /** For how long the video was frozen in the last `FREEZE_WINDOW_MS`, also now, ms. */
  frozenMs(now: number): number {
    this.#freezes = this.#freezes.filter(({ endedAt }) => endedAt > now - FREEZE_WINDOW_MS);
    const open = this.#last === undefined ? 0 : now - this.#last;
    return this.#freezes.reduce((sum, { ms }) => sum + ms, open >= FREEZE_MS ? open : 0);
  }

  /** Freezes that ended since the last time, with how long ago that was. */
  takeFreezes(now: number): { agoMs: number; ms: number }[] {
    const taken = this.#unreported;
    this.#unreported = [];
    const bounded = (ms: number): number => Math.min(FREEZE_MS_MAX, Math.max(0, Math.round(ms)));
    return taken.map(({ endedAt, ms }) => ({ agoMs: bounded(now - endedAt), ms: bounded(ms) }));
  }

  /** The page was hidden: the frames that were not drawn meanwhile are no freeze. */
  hidden(): void {
    this.#last = undefined;
    this.#since = undefined;
  }

  /** The median delay of the window, ms; undefined when no frame has one. */
  delayMs(now: number): number | undefined {
    this.#forget(now);
    const delays = this.#seen
      .map(({ delayMs }) => delayMs)
      .filter((delay): delay is number => delay !== undefined && delay >= -5 && delay <= DELAY_MS_MAX)
      .sort((a, b) => a - b);
    const middle = delays[Math.floor(delays.length / 2)];
    return middle === undefined ? undefined : Math.max(0, middle);
  }

  clear(): void {
    this.#seen = [];
  }

  #forget(now: number): void {
    const kept = this.#seen.findIndex(({ shownAt }) => shownAt > now - WINDOW_MS);
    if (kept > 0) this.#seen.splice(0, kept);
    else if (kept < 0) this.#seen = [];
  }
}

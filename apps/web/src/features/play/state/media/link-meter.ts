import type { DelayReport } from "@longarm/contract/game-socket";
import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";
import type { PressOutcome } from "../panel.ts";
import type { AgentClock } from "./agent-clock.ts";
import type { Readout } from "./readout.ts";
import { barsOf, estimatedDelayMs, FrameWindow, LOST_READOUT, lossBetween, qualityOf } from "./readout.ts";
import type { RecoveryStep } from "./recovery.ts";
import type { MediaPath, RtcStats } from "./rtc-port.ts";
import { NO_PATH } from "./rtc-port.ts";

/** The link readout with the times of the last press. */
export type LinkNow = { readonly readout: Readout; readonly press: PressTimes | undefined };

/** Everything that is known of the link now. */
export type LinkReport = LinkNow & {
  readonly path: MediaPath;
  /** What the delay has of the machine's camera, ms; 0: there is none, undefined: it was not measured and is not in the delay. */
  readonly sourceDelayMs: number | undefined;
  /** Second by second, the last minute. */
  readonly samples: readonly LinkSample[];
  readonly events: readonly LinkEvent[];
};

/** One frame on the screen. `shownAt`: ms of the page's clock; `rtp`: its RTP timestamp, where the browser reports it. */
export type FrameShown = { readonly shownAt: number; readonly rtp: number | undefined };

/** Builds the readout from the frames shown, the matched clock and the browser's counters. */
export class LinkMeter {
  readonly link: Live<LinkNow>;
  /** See `LinkReport`; as the platform says with the machine. */
  sourceDelayMs: number | undefined;
  readonly #setLink: (link: LinkNow) => void;
  readonly #clock: AgentClock;
  readonly #now: () => number;
  readonly #wantedPerSecond: number;
  readonly #frames = new FrameWindow();
  readonly #press = new PressTimer();
  readonly #history = new LinkHistory();
  #stats: RtcStats | undefined;
  #live = false;
  #online = false;

  constructor(clock: AgentClock, now: () => number, wantedPerSecond: number) {
    this.#clock = clock;
    this.#now = now;
    this.#wantedPerSecond = wantedPerSecond;
    const link = createStore<LinkNow>(() => ({ readout: LOST_READOUT, press: undefined }));
    this.link = link;
    this.#setLink = (next) => link.setState(next, true);
  }

  frame({ shownAt, rtp }: FrameShown): void {
    const capturedAt = rtp === undefined ? undefined : this.#clock.capturedAt(rtp);
    const delayMs = capturedAt === undefined ? undefined : shownAt - this.#clock.toPage(capturedAt);
    this.#frames.add({ shownAt, delayMs });
    if (capturedAt !== undefined) this.#press.frameShown(capturedAt, shownAt);
  }

  press(press: PressOutcome): void {
    this.#press.settled(press, (at) => this.#clock.toPage(at));
  }

  live(live: boolean): void {
    this.#live = live;
    this.#history.event(this.#now(), live ? "back" : "missing");
    if (!live) {
      this.#frames.clear();
      this.#setLink({ readout: LOST_READOUT, press: this.#press.times });
    }
  }

  /** The game socket opened or was lost: without it the link counts as lost, whether or not video arrives. */
  online(online: boolean): void {
    this.#online = online;
    const { readout, press } = this.link.getState();
    if (!online && readout.quality !== "lost")
      this.#setLink({ readout: { ...readout, quality: "lost", bars: 0 }, press });
  }

  /** The page is not on the screen. */
  hidden(): void {
    this.#frames.hidden();
  }

  /** What froze since the last time, for the platform. */
  takeFreezes(): NonNullable<DelayReport["freezes"]> {
    return this.#frames.takeFreezes(this.#now());
  }

  /** Since the agent last answered a clock request, ms; undefined: this connection has had no answer. */
  get controlMs(): number | undefined {
    return this.#clock.answeredAt === undefined ? undefined : this.#now() - this.#clock.answeredAt;
  }

  /** Takes the newest counters; the readout changes with them. */
  stats(stats: RtcStats): void {
    const lossShare = lossBetween(this.#stats, stats);
    this.#stats = stats;
    const readout = this.#live ? this.#readout(stats, lossShare) : LOST_READOUT;
    const { delayMs, framesPerSecond } = readout;
    this.#history.add(this.#now(), stats, { delayMs, framesPerSecond, lossShare });
    if (this.#live) this.#setLink({ readout, press: this.#press.times });
  }

  recovery(step: RecoveryStep | undefined): void {
    if (step !== undefined) this.#history.event(this.#now(), step);
  }

  get report(): LinkReport {
    const { samples, events } = this.#history;
    const { sourceDelayMs } = this;
    return { ...this.link.getState(), path: this.#stats?.path ?? NO_PATH, sourceDelayMs, samples, events };
  }

  #readout(stats: RtcStats, lossShare: number): Readout {
    const now = this.#now();
    const measured = this.#frames.delayMs(now);
    const { sourceDelayMs = 0 } = this;
    const estimated = estimatedDelayMs(stats);
    const delayMs = measured ?? (estimated === undefined ? undefined : estimated + sourceDelayMs);
    const quality = qualityOf({
      online: this.#online,
      live: this.#live,
      // A slow camera is no fault of the link.
      delayMs: delayMs === undefined ? undefined : Math.max(0, delayMs - sourceDelayMs),
      lossShare,
      framesPerSecond: this.#frames.steadyPerSecond(now),
      wantedPerSecond: this.#wantedPerSecond,
      frozenMs: this.#frames.frozenMs(now),
      controlMs: this.controlMs,
    });
    return {
      quality,
      bars: barsOf(quality, delayMs),
      delayMs: delayMs === undefined ? undefined : Math.round(delayMs),
      estimated: measured === undefined,
      framesPerSecond: Math.round(this.#frames.perSecond(now)),
      lossShare,
      roundTripMs: this.#clock.roundTripMs ?? stats.roundTripMs,
    };
  }
}

/** How long the last press took, ms. `toFrameMs`: to the first frame captured after the machine received it. */
export type PressTimes = { readonly toMachineMs: number; readonly toFrameMs: number | undefined };

/** The frame that shows a press arrives within this time or never, ms. */
const FRAME_WAIT_MS = 2_000;

/** Follows the last press from the finger to the machine and to its effect on the screen. */
class PressTimer {
  #waiting: { readonly pressedAt: number; readonly receivedAt: number } | undefined;
  #times: PressTimes | undefined;

  get times(): PressTimes | undefined {
    return this.#times;
  }

  /** `toPage` turns a moment of the agent's clock into one of the page's. */
  settled({ outcome, at, pressedAt }: PressOutcome, toPage: (agentMs: number) => number): void {
    if (at === undefined || (outcome !== "started" && outcome !== "done")) return;
    this.#waiting = { pressedAt, receivedAt: at };
    this.#times = { toMachineMs: Math.max(0, toPage(at) - pressedAt), toFrameMs: undefined };
  }

  /** A frame captured at `capturedAt` of the agent's clock is on the screen since `shownAt` of the page's. */
  frameShown(capturedAt: number, shownAt: number): void {
    const waiting = this.#waiting;
    if (waiting === undefined || this.#times === undefined || capturedAt < waiting.receivedAt) return;
    this.#waiting = undefined;
    const toFrameMs = shownAt - waiting.pressedAt;
    if (toFrameMs >= 0 && toFrameMs <= FRAME_WAIT_MS) this.#times = { ...this.#times, toFrameMs };
  }
}

/** One second of the link. */
export type LinkSample = {
  /** Ms of the page's clock. */
  readonly at: number;
  /** Glass to glass, ms. */
  readonly delayMs: number | undefined;
  readonly framesPerSecond: number;
  /** 0 to 1. */
  readonly lossShare: number;
  /** Of the video, as received. */
  readonly bitsPerSecond: number;
  /** By how much the packets' way varies, ms. */
  readonly jitterMs: number;
  /** Frames that were decoded and not shown, 0 to 1. */
  readonly droppedShare: number;
};

/** A recovery step, or that video went missing or came back. */
export type LinkEvent = { readonly at: number; readonly what: RecoveryStep | "missing" | "back" };

/** The plots look back this far, ms. */
export const HISTORY_MS = 60_000;
const SAMPLE_MS = 1_000;
/** The two counters of one reading are not read at the same moment: a little less than a second counts as one. */
const SLACK_MS = 50;
const EVENTS_KEPT = 50;

/** The last minute of the link, second by second, with the recovery steps. */
export class LinkHistory {
  #samples: LinkSample[] = [];
  #events: LinkEvent[] = [];
  #before: { readonly at: number; readonly stats: RtcStats } | undefined;

  /** Takes the newest counters; keeps one sample a second. */
  add(at: number, stats: RtcStats, now: Pick<LinkSample, "delayMs" | "framesPerSecond" | "lossShare">): void {
    const before = this.#before;
    if (before !== undefined && at - before.at < SAMPLE_MS - SLACK_MS) return;
    this.#before = { at, stats };
    if (before === undefined) return;
    const bytes = grown(before.stats.videoBytes, stats.videoBytes);
    const dropped = grown(before.stats.framesDropped, stats.framesDropped);
    const decoded = grown(before.stats.framesDecoded, stats.framesDecoded);
    this.#samples.push({
      ...{ at, ...now },
      bitsPerSecond: Math.round((bytes * 8_000) / (at - before.at)),
      jitterMs: stats.jitterMs,
      droppedShare: Math.min(1, dropped / Math.max(1, decoded)),
    });
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

/** A counter that is lower than before is that of a new connection. */
const grown = (before: number, now: number): number => (now < before ? now : now - before);

/** So many seconds are looked at, and needed, for a suggestion. */
const SUGGEST_SECONDS = 20;
/** More than this is seen: half a frame of the screen, and one frame in fifty. */
const UNEVEN_MS = 8;
const UNEVEN_DROPPED = 0.02;
/** Less than this is not seen; between both the player's choice stays. */
const EVEN_MS = 4;
const EVEN_DROPPED = 0.005;

/** How the frames of the last seconds should be shown; undefined: too few were measured, or either is as good. */
export function suggestedShowing(samples: readonly LinkSample[]): "smooth" | "instant" | undefined {
  const latest = samples.slice(-SUGGEST_SECONDS);
  if (latest.length < SUGGEST_SECONDS) return undefined;
  const jitterMs = latest.map((sample) => sample.jitterMs).sort((a, b) => a - b)[SUGGEST_SECONDS / 2] ?? 0;
  const dropped = latest.reduce((sum, { droppedShare }) => sum + droppedShare, 0) / SUGGEST_SECONDS;
  if (jitterMs > UNEVEN_MS || dropped > UNEVEN_DROPPED) return "smooth";
  return jitterMs < EVEN_MS && dropped < EVEN_DROPPED ? "instant" : undefined;
}

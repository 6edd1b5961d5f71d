import { createStore } from "zustand/vanilla";
import type { Live } from "../../../../shared/live/live.ts";
import { LinkHistory } from "../connection/link-history.ts";
import type { LinkReport } from "../connection/link-report.ts";
import type { FrameShown, LinkNow } from "../play-state.ts";
import { FIRST_LINK } from "../play-state.ts";
import type { ClockMatch } from "../press/clock-match.ts";
import type { PressTold } from "../press/panel.ts";
import { PressTimer } from "../press/press-times.ts";
import type { Step } from "../recovery/ladder.ts";
import { Frames } from "./frames.ts";
import type { Readout } from "./readout.ts";
import { barsOf, estimatedDelayMs, LOST_READOUT, lossBetween, qualityOf } from "./readout.ts";
import type { RtcStats } from "./rtc-port.ts";
import { NO_PATH } from "./rtc-port.ts";

/** Puts the readout together from the pictures shown, the matched clock and the browser's counters. */
export class PictureMeter {
  readonly link: Live<LinkNow>;
  readonly #set: (link: LinkNow) => void;
  readonly #match: ClockMatch;
  readonly #now: () => number;
  readonly #frames = new Frames();
  readonly #press = new PressTimer();
  readonly #history = new LinkHistory();
  #stats: RtcStats | undefined;
  #live = false;
  #online = false;
  /** Pictures a second that are asked for. */
  readonly #wanted: number;

  constructor(match: ClockMatch, now: () => number, wantedPerSecond: number) {
    this.#match = match;
    this.#wanted = wantedPerSecond;
    this.#now = now;
    const link = createStore<LinkNow>(() => FIRST_LINK);
    this.link = link;
    this.#set = (next) => link.setState(next, true);
  }

  frame({ shownAt, rtp }: FrameShown): void {
    const capturedAt = rtp === undefined ? undefined : this.#match.capturedAt(rtp);
    const delayMs = capturedAt === undefined ? undefined : shownAt - this.#match.toPage(capturedAt);
    this.#frames.add({ shownAt, delayMs });
    if (capturedAt !== undefined) this.#press.seen(capturedAt, shownAt);
  }

  press(told: PressTold): void {
    this.#press.told(told, (at) => this.#match.toPage(at));
  }

  live(live: boolean): void {
    this.#live = live;
    this.#history.event(this.#now(), live ? "back" : "missing");
    if (!live) {
      this.#frames.clear();
      this.#set({ readout: LOST_READOUT, press: this.#press.times });
    }
  }

  /** The game socket came or went: without it the link is lost, whatever the picture does. */
  online(online: boolean): void {
    this.#online = online;
    const { readout, press } = this.link.getState();
    if (!online && readout.quality !== "lost") this.#set({ readout: { ...readout, quality: "lost", bars: 0 }, press });
  }

  /** The page is not on the screen. */
  unseen(): void {
    this.#frames.unseen();
  }

  /** Since the agent answered last beside the picture, ms; undefined: it was never asked on this connection. */
  get controlMs(): number | undefined {
    return this.#match.answeredAt === undefined ? undefined : this.#now() - this.#match.answeredAt;
  }

  /** The counters as just read; what the readout shows changes with them. */
  stats(stats: RtcStats): void {
    const lossShare = lossBetween(this.#stats, stats);
    this.#stats = stats;
    const readout = this.#live ? this.#readout(stats, lossShare) : LOST_READOUT;
    const { delayMs, framesPerSecond } = readout;
    this.#history.add(this.#now(), stats, { delayMs, framesPerSecond, lossShare });
    if (this.#live) this.#set({ readout, press: this.#press.times });
  }

  recovery(step: Step | undefined): void {
    if (step !== undefined) this.#history.event(this.#now(), step);
  }

  get report(): LinkReport {
    const { samples, events } = this.#history;
    return { ...this.link.getState(), path: this.#stats?.path ?? NO_PATH, samples, events };
  }

  #readout(stats: RtcStats, lossShare: number): Readout {
    const now = this.#now();
    const measured = this.#frames.delayMs(now);
    const delayMs = measured ?? estimatedDelayMs(stats);
    const quality = qualityOf({
      online: this.#online,
      live: this.#live,
      delayMs,
      lossShare,
      framesPerSecond: this.#frames.steadyPerSecond(now),
      wantedPerSecond: this.#wanted,
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
      roundTripMs: this.#match.roundTripMs ?? stats.roundTripMs,
    };
  }
}

import { createStore } from "zustand/vanilla";
import type { Live } from "../../../../shared/live/live.ts";
import type { FrameShown, LinkNow } from "../play-state.ts";
import { FIRST_LINK } from "../play-state.ts";
import type { ClockMatch } from "../press/clock-match.ts";
import type { PressTold } from "../press/panel.ts";
import { PressTimer } from "../press/press-times.ts";
import { Frames } from "./frames.ts";
import type { Readout } from "./readout.ts";
import { barsOf, estimatedDelayMs, LOST_READOUT, lossBetween, qualityOf } from "./readout.ts";
import type { RtcStats } from "./rtc-port.ts";

/** Puts the readout together from the pictures shown, the matched clock and the browser's counters. */
export class PictureMeter {
  readonly link: Live<LinkNow>;
  readonly #set: (link: LinkNow) => void;
  readonly #match: ClockMatch;
  readonly #now: () => number;
  readonly #frames = new Frames();
  readonly #press = new PressTimer();
  #stats: RtcStats | undefined;
  #live = false;

  constructor(match: ClockMatch, now: () => number) {
    this.#match = match;
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
    if (!live) {
      this.#frames.clear();
      this.#set({ readout: LOST_READOUT, press: this.#press.times });
    }
  }

  /** The counters as just read; what the readout shows changes with them. */
  stats(stats: RtcStats): void {
    const lossShare = lossBetween(this.#stats, stats);
    this.#stats = stats;
    if (this.#live) this.#set({ readout: this.#readout(stats, lossShare), press: this.#press.times });
  }

  #readout(stats: RtcStats, lossShare: number): Readout {
    const now = this.#now();
    const measured = this.#frames.delayMs(now);
    const delayMs = measured ?? estimatedDelayMs(stats);
    const quality = qualityOf(delayMs, lossShare);
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

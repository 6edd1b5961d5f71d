import type { RateLimits } from "../rate/rate-control.ts";
import { hasRefused, startRate, stepRate } from "../rate/rate-control.ts";
import { NO_TWINS, stepTwins, TWINS_COST } from "../rate/twins.ts";
import type { createLinkObserver } from "./link-observer.ts";

/** What one link may carry, and whether each packet goes twice over it. `mayTwin`: see `createViewerSender`. */
export function createAllowance(limits: RateLimits, mayTwin: boolean, nowMs: number) {
  let rate = startRate(limits, nowMs);
  let twins = NO_TWINS;
  return {
    /** All that the link may carry, bit/s. */
    get whole() {
      return rate.bitrate;
    },
    /** What pictures may take of it, bit/s. */
    get pictures() {
      return twins.on ? Math.round(rate.bitrate / TWINS_COST) : rate.bitrate;
    },
    get twins() {
      return twins.on;
    },
    get refused() {
      return hasRefused(rate);
    },
    /** One turn of rate control. */
    step(
      now: number,
      link: ReturnType<typeof createLinkObserver>,
      sent: { readonly bps: number; readonly counts: { readonly sent: number; readonly asked: number } },
    ): void {
      rate = stepRate(rate, link.observe(now, sent.bps, twins.on ? TWINS_COST : 1), limits);
      if (!mayTwin) return;
      const { bitrate, backedOffAtMs } = rate;
      twins = stepTwins(twins, { nowMs: now, counts: sent.counts, bitrate, bitrateMin: limits.min, backedOffAtMs });
    },
  };
}

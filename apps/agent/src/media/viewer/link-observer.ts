import type { RateObservation } from "../rate/rate-control.ts";
import type { ReceiverReport } from "../rtcp/read.ts";
import { compactNtp } from "../rtp/timestamps.ts";

/** An estimate older than this says nothing about now. */
const ESTIMATE_LIFE_MS = 3_000;
/** A round trip beyond this is a wrong echo, not a link. */
const ROUND_TRIP_MS_MAX = 10_000;

/** Loss is judged over at least this time and this many packets: each NACK brings a report over a handful. */
const LOSS_WINDOW_MS = 1_000;
const LOSS_WINDOW_PACKETS = 50;

/** Collects what a receiver reports, for rate control and statistics. */
export function createLinkObserver(nowMs: number) {
  let rembBps: number | null = null;
  let rembAtMs = 0;
  let lossFraction = 0;
  let unreadLoss = 0;
  let roundTripMs: number | null = null;
  let roundTripAtMs = nowMs;
  let heardAtMs = nowMs;
  let window: { atMs: number; report: ReceiverReport } | null = null;

  const judgeLoss = (report: ReceiverReport, now: number) => {
    window ??= { atMs: now, report };
    const packets = (report.highestSequence - window.report.highestSequence) >>> 0;
    if (now - window.atMs < LOSS_WINDOW_MS || packets < LOSS_WINDOW_PACKETS) return;
    lossFraction = Math.min(1, Math.max(0, (report.lostTotal - window.report.lostTotal) / packets));
    unreadLoss = Math.max(unreadLoss, lossFraction);
    window = { atMs: now, report };
  };

  return {
    report(report: ReceiverReport, now: number): void {
      heardAtMs = now;
      judgeLoss(report, now);
      if (report.lastSenderReport === 0) return;
      const echo = (compactNtp(now) - report.lastSenderReport - report.delaySinceLast) >>> 0;
      const echoMs = (echo * 1000) / 65_536;
      if (echoMs > ROUND_TRIP_MS_MAX) return;
      roundTripMs = echoMs;
      roundTripAtMs = now;
    },
    remb(bitsPerSecond: number, now: number): void {
      heardAtMs = now;
      rembBps = bitsPerSecond;
      rembAtMs = now;
    },
    get roundTripMs() {
      return roundTripMs;
    },
    get lossFraction() {
      return lossFraction;
    },
    get rembBps() {
      return rembBps;
    },
    /** For one step of rate control; a reported loss is judged once. `copies`: how often the link carries each byte that is sent. */
    observe(now: number, sentBps: number, copies: number): RateObservation {
      const fresh = rembBps !== null && now - rembAtMs <= ESTIMATE_LIFE_MS;
      const seen = unreadLoss;
      unreadLoss = 0;
      return {
        nowMs: now,
        sentBps: sentBps * copies,
        // The browser counts each packet once.
        rembBps: fresh && rembBps !== null ? rembBps * copies : null,
        lossFraction: seen,
        roundTripMs,
        roundTripAtMs,
        heardAtMs,
      };
    },
  };
}

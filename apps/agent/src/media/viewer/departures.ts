import type { Arrivals } from "../rtp/arrivals.ts";

/** What the arrivals of packets say of a link. */
export interface LinkFlow {
  /** By how much longer than at best every packet of late was under way, ms: the queue in the link. */
  readonly queueMs: number;
  /** When the newest packet that arrived was sent, ms: later changes of the rate are not seen yet. */
  readonly sentAtMs: number;
  /** What came through while there was a queue, bit/s: our share of a full link. */
  readonly deliveredBps: number;
  /** Packets that arrived, and that did not, since the start. */
  readonly arrived: number;
  readonly lost: number;
}

/** Departures that are remembered; the browser reports several times a second. A power of two that divides 2^16. */
const KEPT = 1_024;
/** A standing queue holds up every packet of this time: the first of a frame meets none that its own frame made. */
const QUEUE_WINDOW_MS = 120;
/** What came through is measured over so much of the time with a queue. */
const SHARE_MS_MIN = 80;
const SHARE_MS_MAX = 500;
/** A packet that was held up by less found the link idle, ms. */
const IDLE_MS = 5;
/** The time at best is that of the last one or two windows: routes change and clocks drift. */
const BEST_WINDOW_MS = 60_000;
/** A step of the receiver's clock by more is another clock, ms. */
const CLOCK_STEP_MS = 10_000;
/** Reports older than this say nothing of now, ms. */
const REPORT_LIFE_MS = 1_000;

interface Departure {
  sequence: number;
  sentAtMs: number;
  bytes: number;
  /** Its number in the stream of the video; null: it belongs to another one. */
  media: number | null;
  /** Reported as missing; it may still arrive. */
  missing: boolean;
  arrived: boolean;
}

interface Travel {
  readonly arrivedAtMs: number;
  /** From our clock to the receiver's: only differences mean something. */
  readonly underWayMs: number;
  readonly bytes: number;
}

/** Numbers the packets of one connection as they leave, and judges its link by the receiver's reports of them. */
export function createDepartures(nowMs: number) {
  const departures: (Departure | undefined)[] = new Array(KEPT);
  let next = 0;
  let travels: Travel[] = [];
  let newestSentAtMs = 0;
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  const counts = { arrived: 0, lost: 0 };
  let best = { windowAtMs: nowMs, ms: Number.POSITIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY };

  const arrive = (departure: Departure, arrivedAtMs: number) => {
    departure.arrived = true;
    counts.arrived += 1;
    if (departure.missing) counts.lost -= 1;
    const underWayMs = arrivedAtMs - departure.sentAtMs;
    const before = travels.at(-1);
    if (before && Math.abs(underWayMs - before.underWayMs) > CLOCK_STEP_MS) {
      travels = [];
      best = { ...best, ms: Number.POSITIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY };
    }
    best.ms = Math.min(best.ms, underWayMs);
    newestSentAtMs = Math.max(newestSentAtMs, departure.sentAtMs);
    travels.push({ arrivedAtMs, underWayMs, bytes: departure.bytes });
  };

  return {
    /** The number of a packet that leaves now. `media`: its number in the stream of the video, if it is one of it. */
    leave(bytes: number, now: number, media: number | null = null): number {
      const sequence = next;
      next = (next + 1) & 0xffff;
      departures[sequence % KEPT] = { sequence, sentAtMs: now, bytes, media, missing: false, arrived: false };
      return sequence;
    },
    /** Returns the video's packets that are missing and were not reported as such before. */
    report({ first, arrivedAtMs }: Arrivals, now: number): number[] {
      const missing: number[] = [];
      reportedAtMs = now;
      if (now - best.windowAtMs >= BEST_WINDOW_MS) {
        best = { windowAtMs: now, ms: Number.POSITIVE_INFINITY, beforeMs: best.ms };
      }
      for (const [at, arrived] of arrivedAtMs.entries()) {
        const sequence = (first + at) & 0xffff;
        const departure = departures[sequence % KEPT];
        if (departure?.sequence !== sequence || departure.arrived) continue;
        if (arrived !== null) arrive(departure, arrived);
        else if (!departure.missing) {
          departure.missing = true;
          counts.lost += 1;
          if (departure.media !== null) missing.push(departure.media);
        }
      }
      const newest = travels.at(-1)?.arrivedAtMs ?? 0;
      // The times are the receiver's word: with any of them no more is kept than left.
      travels = travels.filter(({ arrivedAtMs: at }) => at > newest - SHARE_MS_MAX).slice(-KEPT);
      return missing;
    },
    /** Null while the receiver reports nothing. */
    look(now: number): LinkFlow | null {
      const newest = travels.at(-1);
      if (newest === undefined || now - reportedAtMs > REPORT_LIFE_MS) return null;
      const bestMs = Math.min(best.ms, best.beforeMs);
      // Nothing has arrived for two windows: what arrived before says nothing of now.
      if (bestMs === Number.POSITIVE_INFINITY) return null;
      const lately = travels.filter(({ arrivedAtMs }) => arrivedAtMs > newest.arrivedAtMs - QUEUE_WINDOW_MS);
      const queueMs = Math.min(...lately.map(({ underWayMs }) => underWayMs)) - bestMs;
      return { queueMs, sentAtMs: newestSentAtMs, deliveredBps: shareOf(travels, bestMs), ...counts };
    },
  };
}

/** Bit/s of the newest packets, back to the last one that found the link idle. */
function shareOf(travels: readonly Travel[], bestMs: number): number {
  const newest = travels.at(-1)?.arrivedAtMs ?? 0;
  let first = travels.findLastIndex(
    ({ underWayMs, arrivedAtMs }) => underWayMs - bestMs < IDLE_MS && arrivedAtMs < newest - SHARE_MS_MIN,
  );
  if (first < 0) first = 0;
  const bytes = travels.slice(first + 1).reduce((sum, travel) => sum + travel.bytes, 0);
  const spanMs = newest - (travels[first]?.arrivedAtMs ?? newest);
  return spanMs > 0 ? (bytes * 8_000) / spanMs : 0;
}

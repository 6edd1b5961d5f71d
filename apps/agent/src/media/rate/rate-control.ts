/** Bounds of one connection's bitrate, bit/s. */
export interface RateLimits {
  readonly start: number;
  readonly min: number;
  readonly max: number;
}

/** What is known of a link at one step. */
export interface RateObservation {
  readonly nowMs: number;
  /** Really sent during the last second, bit/s: far below the bitrate while the reels rest. */
  readonly sentBps: number;
  /** The receiver's last estimate (REMB), bit/s; null before the first or when it is old. */
  readonly rembBps: number | null;
  /** Loss of the last report, 0 to 1. */
  readonly lossFraction: number;
  /** Round trip of the last report; null before the first. */
  readonly roundTripMs: number | null;
  /** When it was reported: some browsers report once a second, and an old queue is not judged twice. */
  readonly roundTripAtMs: number;
  /** When the receiver was last heard. */
  readonly heardAtMs: number;
}

export interface RateState {
  readonly bitrate: number;
  readonly steppedAtMs: number;
  readonly backedOffAtMs: number;
  /** What was really sent when the link refused last, bit/s; null: nothing speaks of a limit, or it was passed since. */
  readonly refusedBps: number | null;
  /** Lowest round trip of this window and of the one before: a changed route is forgiven within a minute. */
  readonly roundTripMinMs: number;
  readonly roundTripBeforeMs: number;
  readonly windowAtMs: number;
  /** The receiver's estimate at the last step, and when it last fell. */
  readonly rembBps: number | null;
  readonly rembFellAtMs: number;
  readonly rembGrewAtMs: number;
  /** The most that was really sent without a refusal, bit/s. */
  readonly provenBps: number;
  /** The most that was really sent lately, slowly forgotten, bit/s: reels turn and rest, and only turning says something. */
  readonly peakBps: number;
}

/** Time between two steps, ms. */
export const RATE_STEP_MS = 300;
const RISE = 1.025;
/** Until the link has once refused, it is climbed faster: about 4 s from 1.3 to 3 Mbit/s. */
const FIRST_RISE = 1.06;
/**
 * A rise ends at this many times what was really sent and what the receiver estimates, or at this share of the start. A
 * browser estimates after 5 s; until then only a full queue would tell that the link is narrow.
 */
const PROVEN_MOST = 1.6;
const ESTIMATE_MOST = 1.5;
const UNPROVEN_MOST = 1.3;
/** Near what the link refused last it is climbed slowly, so that its queue is met seldom: 6 s for the last tenth. */
const NEAR_RISE = 1.005;
const NEAR_SHARE = 0.9;
/** A rate of this many times what was refused was carried since: the limit is forgotten. */
const PASSED_SHARE = 1.1;
const FALL = 0.85;
/** No step falls further than this, so one odd report cannot take the picture away. */
const FALL_MOST = 0.7;
/** After a fall the queue in the link needs time to drain before the next is judged. */
const FALL_GAP_MS = 600;
/** Falls within this time have one reason. */
const SAME_REFUSAL_MS = 3_000;
const REMB_MARGIN = 1.05;
const REMB_SHARE = 0.9;
/** A fall of the estimate by this much counts, for this long. */
const REMB_FALL = 0.98;
const REMB_FALL_LIFE_MS = 1_000;
/** On a free path a browser's estimate grows by some 8 % a second; one that grew by less than this stands still. */
const REMB_GROWTH = 1.02;
const REMB_GROWTH_LIFE_MS = 2_500;
/** Above an estimate that stands still nothing rises beyond this share of it; a little must, or it never grows again. */
const REMB_ABOVE = 1.3;
/** Of the peak of what was sent, this much is kept from step to step: half of it is forgotten in 7 s, two games. */
const PEAK_KEPT = 0.97;
const LOSS_MAX = 0.1;
const ROUND_TRIP_GROWTH_MS = 80;
/** A queue of this much more means that it is about to overflow: the deepest step is taken. */
const ROUND_TRIP_GROWTH_GRAVE_MS = 150;
/** Already with this much more nothing rises: a browser tells its round trip once a second, and the queue grows meanwhile. */
const ROUND_TRIP_RISE_MS = 25;
const ROUND_TRIP_WINDOW_MS = 30_000;
/** A receiver not heard for this long proves nothing: no rise. */
const SILENCE_MS = 2_000;
/** Sending less than this share of the bitrate proves nothing either. */
const RESTING_SHARE = 0.35;

export function startRate(limits: RateLimits, nowMs: number): RateState {
  return {
    bitrate: limits.start,
    steppedAtMs: nowMs,
    backedOffAtMs: Number.NEGATIVE_INFINITY,
    refusedBps: null,
    roundTripMinMs: Number.POSITIVE_INFINITY,
    roundTripBeforeMs: Number.POSITIVE_INFINITY,
    windowAtMs: nowMs,
    rembBps: null,
    rembFellAtMs: Number.NEGATIVE_INFINITY,
    rembGrewAtMs: Number.NEGATIVE_INFINITY,
    provenBps: 0,
    peakBps: 0,
  };
}

/**
 * One step of rate control, pure. It falls only for one of three reasons: the receiver's estimate falls below what was
 * really sent, more than 10 % is lost, or the round trip stands 80 ms above its minimum.
 *
 * A REMB is bounded by 1.5 times what was received and grows slowly. So comparing it with the bitrate would spiral down
 * while the reels rest, and an estimate that is merely low, not falling, would cut the first spin after a rest. But one that
 * stands still below what is sent is the earliest sign of a narrow link, seconds before its queue is full: then nothing rises.
 */
export function stepRate(state: RateState, seen: RateObservation, limits: RateLimits): RateState {
  if (seen.nowMs - state.steppedAtMs < RATE_STEP_MS) return state;
  const peakBps = Math.max(seen.sentBps, state.peakBps * PEAK_KEPT);
  const next = { ...trackEstimate(trackRoundTrip(state, seen), seen), steppedAtMs: seen.nowMs, peakBps };
  const congested = congestion(next, seen);
  if (congested !== null) {
    if (seen.nowMs - state.backedOffAtMs < FALL_GAP_MS) return next;
    const bitrate = within(Math.max(congested.bitrate, state.bitrate * FALL_MOST), limits);
    const refusedBps = congested.refused ? refusedOf(state, seen) : state.refusedBps;
    // What was sent until now is why it refused, and proves nothing.
    const fallen = { backedOffAtMs: seen.nowMs, refusedBps, provenBps: 0, peakBps: 0 };
    return { ...next, ...fallen, bitrate: Math.min(bitrate, state.bitrate) };
  }
  const provenBps = Math.max(state.provenBps, seen.sentBps);
  if (!mayRise(next, seen)) return { ...next, provenBps };
  const proven = Math.min(provenBps * PROVEN_MOST, (next.rembBps ?? 0) * ESTIMATE_MOST);
  const ceiling = Math.max(limits.start * UNPROVEN_MOST, proven);
  const risen = Math.min(state.bitrate * riseOf(next), ceiling);
  return { ...next, provenBps, bitrate: within(Math.max(state.bitrate, risen), limits) };
}

/** What a congested link asks for, or null when nothing speaks of congestion. */
function congestion(state: RateState, seen: RateObservation): { bitrate: number; refused: boolean } | null {
  // A report from before the last fall tells of the queue that the fall was for.
  const isNews = seen.roundTripAtMs >= state.backedOffAtMs + FALL_GAP_MS;
  const queueMs = isNews ? queueOf(state, seen) : 0;
  if (queueMs > ROUND_TRIP_GROWTH_GRAVE_MS) return { bitrate: state.bitrate * FALL_MOST, refused: true };
  if (seen.lossFraction > LOSS_MAX || queueMs > ROUND_TRIP_GROWTH_MS) {
    return { bitrate: state.bitrate * FALL, refused: true };
  }
  // The estimate alone is an early sign, and often a false one: each fall of it counts once, and never for a deep step.
  const falling = seen.nowMs - state.rembFellAtMs <= REMB_FALL_LIFE_MS && state.rembFellAtMs > state.backedOffAtMs;
  if (!falling || seen.rembBps === null || seen.rembBps >= seen.sentBps * REMB_MARGIN) return null;
  return { bitrate: Math.max(seen.rembBps * REMB_SHARE, state.bitrate * FALL), refused: false };
}

/** What the round trip has grown by, ms: the queue in the link. */
const queueOf = (state: RateState, { roundTripMs }: RateObservation): number =>
  (roundTripMs ?? 0) - Math.min(state.roundTripMinMs, state.roundTripBeforeMs);

function mayRise(state: RateState, seen: RateObservation): boolean {
  if (queueOf(state, seen) > ROUND_TRIP_RISE_MS) return false;
  if (seen.nowMs - seen.heardAtMs > SILENCE_MS) return false;
  const growing = seen.nowMs - state.rembGrewAtMs <= REMB_GROWTH_LIFE_MS;
  if (seen.rembBps !== null && !growing && state.peakBps > seen.rembBps * REMB_ABOVE) return false;
  // A link that has refused once is tried again only by what is really sent, or each spin would flood it anew.
  const resting = seen.sentBps < state.bitrate * RESTING_SHARE;
  return !(resting && hasRefused(state));
}

/** Whether the link has refused a rate since it was opened. */
export const hasRefused = (state: RateState): boolean => state.backedOffAtMs !== Number.NEGATIVE_INFINITY;
/** A fall soon after another is about the same refusal: what is sent by then is no measure of the link any more. */
function refusedOf(state: RateState, seen: RateObservation): number {
  const again = seen.nowMs - state.backedOffAtMs < SAME_REFUSAL_MS;
  return again && state.refusedBps !== null ? state.refusedBps : Math.min(seen.sentBps, state.bitrate);
}

function riseOf({ bitrate, refusedBps, backedOffAtMs }: RateState): number {
  if (backedOffAtMs === Number.NEGATIVE_INFINITY) return FIRST_RISE;
  const near = refusedBps !== null && bitrate > refusedBps * NEAR_SHARE && bitrate < refusedBps * PASSED_SHARE;
  return near ? NEAR_RISE : RISE;
}

const within = (bitrate: number, limits: RateLimits) => Math.round(Math.min(limits.max, Math.max(limits.min, bitrate)));

function trackEstimate(state: RateState, seen: RateObservation): RateState {
  if (seen.rembBps === null) return state;
  // The first one counts as grown: nobody knows yet whether it stands still.
  const change = state.rembBps === null ? Number.POSITIVE_INFINITY : seen.rembBps / state.rembBps;
  return {
    ...state,
    rembBps: seen.rembBps,
    rembFellAtMs: change < REMB_FALL ? seen.nowMs : state.rembFellAtMs,
    rembGrewAtMs: change > REMB_GROWTH ? seen.nowMs : state.rembGrewAtMs,
  };
}

function trackRoundTrip(state: RateState, seen: RateObservation): RateState {
  const turned = seen.nowMs - state.windowAtMs >= ROUND_TRIP_WINDOW_MS;
  const before = turned ? state.roundTripMinMs : state.roundTripBeforeMs;
  const current = turned ? Number.POSITIVE_INFINITY : state.roundTripMinMs;
  return {
    ...state,
    roundTripBeforeMs: before,
    roundTripMinMs: Math.min(current, seen.roundTripMs ?? Number.POSITIVE_INFINITY),
    windowAtMs: turned ? seen.nowMs : state.windowAtMs,
  };
}

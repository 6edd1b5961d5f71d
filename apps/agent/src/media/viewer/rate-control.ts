/** Bounds of one connection's bitrate, bit/s. */
export interface RateLimits {
  readonly start: number;
  readonly min: number;
  readonly max: number;
}

/** The observation of a link at one step. */
export interface RateObservation {
  readonly nowMs: number;
  /** Sent during the last second, bit/s: far below the bitrate while the reels rest. */
  readonly sentBps: number;
  /** The receiver's last estimate (REMB), bit/s; null before the first or when it is old. */
  readonly rembBps: number | null;
  /** Loss of the last report, 0 to 1. */
  readonly lossFraction: number;
  /** Round trip of the last report; null before the first. */
  readonly roundTripMs: number | null;
  /** When it was reported: some browsers report once a second, and one queue must not be judged twice. */
  readonly roundTripAtMs: number;
  /** When the last report arrived. */
  readonly heardAtMs: number;
}

export interface RateState {
  readonly bitrate: number;
  readonly steppedAtMs: number;
  readonly backedOffAtMs: number;
  /** The rate sent at the last refusal of the link, bit/s; null: there is no sign of a limit, or it was passed since. */
  readonly refusedBps: number | null;
  /** Lowest round trip of this window and of the one before: a changed route is learned within a minute. */
  readonly roundTripMinMs: number;
  readonly roundTripBeforeMs: number;
  readonly windowAtMs: number;
  /** The receiver's estimate at the last step, and when it last fell. */
  readonly rembBps: number | null;
  readonly rembFellAtMs: number;
  readonly rembGrewAtMs: number;
  /** The highest rate sent without a refusal, bit/s. */
  readonly provenBps: number;
  /** The highest rate sent lately, with decay, bit/s: reels spin and rest, and only spinning is evidence. */
  readonly peakBps: number;
}

/** Time between two steps, ms. */
export const RATE_STEP_MS = 300;
const RISE = 1.025;
/** Before the first refusal the bitrate rises faster: about 4 s from 1.3 to 3 Mbit/s. */
const FIRST_RISE = 1.06;
/**
 * A rise ends at this many times the sent rate and the receiver's estimate, or at this share of the start. A
 * browser estimates after 5 s; until then only a full queue would show that the link is narrow.
 */
const PROVEN_MOST = 1.6;
const ESTIMATE_MOST = 1.5;
const UNPROVEN_MOST = 1.3;
/** Near the last refused rate the bitrate rises slowly, so that it rarely fills the queue: 6 s for the last tenth. */
const NEAR_RISE = 1.005;
const NEAR_SHARE = 0.9;
/** When the link has carried this many times the refused rate, the limit is forgotten. */
const PASSED_SHARE = 1.1;
const FALL = 0.85;
/** No step falls further than this, so one odd report cannot stop the video. */
const FALL_MOST = 0.7;
/** After a fall the queue in the link needs time to drain before the next is judged. */
const FALL_GAP_MS = 600;
/** Falls within this time have one cause. */
const SAME_REFUSAL_MS = 3_000;
const REMB_MARGIN = 1.05;
const REMB_SHARE = 0.9;
/** A fall of the estimate by this much counts, for this long. */
const REMB_FALL = 0.98;
const REMB_FALL_LIFE_MS = 1_000;
/** On a free path a browser's estimate grows by some 8 % a second; one that grew by less than this does not grow. */
const REMB_GROWTH = 1.02;
const REMB_GROWTH_LIFE_MS = 2_500;
/** The bitrate rises at most to this share of an estimate that does not grow; a little must be allowed, or it never grows again. */
const REMB_ABOVE = 1.3;
/** Decay of the sent peak from step to step: half of it is gone in 7 s, two games. */
const PEAK_KEPT = 0.97;
const LOSS_MAX = 0.1;
const ROUND_TRIP_GROWTH_MS = 80;
/** A queue of this much more means that it is about to overflow: the deepest step is taken. */
const ROUND_TRIP_GROWTH_GRAVE_MS = 150;
/** With this much more the bitrate does not rise: a browser reports its round trip once a second, and the queue grows meanwhile. */
const ROUND_TRIP_RISE_MS = 25;
const ROUND_TRIP_WINDOW_MS = 30_000;
/** Without a report for this long the bitrate does not rise. */
const SILENCE_MS = 2_000;
/** Nor does it while less than this share of it is sent. */
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
 * sent, more than 10 % is lost, or the round trip is 80 ms above its minimum.
 *
 * A REMB is bounded by 1.5 times what was received and grows slowly. So comparing it with the bitrate would spiral down
 * while the reels rest, and an estimate that is merely low, not falling, would cut the first spin after a rest. But one that
 * does not grow and is below the sent rate is the earliest sign of a narrow link, seconds before its queue is full: then the bitrate does not rise.
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
    // The rate sent until now caused the refusal, and is no evidence.
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

/** The bitrate for a congested link, or null when there is no sign of congestion. */
function congestion(state: RateState, seen: RateObservation): { bitrate: number; refused: boolean } | null {
  // A report from before the last fall shows the queue that caused that fall.
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

/** The growth of the round trip, ms: the queue in the link. */
const queueOf = (state: RateState, { roundTripMs }: RateObservation): number =>
  (roundTripMs ?? 0) - Math.min(state.roundTripMinMs, state.roundTripBeforeMs);

function mayRise(state: RateState, seen: RateObservation): boolean {
  if (queueOf(state, seen) > ROUND_TRIP_RISE_MS) return false;
  if (seen.nowMs - seen.heardAtMs > SILENCE_MS) return false;
  const growing = seen.nowMs - state.rembGrewAtMs <= REMB_GROWTH_LIFE_MS;
  if (seen.rembBps !== null && !growing && state.peakBps > seen.rembBps * REMB_ABOVE) return false;
  // After a refusal the bitrate rises only with the sent rate, or each spin would flood the link again.
  const resting = seen.sentBps < state.bitrate * RESTING_SHARE;
  return !(resting && hasRefused(state));
}

/** Whether the link has refused a rate since it was opened. */
export const hasRefused = (state: RateState): boolean => state.backedOffAtMs !== Number.NEGATIVE_INFINITY;
/** A fall soon after another belongs to the same refusal: the rate sent by then does not measure the link any more. */
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
  // The first one counts as grown: there is nothing to compare it with.
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

/*
 * On a link that loses packets without being full a requested repeat costs a round trip, during which the video freezes; with 12 packets a frame and
 * 3 % loss that is every third frame. So each frame has repair packets there (`rtp/flexfec.ts`), or, for a browser that takes none, each packet
 * goes a second time a few ms later (its twin). The encoder gives up what that costs, so that the link carries no more than before.
 */

export interface ProtectionState {
  readonly on: boolean;
  /** The last seconds: decides the start. */
  readonly lately: Counts;
  /** Some ten seconds: decides the end, because losses pause by chance. */
  readonly longer: Counts;
  /** The totals at the last step. */
  readonly before: Counts;
}

/** Packets sent, without twins and repeats, and those of them that the browser requested again. */
export interface Counts {
  readonly sent: number;
  readonly requested: number;
}

/** The observation at one step of rate control. */
interface ProtectionObservation {
  readonly nowMs: number;
  /** Since the start. */
  readonly counts: Counts;
  /** The bitrate of rate control, and its minimum, bit/s. */
  readonly bitrate: number;
  readonly bitrateMin: number;
  /** When the link last refused a rate. */
  readonly backedOffAtMs: number;
  readonly roundTripMs: number | null;
}

/** Packets carried twice cost the link this much more; repair packets cost less. */
export const TWINS_COST = 2;
/** A twin, and half of the repair packets, follow their frame after this, ms: later than a burst of losses, and long before the next frame. */
export const PROTECTION_GAP_MS = 10;
/** Loss that starts it, and that ends it: packets that were repaired, or whose twin arrived, before the browser missed them are not requested. */
const LOSS_ON = 0.01;
const LOSS_OFF = 0.002;
/** Decay from step to step: half of `lately` is gone in 2 s, of `longer` in 7. */
const LATELY_KEPT = 0.9;
const LONGER_KEPT = 0.97;
/** The minimum of packets, and of requested ones, for a decision; of one step only so many count: one burst is no lossy link. */
const PACKETS_MIN = 100;
const REQUESTED_MIN = 5;
const REQUESTED_OF_STEP_MAX = 3;
/** Packets lost on a full link need a lower rate, not more packets. */
const CONGESTED_MS = 3_000;
/** Over a local network a repeat is back at once: protection begins from this round trip on, and ends below the second, ms. */
const FAR_MS = 10;
const NEAR_MS = 5;

const NOTHING: Counts = { sent: 0, requested: 0 };
export const UNPROTECTED: ProtectionState = { on: false, lately: NOTHING, longer: NOTHING, before: NOTHING };

/** One step, pure: whether frames are protected from now on. */
export function stepProtection(state: ProtectionState, seen: ProtectionObservation): ProtectionState {
  const sent = seen.counts.sent - state.before.sent;
  const requested = Math.min(REQUESTED_OF_STEP_MAX, seen.counts.requested - state.before.requested);
  const lately = {
    sent: state.lately.sent * LATELY_KEPT + sent,
    requested: state.lately.requested * LATELY_KEPT + requested,
  };
  const longer = {
    sent: state.longer.sent * LONGER_KEPT + sent,
    requested: state.longer.requested * LONGER_KEPT + requested,
  };
  const far = (seen.roundTripMs ?? FAR_MS) >= (state.on ? NEAR_MS : FAR_MS);
  const room = seen.bitrate >= seen.bitrateMin * TWINS_COST;
  const on = far && room && (state.on ? !isOver(longer) : isLossy(lately, seen));
  return { on, lately, longer, before: seen.counts };
}

const isOver = ({ sent, requested }: Counts): boolean => requested < sent * LOSS_OFF;

function isLossy({ sent, requested }: Counts, { nowMs, backedOffAtMs }: ProtectionObservation): boolean {
  const certain = sent >= PACKETS_MIN && requested >= REQUESTED_MIN;
  return certain && requested >= sent * LOSS_ON && nowMs - backedOffAtMs >= CONGESTED_MS;
}

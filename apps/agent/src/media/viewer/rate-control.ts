import type { LinkFlow } from "./departures.ts";

/** Bounds of one connection's bitrate, bit/s. */
export interface RateLimits {
  readonly start: number;
  readonly min: number;
  readonly max: number;
}

/** The observation of a link at one step. */
export interface RateObservation {
  readonly nowMs: number;
  /** Video sent during the last second, bit/s: far below the bitrate while the reels rest. */
  readonly sentBps: number;
  /** What the arrivals of packets say; null where the receiver does not report them. */
  readonly flow: LinkFlow | null;
  /** Loss of the last report, 0 to 1. */
  readonly lossFraction: number;
  /** Round trip of the last report; null before the first. Judged only without a flow. */
  readonly roundTripMs: number | null;
  /** When it was reported: some browsers report once a second, and one queue must not be judged twice. */
  readonly roundTripAtMs: number;
  /** When the last report arrived. */
  readonly heardAtMs: number;
}

export interface RateState {
  readonly bitrate: number;
  readonly steppedAtMs: number;
  /** When the rate was last lowered, and when it was last settled: lowered, tried or kept. */
  readonly backedOffAtMs: number;
  readonly settledAtMs: number;
  /** Our share of the full link when it refused a rate, bit/s; null: there is no sign of a limit, or it was passed since. */
  readonly refusedBps: number | null;
  /** The present queue: since when, its longest, and our share of the link when it began. Null: none does. */
  readonly standing: { readonly sinceMs: number; readonly mostMs: number; readonly shareBps: number } | null;
  /** Somebody else keeps the queue of the link full: since when it has been empty, or null. Undefined: that is not so. */
  readonly sharing: { readonly emptySinceMs: number | null } | undefined;
  /** Lowest round trip of this window and of the one before: a changed route is learned within a minute. */
  readonly roundTripMinMs: number;
  readonly roundTripBeforeMs: number;
  readonly windowAtMs: number;
  /** The highest rate sent without a refusal, bit/s. */
  readonly provenBps: number;
  /** More than the link gave last is being tried; and by how much the next rise is higher, bit/s. */
  readonly trying: boolean;
  readonly tryBps: number;
  /** An encoder stays below the rate it is given: what it is given more for that, as a factor. */
  readonly gain: number;
  /** The totals at the last step. */
  readonly counted: { readonly arrived: number; readonly lost: number };
}

/** Time between two steps, ms; a fall does not wait for it. */
export const RATE_STEP_MS = 300;
/** How often the link is to be looked at, ms: browsers report twice as often. */
export const RATE_LOOK_MS = 100;
/** Rise of a step without a flow: a queue is learned a second late. */
const BLIND_RISE = 1.025;
/** A rise ends at this many times the sent rate, or at this share of the start. */
const PROVEN_MOST = 1.6;
const UNPROVEN_MOST = 1.3;
/** The share of a full link that is used, so that it has no queue. */
const CRUISE_SHARE = 0.96;
/** For how long; then more is tried than the link gave last, to notice when it has more. Where no queue comes of it, twice as much more with each step. */
const CRUISE_MS = 1_800;
const TRY_MS = 350;
const NEAR_SHARE = 0.9;
const TRY_BPS = 100_000;
const TRY_SHARE_MAX = 0.15;
/** An encoder's share of its rate is measured at the end of a cruise, and believed by half. */
const GAIN_MAX = 1.4;
/**
 * A queue from which on a rate of 1 Mbit/s falls, ms: a higher rate does sooner, by this power of it, a lower one later. So of two viewers who share a link
 * the greater one gives way. The queue that is none: jitter. A round trip says less: a page reports late when it is busy.
 */
const QUEUE_MS = 30;
const QUEUE_MS_MIN = 15;
const QUEUE_MS_MAX = 60;
const BLIND_QUEUE_MS = 80;
const EMPTY_MS = 12;
/** A short queue is drained too when it stays. */
const STAYS_MS = 900;
/** A fall leaves so much of our share unused that the queue is gone in about this time; at least and at most these parts of it. */
const DRAIN_MS = 800;
const DRAIN_SHARE_MIN = 0.1;
const DRAIN_SHARE_MAX = 0.4;
/** No step falls further than this, so one odd report cannot stop the video. */
const FALL_MOST = 0.5;
const LOSS_FALL = 0.85;
/** After a fall the queue in the link needs time to drain before the next is judged; a round trip is reported later. */
const REACTION_MS = 100;
const BLIND_REACTION_MS = 600;
const LOSS_MAX = 0.1;
const ROUND_TRIP_WINDOW_MS = 30_000;
/** Without a report for this long the bitrate does not rise. */
const SILENCE_MS = 2_000;
/** While less than this share of it is sent, a queue is not ours and proves nothing. */
const RESTING_SHARE = 0.35;
/** A queue that was there for so long, however far we fell, and is longer than this share of its longest, is somebody else's, who fills it until packets are lost. */
const SHARING_AFTER_MS = 2_500;
const SHARING_QUEUE_SHARE = 0.5;
/** And what we gave up did not empty the queue: our share of the link, known after a moment, became less by this. */
const SHARE_KNOWN_MS = 600;
const SHARING_SHARE = 0.85;
/** As such a sender does: this much more with each step, bit/s, and this share when packets were lost. */
const SHARING_RISE_BPS = 60_000;
const SHARING_RISE = 1.04;
const SHARING_FALL = 0.7;
/** Lost packets of one step, of all: a packet now and then is not the end of a queue. */
const SHARING_LOST_MIN = 2;
const SHARING_LOST_SHARE = 0.02;
/** Falls within this time have one cause, ms. */
const SHARING_FALL_GAP_MS = 900;
/** A queue that was empty for so long is no other's. */
const ALONE_AFTER_MS = 600;
const ALONE_QUEUE_SHARE = 0.3;

export function startRate(limits: RateLimits, nowMs: number): RateState {
  return {
    bitrate: limits.start,
    steppedAtMs: nowMs,
    backedOffAtMs: Number.NEGATIVE_INFINITY,
    settledAtMs: Number.NEGATIVE_INFINITY,
    refusedBps: null,
    standing: null,
    sharing: undefined,
    roundTripMinMs: Number.POSITIVE_INFINITY,
    roundTripBeforeMs: Number.POSITIVE_INFINITY,
    windowAtMs: nowMs,
    provenBps: 0,
    trying: false,
    tryBps: TRY_BPS,
    gain: 1,
    counted: { arrived: 0, lost: 0 },
  };
}

/**
 * One look at the link, pure; a rise comes with a step at most. The rate falls only for one of two reasons: the link has a queue, or more than
 * 10 % is lost.
 *
 * What came through while there was a queue is our share of the link. A little less than it is used, and a little more is tried now and then; so the
 * link is used without a queue. Beside a sender who keeps the queue full, like a download, that would leave us nothing: there the rate rises and
 * falls as that sender's does.
 */
export function stepRate(state: RateState, seen: RateObservation, limits: RateLimits): RateState {
  const tracked = trackRoundTrip(state, seen);
  const queue = queueOf(tracked, seen);
  const shared = trackSharing(trackStanding(tracked, queue, seen), queue, seen);
  const looked = { ...shared, bitrate: within(shared.bitrate, limits) };
  const fallen = looked.sharing === undefined ? fall(looked, queue, seen) : null;
  if (fallen !== null) return { ...fallen, bitrate: within(Math.min(fallen.bitrate, looked.bitrate), limits) };
  if (seen.nowMs - state.steppedAtMs < RATE_STEP_MS) return looked;
  const next = { ...looked, steppedAtMs: seen.nowMs, counted: seen.flow ?? looked.counted };
  if (next.sharing !== undefined) return stepSharing(next, looked.counted, seen, limits);
  const proven = { ...next, provenBps: Math.max(next.provenBps, seen.sentBps) };
  if (!mayRise(proven, queue, seen)) return proven;
  const risen = rise(proven, queue, seen);
  const most = Math.max(limits.start * UNPROVEN_MOST, proven.provenBps * PROVEN_MOST, next.bitrate);
  return { ...risen, bitrate: within(Math.min(risen.bitrate, most), limits) };
}

/** The queue in the link as far as it can be seen. */
interface Queue {
  readonly ms: number;
  /** It is one from which on the rate falls. */
  readonly long: boolean;
  /** The packets that met it left after the last change of the rate. */
  readonly isNews: boolean;
  /** What came through, bit/s. */
  readonly shareBps: number;
}

function queueOf(state: RateState, { flow, ...seen }: RateObservation): Queue {
  if (flow !== null) {
    const isNews = flow.sentAtMs >= Math.max(state.backedOffAtMs, state.settledAtMs) + REACTION_MS;
    const longMs = Math.min(QUEUE_MS_MAX, Math.max(QUEUE_MS_MIN, QUEUE_MS / megabits(state)));
    return { ms: flow.queueMs, long: flow.queueMs > longMs, isNews, shareBps: flow.deliveredBps };
  }
  const ms = Math.max(0, (seen.roundTripMs ?? 0) - Math.min(state.roundTripMinMs, state.roundTripBeforeMs));
  // A report from before the last fall shows the queue that caused that fall.
  const isNews = seen.roundTripAtMs >= state.backedOffAtMs + BLIND_REACTION_MS;
  return { ms, long: ms > BLIND_QUEUE_MS, isNews, shareBps: Math.min(seen.sentBps, state.bitrate) };
}

function trackStanding(state: RateState, queue: Queue, { nowMs }: RateObservation): RateState {
  if (queue.ms <= EMPTY_MS) return { ...state, standing: null };
  const { sinceMs, mostMs, shareBps } = state.standing ?? { sinceMs: nowMs, mostMs: 0, shareBps: queue.shareBps };
  const isNew = nowMs - sinceMs < SHARE_KNOWN_MS;
  const standing = { sinceMs, mostMs: Math.max(mostMs, queue.ms), shareBps: isNew ? queue.shareBps : shareBps };
  return { ...state, standing };
}

function trackSharing(state: RateState, queue: Queue, { nowMs, flow }: RateObservation): RateState {
  const { sharing, standing } = state;
  if (flow === null) return { ...state, sharing: undefined };
  if (sharing !== undefined) {
    if (standing !== null && queue.ms > standing.mostMs * ALONE_QUEUE_SHARE)
      return { ...state, sharing: { emptySinceMs: null } };
    const emptySinceMs = sharing.emptySinceMs ?? nowMs;
    return { ...state, sharing: nowMs - emptySinceMs >= ALONE_AFTER_MS ? undefined : { emptySinceMs } };
  }
  const isOthers =
    standing !== null &&
    nowMs - standing.sinceMs >= SHARING_AFTER_MS &&
    queue.ms > QUEUE_MS_MAX &&
    queue.shareBps < standing.shareBps * SHARING_SHARE &&
    queue.ms > standing.mostMs * SHARING_QUEUE_SHARE;
  if (!isOthers) return state;
  // What was given up was given to the other one.
  const bitrate = Math.max(state.bitrate, standing.shareBps * SHARING_FALL);
  return { ...state, bitrate, refusedBps: null, trying: false, settledAtMs: nowMs, sharing: { emptySinceMs: null } };
}

function stepSharing(
  state: RateState,
  before: RateState["counted"],
  seen: RateObservation,
  limits: RateLimits,
): RateState {
  const { nowMs } = seen;
  const arrived = state.counted.arrived - before.arrived;
  const lost = state.counted.lost - before.lost;
  const isFull = lost >= SHARING_LOST_MIN && lost >= (arrived + lost) * SHARING_LOST_SHARE;
  if (isFull && nowMs - state.backedOffAtMs >= SHARING_FALL_GAP_MS) {
    const share = Math.min(state.bitrate, seen.flow?.deliveredBps ?? state.bitrate);
    const bitrate = Math.max(share * SHARING_FALL, state.bitrate * FALL_MOST);
    return { ...state, backedOffAtMs: nowMs, bitrate: within(bitrate, limits) };
  }
  const bitrate = isResting(state, seen) ? state.bitrate : state.bitrate * SHARING_RISE + SHARING_RISE_BPS;
  return { ...state, bitrate: within(bitrate, limits) };
}

/** The state after a fall, or null when there is no reason for one. */
function fall(state: RateState, queue: Queue, seen: RateObservation): RateState | null {
  const { nowMs } = seen;
  // The rate sent until now caused the refusal, and is no evidence.
  const fallen = { ...state, backedOffAtMs: nowMs, settledAtMs: nowMs, provenBps: 0, trying: false, tryBps: TRY_BPS };
  const stays = seen.flow !== null && state.standing !== null && nowMs - state.standing.sinceMs >= STAYS_MS;
  if ((queue.long || stays) && queue.isNews && !isResting(state, seen)) {
    const unused = Math.min(DRAIN_SHARE_MAX, Math.max(DRAIN_SHARE_MIN, (queue.ms / DRAIN_MS) * megabits(state)));
    // A long queue is no time for what the encoder may leave out.
    const gain = queue.ms > QUEUE_MS_MAX ? 1 : state.gain;
    const bitrate = Math.max(queue.shareBps * gain * (1 - unused), state.bitrate * FALL_MOST);
    return { ...fallen, refusedBps: queue.shareBps, bitrate };
  }
  const lossy = seen.lossFraction > LOSS_MAX && nowMs - state.backedOffAtMs >= BLIND_REACTION_MS;
  return lossy ? { ...fallen, refusedBps: null, bitrate: state.bitrate * LOSS_FALL } : null;
}

function mayRise(state: RateState, queue: Queue, seen: RateObservation): boolean {
  if (queue.ms > (seen.flow === null ? QUEUE_MS : EMPTY_MS) && state.refusedBps === null) return false;
  if (seen.nowMs - seen.heardAtMs > SILENCE_MS) return false;
  // After a refusal the bitrate rises only with the sent rate, or each spin would flood the link again.
  return !(isResting(state, seen) && hasRefused(state));
}

/** The rate, Mbit/s. */
const megabits = ({ bitrate }: RateState) => bitrate / 1_000_000;

const isResting = (state: RateState, { sentBps }: RateObservation) => sentBps < state.bitrate * RESTING_SHARE;

/** Towards the share of a full link, a little beyond it now and then, and ever faster where nothing is known of a limit. */
function rise(state: RateState, queue: Queue, { nowMs, flow, sentBps }: RateObservation): RateState {
  const { bitrate, refusedBps, settledAtMs } = state;
  if (flow === null) return { ...state, bitrate: bitrate * BLIND_RISE };
  const higher = { bitrate: bitrate + Math.min(state.tryBps, bitrate * TRY_SHARE_MAX), tryBps: state.tryBps * 2 };
  if (refusedBps === null) return { ...state, ...higher };
  const cruiseAt = (shareBps: number) => shareBps * CRUISE_SHARE * state.gain;
  const settled = { ...state, settledAtMs: nowMs, trying: false, tryBps: TRY_BPS };
  if (state.trying) {
    if (!queue.isNews || flow.sentAtMs < settledAtMs + TRY_MS) return state;
    if (queue.ms <= EMPTY_MS && queue.shareBps > refusedBps) {
      return { ...state, ...higher, trying: false, refusedBps: null };
    }
    // Without a queue the encoder made too little for a trial.
    const shareBps = queue.ms > EMPTY_MS ? queue.shareBps : refusedBps;
    return { ...settled, refusedBps: shareBps, bitrate: cruiseAt(shareBps) };
  }
  if (queue.ms > EMPTY_MS) return state;
  const cruise = cruiseAt(refusedBps);
  if (bitrate < cruise * NEAR_SHARE) return { ...settled, bitrate: Math.min(cruise, higher.bitrate) };
  if (nowMs - settledAtMs < CRUISE_MS) return state;
  const wanted = Math.min(GAIN_MAX, Math.max(1, bitrate / sentBps));
  return { ...settled, ...higher, trying: true, gain: (state.gain + wanted) / 2 };
}

/** Whether the link has refused a rate since it was opened. */
export const hasRefused = (state: RateState): boolean => state.backedOffAtMs !== Number.NEGATIVE_INFINITY;

const within = (bitrate: number, limits: RateLimits) => Math.round(Math.min(limits.max, Math.max(limits.min, bitrate)));

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
const LOSS_ON = 0.0075;
const LOSS_OFF = 0.002;
/** Decay from step to step: half of `lately` is gone in 2 s, of `longer` in 7. */
const LATELY_KEPT = 0.9;
const LONGER_KEPT = 0.97;
/** The minimum of packets, and of requested ones, for a decision; of one step one counts, so it takes two within two seconds: one burst is no lossy link. */
const PACKETS_MIN = 30;
const REQUESTED_MIN = 1.5;
const REQUESTED_OF_STEP_MAX = 1;
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

/** Whether a link is far, and was not full lately: then a lost packet is repeated at any price, because it costs a round trip. */
export const isRoomy = (backedOffAtMs: number, roundTripMs: number | null, nowMs: number): boolean =>
  (roundTripMs ?? FAR_MS) >= FAR_MS && nowMs - backedOffAtMs >= CONGESTED_MS;

const isOver = ({ sent, requested }: Counts): boolean => requested < sent * LOSS_OFF;

function isLossy({ sent, requested }: Counts, { nowMs, backedOffAtMs }: ProtectionObservation): boolean {
  const certain = sent >= PACKETS_MIN && requested >= REQUESTED_MIN;
  return certain && requested >= sent * LOSS_ON && nowMs - backedOffAtMs >= CONGESTED_MS;
}

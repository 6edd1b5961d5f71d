/*
 * On a link that loses packets without being full each packet is sent a second time, a few ms later (its twin). A repeat that is
 * asked for costs a round trip, in which the picture stands still; of 12 packets a picture and 3 % loss that is every third picture.
 * With twins it is one in a hundred. The encoder gets half of the rate meanwhile, so that the link carries no more than before.
 */

export interface TwinsState {
  readonly on: boolean;
  /** The last seconds, for a beginning. */
  readonly lately: Counts;
  /** Some ten seconds, for an end: chance makes pauses. */
  readonly longer: Counts;
  /** All there were at the last step. */
  readonly before: Counts;
}

/** Packets sent, without twins and repeats, and those of them that the browser asked for again. */
interface Counts {
  readonly sent: number;
  readonly asked: number;
}

/** What is seen at one step of rate control. */
export interface TwinsObservation {
  readonly nowMs: number;
  /** Since the beginning. */
  readonly counts: Counts;
  /** What rate control allows the link, and its least, bit/s. */
  readonly bitrate: number;
  readonly bitrateMin: number;
  /** When the link refused a rate last. */
  readonly backedOffAtMs: number;
}

/** Packets carried twice cost the link this much more. */
export const TWINS_COST = 2;
/** A twin follows its picture by this, ms: apart from a burst of losses, and long before the next picture. */
export const TWIN_GAP_MS = 10;
/** Loss that begins it, and that ends it: half of the packets whose twin came in time are not asked for. */
const LOSS_ON = 0.01;
const LOSS_OFF = 0.002;
/** Kept from step to step: of `lately` half is forgotten in 2 s, of `longer` in 7. */
const LATELY_KEPT = 0.9;
const LONGER_KEPT = 0.97;
/** Fewer packets say nothing yet; nor do fewer that were asked for, and of one step only so many count: one burst is no lossy link. */
const PACKETS_MIN = 100;
const ASKED_MIN = 5;
const ASKED_OF_STEP_MAX = 3;
/** Packets lost at the edge of a link that is full call for less, not for twins. */
const CONGESTED_MS = 3_000;

const NOTHING: Counts = { sent: 0, asked: 0 };
export const NO_TWINS: TwinsState = { on: false, lately: NOTHING, longer: NOTHING, before: NOTHING };

/** One step, pure: whether packets are to be sent twice from now on. */
export function stepTwins(state: TwinsState, seen: TwinsObservation): TwinsState {
  const sent = seen.counts.sent - state.before.sent;
  const asked = Math.min(ASKED_OF_STEP_MAX, seen.counts.asked - state.before.asked);
  const lately = { sent: state.lately.sent * LATELY_KEPT + sent, asked: state.lately.asked * LATELY_KEPT + asked };
  const longer = { sent: state.longer.sent * LONGER_KEPT + sent, asked: state.longer.asked * LONGER_KEPT + asked };
  const on = seen.bitrate >= seen.bitrateMin * TWINS_COST && (state.on ? !isOver(longer) : isLossy(lately, seen));
  return { on, lately, longer, before: seen.counts };
}

const isOver = ({ sent, asked }: Counts): boolean => asked < sent * LOSS_OFF;

function isLossy({ sent, asked }: Counts, { nowMs, backedOffAtMs }: TwinsObservation): boolean {
  const certain = sent >= PACKETS_MIN && asked >= ASKED_MIN;
  return certain && asked >= sent * LOSS_ON && nowMs - backedOffAtMs >= CONGESTED_MS;
}

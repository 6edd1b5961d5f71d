import type { FrameStages } from "../../apps/agent/src/media/stages.ts";
import type { ReceiverSums, ShownFrame } from "../setup/probe.ts";

/** Where the time of one shown picture went, ms. */
export type PictureTimes = {
  readonly capture: number;
  readonly encode: number;
  readonly send: number;
  /** From the agent's transport until the browser had the last packet; repairs and the relay's delay are in it. */
  readonly network: number;
  readonly decode: number;
  /** What is left: the jitter buffer before the decoder, and from the decoder to the screen. */
  readonly rest: number;
  readonly whole: number;
};

/** Pictures that both sides reported, by their RTP timestamp. */
export function timesOfPictures(
  frames: readonly ShownFrame[],
  pictures: readonly FrameStages[],
): readonly PictureTimes[] {
  const sent = new Map(pictures.map((picture) => [picture.timestamp, picture]));
  return frames.flatMap(({ shownAt, rtp, receivedAt, decodeMs }) => {
    const picture = rtp === null ? undefined : sent.get(rtp);
    if (picture === undefined || receivedAt === null || decodeMs === null) return [];
    const { capturedAtMs, encodeFromMs, encodedAtMs, sentAtMs } = picture;
    return [
      {
        capture: encodeFromMs - capturedAtMs,
        encode: encodedAtMs - encodeFromMs,
        send: sentAtMs - encodedAtMs,
        network: receivedAt - sentAtMs,
        decode: decodeMs,
        rest: shownAt - receivedAt - decodeMs,
        whole: shownAt - capturedAtMs,
      },
    ];
  });
}

/** Mean time that a picture waited in the jitter buffer once it was whole, between two readings, ms; null when none came out of it. */
export function jitterBufferMs(from: ReceiverSums | null, to: ReceiverSums | null): number | null {
  if (from === null || to === null || to.emitted <= from.emitted) return null;
  const waitedS = to.jitterBufferS - from.jitterBufferS - (to.assembledS - from.assembledS);
  return (1_000 * waitedS) / (to.emitted - from.emitted);
}

/** One press, ms: to the agent, in the machine until the picture that shows its effect is taken, and that picture's own way. */
export type PressTimes = {
  readonly toAgent: number;
  readonly machine: number;
  readonly picture: number;
  readonly whole: number;
};

/** A picture older than this was not taken because of the press, ms: half of what lies between two pictures. */
const BEFORE_MS = 17;

export function timesOfPresses(
  presses: readonly { readonly at: number; readonly frame: ShownFrame }[],
  pictures: readonly FrameStages[],
  pressesAt: readonly number[],
): readonly PressTimes[] {
  const sent = new Map(pictures.map((picture) => [picture.timestamp, picture]));
  return presses.flatMap(({ at, frame }) => {
    const picture = frame.rtp === null ? undefined : sent.get(frame.rtp);
    const came = pressesAt.find((time) => time >= at - 1);
    if (picture === undefined || came === undefined) return [];
    // The marker was read from the next picture already: this one's time would be reported instead.
    if (picture.capturedAtMs < came - BEFORE_MS) return [];
    const { capturedAtMs } = picture;
    return [
      {
        toAgent: came - at,
        machine: capturedAtMs - came,
        picture: frame.shownAt - capturedAtMs,
        whole: frame.shownAt - at,
      },
    ];
  });
}

const CODE_TURN = 65_536;
const RTP_PER_MS = 90;
/** The painted time is whole milliseconds, rounded down. */
const ROUNDED_MS = 0.5;
/** Sender's clock and painted time may differ by this from picture to picture, ms; a picture too late is off by 33. */
const APART_MS = 12;

/** A picture with its age by the time painted into it, ms. */
type PaintedFrame = { readonly frame: ShownFrame; readonly ageMs: number };

/**
 * Ages by the painted time alone, for pictures of agent and peer. A late callback finds the next picture in the element already: its
 * painted time then runs ahead of the RTP timestamp of the reported picture, and it is left out.
 */
export function paintedAges(frames: readonly ShownFrame[]): readonly PaintedFrame[] {
  const read = frames.flatMap((frame) =>
    frame.code === null || frame.rtp === null ? [] : [{ frame, ahead: turned(frame.code - frame.rtp / RTP_PER_MS) }],
  );
  const first = read[0]?.ahead ?? 0;
  // Around the first one, so that the turn of the code lies far away.
  const near = read.map(({ frame, ahead }) => ({ frame, ahead: signed(ahead - first) }));
  const middle = near.map(({ ahead }) => ahead).toSorted((one, other) => one - other)[near.length >> 1] ?? 0;
  return near
    .filter(({ ahead }) => Math.abs(ahead - middle) <= APART_MS)
    .map(({ frame }) => ({ frame, ageMs: turned(frame.shownAt - (frame.code ?? 0)) - ROUNDED_MS }));
}

const turned = (ms: number): number => ((ms % CODE_TURN) + CODE_TURN) % CODE_TURN;
const signed = (ms: number): number => turned(ms + CODE_TURN / 2) - CODE_TURN / 2;

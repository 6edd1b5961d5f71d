import type { ShownFrame } from "../page/frame-log.ts";

const CODE_TURN = 65_536;
const RTP_PER_MS = 90;
/** The painted time is whole milliseconds, rounded down. */
const ROUNDED_MS = 0.5;
/** Sender's clock and painted time may differ by this from picture to picture, ms; a picture too late is off by 33. */
const APART_MS = 12;

/** A picture with the age that the time painted into it tells, ms. */
export type PaintedFrame = { readonly frame: ShownFrame; readonly ageMs: number };

/**
 * Ages by the painted time alone, whoever sent the pictures. A late callback finds the next picture in the element already: its
 * painted time then runs ahead of the RTP timestamp of the picture that was told, and it is left out.
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

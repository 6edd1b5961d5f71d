import type { PictureStages } from "../../apps/agent/src/media/told-stages.ts";
import type { ReceiverSums } from "../page/connection-log.ts";
import type { ShownFrame } from "../page/frame-log.ts";

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

/** Pictures that both sides told of, by their RTP timestamp. */
export function timesOfPictures(
  frames: readonly ShownFrame[],
  pictures: readonly PictureStages[],
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
  pictures: readonly PictureStages[],
  pressesAt: readonly number[],
): readonly PressTimes[] {
  const sent = new Map(pictures.map((picture) => [picture.timestamp, picture]));
  return presses.flatMap(({ at, frame }) => {
    const picture = frame.rtp === null ? undefined : sent.get(frame.rtp);
    const came = pressesAt.find((time) => time >= at - 1);
    if (picture === undefined || came === undefined) return [];
    // The marker was read from the next picture already: this one's time would be told instead.
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

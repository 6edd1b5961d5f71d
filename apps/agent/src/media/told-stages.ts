import { channel } from "node:diagnostics_channel";

/** When one picture passed each stage of the agent, ms on the agent's `Clock`. */
export interface PictureStages {
  /** Its RTP timestamp, by which a receiver knows it. */
  readonly timestamp: number;
  readonly capturedAtMs: number;
  /** Painted or captured, and handed to the encoder. */
  readonly encodeFromMs: number;
  readonly encodedAtMs: number;
  /** Its last packet was handed to the transport of the last viewer. */
  readonly sentAtMs: number;
}

/** A message of the `press` channel has come. */
export interface PressCame {
  readonly atMs: number;
}

/** Names of the channels, for who subscribes to them from outside. */
export const PICTURE_STAGES = "longarm:picture";
export const PRESS_CAME = "longarm:press";

const pictures = channel(PICTURE_STAGES);
const presses = channel(PRESS_CAME);

/** For a measurement that runs inside this process; costs one comparison while nobody subscribes. */
export function tellPicture(stages: () => PictureStages): void {
  if (pictures.hasSubscribers) pictures.publish(stages());
}

export function tellPress(came: () => PressCame): void {
  if (presses.hasSubscribers) presses.publish(came());
}

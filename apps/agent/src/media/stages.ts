import { channel } from "node:diagnostics_channel";

/** The times at which one frame passed each stage of the agent, ms on the agent's `Clock`. */
export interface FrameStages {
  /** Its RTP timestamp, by which a receiver knows it. */
  readonly timestamp: number;
  readonly capturedAtMs: number;
  /** Painted or captured, and passed to the encoder. */
  readonly encodeFromMs: number;
  readonly encodedAtMs: number;
  /** Its last packet was passed to the transport of the last viewer. */
  readonly sentAtMs: number;
}

/** A message of the `press` channel has arrived. */
export interface PressArrival {
  readonly atMs: number;
}

/** Names of the diagnostics channels, for measurements. */
export const FRAME_STAGES = "longarm:frame";
export const PRESS_ARRIVAL = "longarm:press";

const frames = channel(FRAME_STAGES);
const presses = channel(PRESS_ARRIVAL);

/** For a measurement inside this process; costs one comparison without a subscriber. */
export function publishFrameStages(stages: () => FrameStages): void {
  if (frames.hasSubscribers) frames.publish(stages());
}

export function publishPressArrival(arrival: () => PressArrival): void {
  if (presses.hasSubscribers) presses.publish(arrival());
}

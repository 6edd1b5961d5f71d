import type { ClockAnswer } from "@longarm/contract/data-channel";
import { ClockAsk } from "@longarm/contract/data-channel";
import type { Clock } from "../../ports/clock.ts";

/** The last picture sent: its RTP timestamp and when it was taken (ms). */
export interface LastPicture {
  readonly timestamp: number;
  readonly capturedAtMs: number;
}

export interface ClockReply {
  readonly answer: Uint8Array;
  /** The page misses pictures and asks for one that needs none before it. */
  readonly keyFrame: boolean;
}

/**
 * The reply to one message of the `clock` channel, or null when it is not one: what cannot be read is not answered, and
 * the page asks again a second later.
 */
export function answerClock(message: Uint8Array, clock: Clock, last: LastPicture | null): ClockReply | null {
  const t1 = clock.now();
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(message).toString("utf8"));
  } catch {
    return null;
  }
  const asked = ClockAsk.safeParse(value);
  if (!asked.success) return null;
  const answer: ClockAnswer = {
    t0: asked.data.t0,
    t1,
    t2: clock.now(),
    rtp: last?.timestamp ?? null,
    capturedAt: last?.capturedAtMs ?? null,
  };
  return { answer: Buffer.from(JSON.stringify(answer)), keyFrame: asked.data.keyFrame === true };
}

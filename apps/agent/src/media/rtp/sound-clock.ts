import { rtpTimestamp, SOUND_CLOCK_HZ } from "./timestamps.ts";

/** A drift or a gap beyond this is followed at once; below it the steps stay even, or the decoder would stretch. */
const DRIFT_TICKS_MAX = 2 * 960;

/** RTP timestamps of sound blocks: even steps of one block, tied to the capture clock. */
export function createSoundClock(blockTicks: number): (capturedAtMs: number) => number {
  let expected: number | null = null;
  return (capturedAtMs) => {
    const captured = rtpTimestamp(capturedAtMs, SOUND_CLOCK_HZ);
    const drift = expected === null ? Number.POSITIVE_INFINITY : Math.abs((captured - expected) | 0);
    const timestamp = expected === null || drift > DRIFT_TICKS_MAX ? captured : expected;
    expected = (timestamp + blockTicks) % 2 ** 32;
    return timestamp;
  };
}

import type { Clock } from "../../ports/clock.ts";
import { RATE_BUFFER_BYTES_MIN, RATE_BUFFER_MS } from "../encoder/video-encoder.ts";

/** What is beyond a burst leaves at this many times the rate: sooner than a full link carries it, so it costs no time there. */
const PACE_SHARE = 2.5;
/** And in any case within a frame at 30 a second, ms. */
export const PACED_MS_MAX = 33;
/** Time between two parts, ms. */
export const PACE_TICK_MS = 3;

/** How packets are sent. */
interface Paced {
  /** Before all others that wait: repeats, without which later frames are not shown. */
  readonly urgent?: boolean;
  /** They left before, and go once more as they are. */
  readonly copies?: boolean;
  /** Called once the last of them has left; at once, where none waits. */
  readonly left?: () => void;
}

/** Packets of one viewer's video, on their way to the link. */
export interface Pacer {
  /** Sends at once what the burst leaves room for, and the rest a little later, in order. */
  send(packets: readonly Buffer[], how?: Paced): void;
  /** The rate of the link, bit/s. */
  setBitrate(bitsPerSecond: number): void;
}

interface Waiting {
  readonly packet: Buffer;
  readonly copies: boolean;
  readonly left: (() => void) | undefined;
}

/** Largest burst at this rate (bit/s), bytes: the encoder's rate buffer. */
export const burstBytes = (bitsPerSecond: number): number =>
  Math.max(RATE_BUFFER_BYTES_MIN, (bitsPerSecond / 8_000) * RATE_BUFFER_MS);

/**
 * Keeps bursts within the encoder's rate buffer (VBV) at this viewer's own rate. A frame of an encoder at that rate fits and never waits. What does not:
 * a frame for a wider link, the frames around a fall of the rate, repeats of many packets, a frame of VP8.
 */
export function createPacer(
  clock: Clock,
  bitsPerSecond: number,
  leave: (packets: readonly Buffer[], copies: boolean) => void,
): Pacer {
  const bucket = createBucket(clock.now(), bitsPerSecond);
  const urgent: Waiting[] = [];
  const others: Waiting[] = [];
  let isTicking = false;

  const waitingBytes = () => [...urgent, ...others].reduce((sum, { packet }) => sum + packet.length, 0);
  const release = () => {
    bucket.fill(clock.now());
    for (const queue of [urgent, others]) {
      let count = 0;
      while (queue[count] !== undefined && bucket.pays(queue[count]?.packet.length ?? 0)) count += 1;
      leaveTogether(queue.splice(0, count), leave);
      if (queue.length > 0) break;
    }
    if (urgent.length + others.length === 0) bucket.hurry(0);
    else if (!isTicking) {
      isTicking = true;
      clock.after(PACE_TICK_MS, () => {
        isTicking = false;
        release();
      });
    }
  };

  return {
    send(packets, { urgent: first = false, copies = false, left } = {}) {
      const queue = first ? urgent : others;
      const last = packets.length - 1;
      queue.push(...packets.map((packet, at) => ({ packet, copies, left: at === last ? left : undefined })));
      bucket.fill(clock.now());
      bucket.hurry(waitingBytes());
      release();
    },
    setBitrate(next) {
      bucket.fill(clock.now());
      bucket.setBitrate(next);
    },
  };
}

/** Packets that go next to each other go in one call; then follows what waits for the last of some. */
function leaveTogether(
  waiting: readonly Waiting[],
  leave: (packets: readonly Buffer[], copies: boolean) => void,
): void {
  for (const copies of [false, true]) {
    const packets = waiting.flatMap((one) => (one.copies === copies ? one.packet : []));
    if (packets.length > 0) leave(packets, copies);
  }
  for (const { left } of waiting) left?.();
}

/** What may leave now, bytes. */
function createBucket(nowMs: number, bitsPerSecond: number) {
  let rate = bitsPerSecond;
  let creditBytes = burstBytes(rate);
  let filledAtMs = nowMs;
  /** Bytes each ms, so that what waits leaves in time. */
  let speed = 0;
  return {
    fill(now: number): void {
      const pace = Math.max((rate / 8_000) * PACE_SHARE, speed);
      const most = Math.max(burstBytes(rate), speed * PACE_TICK_MS);
      creditBytes = Math.min(most, creditBytes + Math.max(0, now - filledAtMs) * pace);
      filledAtMs = now;
    },
    /** Whether a packet of this size may leave now; one that does is paid. */
    pays(bytes: number): boolean {
      if (creditBytes < bytes) return false;
      creditBytes -= bytes;
      return true;
    },
    /** So much waits, bytes: it leaves within `PACED_MS_MAX`. 0: nothing waits any more. */
    hurry(bytes: number): void {
      speed = bytes === 0 ? 0 : Math.max(speed, (bytes - creditBytes) / (PACED_MS_MAX - PACE_TICK_MS));
    },
    setBitrate(next: number): void {
      rate = next;
    },
  };
}

import type { MediaPacket } from "../rtp/packet.ts";

/** How many packets can still be asked for again; about 2 s at 3 Mbit/s. A power of two that divides 2^16. */
const HISTORY_PACKETS = 1024;
/** Assumed round trip before the first report, ms. */
const FIRST_ROUND_TRIP_MS = 100;
/** A packet is repeated at most once in this share of a round trip: a second NACK may have crossed the repeat. */
const REPEAT_SHARE = 0.9;
const REPEAT_GAP_MS_MIN = 10;
/** Repeats may use this share of the bitrate, with this much saved up. Beyond it a key frame is cheaper. */
const BUDGET_SHARE = 0.25;
const BUDGET_BYTES_MAX = 48_000;
/** A picture older than this is worth nothing to a player. */
const TOO_OLD_MS = 1_000;

interface Sent {
  sequence: number;
  packet: MediaPacket;
  sentAtMs: number;
  repeatedAtMs: number;
  asked: boolean;
}

export interface Repair {
  /** Remembers a packet; the payload is shared with every other viewer, only this entry is our own. */
  sent(sequence: number, packet: MediaPacket, nowMs: number): void;
  /** The packets to send again for one NACK, each with its sequence. */
  asked(sequences: readonly number[], nowMs: number): { sequence: number; packet: MediaPacket }[];
  /**
   * True once when something asked for will not be repeated any more, because it is too old or beyond the budget: the
   * browser would go on asking for seconds before it asks for a key frame.
   */
  gaveUp(): boolean;
  /** How many packets were ever asked for, each counted once. */
  readonly askedFor: number;
  setRoundTripMs(roundTripMs: number): void;
  setBitrate(bitsPerSecond: number): void;
}

/**
 * Answers NACKs: each packet at most once a round trip, all of them within a budget. Without both, the repeats of a full
 * link fill it for good (measured: 929 NACKs became 94,500 packets).
 */
export function createRepair(nowMs: number): Repair {
  const history: (Sent | undefined)[] = new Array(HISTORY_PACKETS);
  let roundTripMs = FIRST_ROUND_TRIP_MS;
  let bytesPerMs = 0;
  let budgetBytes = BUDGET_BYTES_MAX;
  let refilledAtMs = nowMs;
  let givenUp = false;
  let askedFor = 0;

  const refill = (now: number) => {
    budgetBytes = Math.min(BUDGET_BYTES_MAX, budgetBytes + Math.max(0, now - refilledAtMs) * bytesPerMs);
    refilledAtMs = now;
  };

  const repeatable = (sequence: number, now: number): Sent | undefined => {
    const entry = history[sequence % HISTORY_PACKETS];
    // A number that was never sent is no reason for a key frame: the question is the browser's own.
    if (!entry || entry.sequence !== sequence) return undefined;
    if (!entry.asked) askedFor += 1;
    entry.asked = true;
    const gapMs = Math.max(REPEAT_GAP_MS_MIN, roundTripMs * REPEAT_SHARE);
    if (now - entry.repeatedAtMs < gapMs) return undefined;
    if (now - entry.sentAtMs <= TOO_OLD_MS && entry.packet.payload.length <= budgetBytes) return entry;
    givenUp = true;
    return undefined;
  };

  return {
    sent(sequence, packet, now) {
      const fresh = { sequence, packet, sentAtMs: now, repeatedAtMs: Number.NEGATIVE_INFINITY, asked: false };
      const entry = history[sequence % HISTORY_PACKETS];
      if (entry) Object.assign(entry, fresh);
      else history[sequence % HISTORY_PACKETS] = fresh;
    },
    asked(sequences, now) {
      refill(now);
      const again: { sequence: number; packet: MediaPacket }[] = [];
      for (const sequence of sequences) {
        const entry = repeatable(sequence, now);
        if (!entry) continue;
        entry.repeatedAtMs = now;
        budgetBytes -= entry.packet.payload.length;
        again.push({ sequence, packet: entry.packet });
      }
      return again;
    },
    gaveUp() {
      const was = givenUp;
      givenUp = false;
      return was;
    },
    get askedFor() {
      return askedFor;
    },
    setRoundTripMs(value) {
      roundTripMs = value;
    },
    setBitrate(bitsPerSecond) {
      bytesPerMs = (bitsPerSecond / 8 / 1000) * BUDGET_SHARE;
    },
  };
}

import type { ReportBlock } from "./rtp.ts";

/** A packet that did not come yet. */
type Missing = { readonly sinceMs: number; requestedAtMs: number; requests: number };

/** A jump of the numbers beyond this is another stream, not a gap. */
const JUMP_MAX = 1_000;
/** More missing packets than this are no loss that repeats could mend. */
const MISSING_MAX = 4_000;
/** No sender repeats what is older than this, ms. */
const FORGOTTEN_MS = 1_500;
const REQUESTS_MAX = 10;
/** Between two questions for one packet at least, ms. */
const ASK_GAP_MS = 20;

export type StreamCounts = {
  readonly packets: number;
  readonly bytes: number;
  /** Were missing when a later one came. */
  readonly missed: number;
  /** Of `missed`: came after a request. */
  readonly repaired: number;
  /** Of `missed`: came late without a request. */
  readonly reordered: number;
  /** Questions that named packets. */
  readonly nacks: number;
};

/** Keeps count of one RTP stream: what came, what is missing and must be requested, and what is reported to its sender. */
export class ReceivedStream {
  readonly ssrc: number;
  readonly #perMs: number;
  readonly #missing = new Map<number, Missing>();
  #first: number | undefined;
  #highest = 0;
  #counts = { packets: 0, bytes: 0, missed: 0, repaired: 0, reordered: 0, nacks: 0 };
  #jitter = 0;
  #transit: number | undefined;
  #before = { expected: 0, packets: 0 };
  #senderReport: { readonly ntpMiddle: number; readonly atMs: number } | undefined;

  /** `perMs`: steps of the stream's clock in a millisecond. */
  constructor(ssrc: number, perMs: number) {
    this.ssrc = ssrc;
    this.#perMs = perMs;
  }

  get counts(): StreamCounts {
    return this.#counts;
  }

  /** The packet's number with its roll-overs; undefined when it came before. */
  take(sequence: number, timestamp: number, bytes: number, nowMs: number): number | undefined {
    const number = this.#extended(sequence);
    if (!this.#isNew(number, nowMs)) return undefined;
    this.#counts.packets += 1;
    this.#counts.bytes += bytes;
    const transit = nowMs * this.#perMs - timestamp;
    const change = this.#transit === undefined ? 0 : Math.abs(transit - this.#transit);
    // A wrap of the timestamp is no jitter.
    if (change < 2 ** 30) this.#jitter += (change - this.#jitter) / 16;
    this.#transit = transit;
    return number;
  }

  /** Sequence numbers to request again now, 16 bits each; each at most once a round trip. */
  toAsk(nowMs: number, roundTripMs: number): number[] {
    const requested: number[] = [];
    for (const [number, one] of this.#missing) {
      if (nowMs - one.sinceMs > FORGOTTEN_MS || one.requests >= REQUESTS_MAX) {
        this.#missing.delete(number);
        continue;
      }
      if (nowMs - one.requestedAtMs < Math.max(ASK_GAP_MS, roundTripMs)) continue;
      one.requestedAtMs = nowMs;
      one.requests += 1;
      requested.push(number & 0xffff);
    }
    if (requested.length > 0) this.#counts.nacks += 1;
    return requested;
  }

  /** A sender report came. */
  senderReport(ntpMiddle: number, nowMs: number): void {
    this.#senderReport = { ntpMiddle, atMs: nowMs };
  }

  /** The report block for the sender now. */
  report(nowMs: number): ReportBlock {
    const expected = this.#first === undefined ? 0 : this.#highest - this.#first + 1;
    const { packets } = this.#counts;
    const due = expected - this.#before.expected;
    const lost = due - (packets - this.#before.packets);
    this.#before = { expected, packets };
    const told = this.#senderReport;
    return {
      ssrc: this.ssrc,
      lostShare: due <= 0 || lost <= 0 ? 0 : lost / due,
      lostTotal: expected - packets,
      highest: this.#highest,
      jitter: this.#jitter,
      lastSenderReport: told?.ntpMiddle ?? 0,
      delaySinceLast: told === undefined ? 0 : Math.round((nowMs - told.atMs) * 65.536) % 2 ** 32,
    };
  }

  #extended(sequence: number): number {
    if (this.#first === undefined) return sequence + 0x10000;
    // The difference in 16 bits, with its sign.
    return this.#highest + (((sequence - this.#highest) << 16) >> 16);
  }

  #isNew(number: number, nowMs: number): boolean {
    if (this.#first === undefined) {
      this.#first = number;
      this.#highest = number;
      return true;
    }
    if (number <= this.#highest) {
      const missing = this.#missing.get(number);
      if (missing === undefined) return false;
      this.#missing.delete(number);
      if (missing.requests > 0) this.#counts.repaired += 1;
      else this.#counts.reordered += 1;
      return true;
    }
    const jump = number - this.#highest;
    if (jump > JUMP_MAX || this.#missing.size + jump > MISSING_MAX) this.#missing.clear();
    else
      for (let gap = this.#highest + 1; gap < number; gap += 1) {
        this.#missing.set(gap, { sinceMs: nowMs, requestedAtMs: Number.NEGATIVE_INFINITY, requests: 0 });
        this.#counts.missed += 1;
      }
    this.#highest = number;
    return true;
  }
}

/** More packets than this are left out of a report: a sender that jumps. */
const REPORTED_MAX = 1_000;

/** When the packets of a connection arrived, for its sender, who judges the link by it as it does with a browser's reports. */
export class ArrivalLog {
  #arrived = new Map<number, number>();
  #reportedTo: number | undefined;
  #highest = 0;
  #count = 0;

  /** `sequence`: the transport sequence number, 16 bits. */
  take(sequence: number, nowMs: number): void {
    const number =
      this.#reportedTo === undefined ? sequence + 0x10000 : this.#highest + (((sequence - this.#highest) << 16) >> 16);
    this.#reportedTo ??= number - 1;
    this.#highest = Math.max(this.#highest, number);
    this.#arrived.set(number, nowMs);
  }

  /** What to report; undefined: nothing arrived since. */
  due(): { first: number; arrivedAtMs: (number | undefined)[]; count: number } | undefined {
    if (this.#arrived.size === 0) return undefined;
    const arrived = this.#arrived;
    this.#arrived = new Map();
    const first = Math.max(this.#highest - REPORTED_MAX, Math.min((this.#reportedTo ?? 0) + 1, ...arrived.keys()));
    this.#reportedTo = this.#highest;
    const arrivedAtMs = Array.from({ length: this.#highest - first + 1 }, (_, at) => arrived.get(first + at));
    this.#count += 1;
    return { first: first & 0xffff, arrivedAtMs, count: this.#count - 1 };
  }
}

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

/** abs-send-time counts 1/2^18 s in 24 bits. */
const SENT_PER_MS = 2 ** 18 / 1_000;
const SENT_TURN = 2 ** 24;
/** Averaging window, ms. */
const WINDOW_MS = 1_000;
/** The first estimate comes after so long, ms: nothing has been proven before. */
const FIRST_MS = 2_000;
/** Queueing delay above which the link counts as congested, ms. */
const QUEUE_MS = 50;
const FALL = 0.85;
const GROWTH_A_SECOND = 1.08;
/** A lowest delay older than this is forgotten: routes and clocks change, ms. */
const LOWEST_MS = 30_000;
const TOLD_EVERY_MS = 1_000;

/** What the link is believed to carry, as browsers estimate it and report it to the sender (REMB): it falls when a queue grows, and rises no further than what came bears out. */
export class LinkEstimate {
  #arrived: { readonly atMs: number; readonly bytes: number }[] = [];
  #bytes = 0;
  #beganAtMs: number | undefined;
  #sent: { readonly raw: number; readonly ms: number } | undefined;
  #lowest = { ms: Number.POSITIVE_INFINITY, before: Number.POSITIVE_INFINITY, sinceMs: 0 };
  #queueMs = 0;
  #bps: number | undefined;
  #steppedAtMs = 0;
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  take(bytes: number, sentAt: number | undefined, nowMs: number): void {
    this.#beganAtMs ??= nowMs;
    this.#arrived.push({ atMs: nowMs, bytes });
    this.#bytes += bytes;
    if (sentAt !== undefined) this.#delay(nowMs - this.#sentMs(sentAt), nowMs);
  }

  /** What to report now, bit/s; undefined: nothing. */
  due(nowMs: number): number | undefined {
    if (this.#beganAtMs === undefined || nowMs - this.#beganAtMs < FIRST_MS) return undefined;
    const fell = this.#step(nowMs);
    if (!fell && nowMs - this.#reportedAtMs < TOLD_EVERY_MS) return undefined;
    this.#reportedAtMs = nowMs;
    return this.#bps;
  }

  #sentMs(raw: number): number {
    const last = this.#sent;
    // The difference in 24 bits, with its sign: right across a wrap.
    const ms = last === undefined ? 0 : last.ms + (((raw - last.raw) << 8) >> 8) / SENT_PER_MS;
    this.#sent = { raw: raw % SENT_TURN, ms };
    return ms;
  }

  #delay(ms: number, nowMs: number): void {
    const lowest = this.#lowest;
    if (nowMs - lowest.sinceMs > LOWEST_MS)
      this.#lowest = { ms, before: lowest.ms === Number.POSITIVE_INFINITY ? ms : lowest.ms, sinceMs: nowMs };
    else lowest.ms = Math.min(lowest.ms, ms);
    const queue = ms - Math.min(this.#lowest.ms, this.#lowest.before);
    this.#queueMs += (queue - this.#queueMs) / 16;
  }

  /** Whether the estimate fell. */
  #step(nowMs: number): boolean {
    while (this.#arrived[0] !== undefined && nowMs - this.#arrived[0].atMs > WINDOW_MS)
      this.#bytes -= this.#arrived.shift()?.bytes ?? 0;
    const received = (this.#bytes * 8_000) / WINDOW_MS;
    const before = this.#bps ?? received;
    const passedMs = this.#steppedAtMs === 0 ? 0 : nowMs - this.#steppedAtMs;
    this.#steppedAtMs = nowMs;
    if (this.#queueMs > QUEUE_MS) {
      this.#bps = Math.min(before, received * FALL);
      return this.#bps < before * 0.97;
    }
    const risen = before * GROWTH_A_SECOND ** (passedMs / 1_000);
    // While the reels rest little comes, which says nothing against what was believed.
    this.#bps = Math.max(before, Math.min(risen, received * 1.5 + 10_000));
    return false;
  }
}

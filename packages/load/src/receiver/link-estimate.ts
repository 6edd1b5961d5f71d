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

/** What the link is believed to carry, as browsers estimate it and tell the sender (REMB): it falls when a queue grows, and rises no further than what came bears out. */
export class LinkEstimate {
  #arrived: { readonly atMs: number; readonly bytes: number }[] = [];
  #bytes = 0;
  #beganAtMs: number | undefined;
  #sent: { readonly raw: number; readonly ms: number } | undefined;
  #lowest = { ms: Number.POSITIVE_INFINITY, before: Number.POSITIVE_INFINITY, sinceMs: 0 };
  #queueMs = 0;
  #bps: number | undefined;
  #steppedAtMs = 0;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  take(bytes: number, sentAt: number | undefined, nowMs: number): void {
    this.#beganAtMs ??= nowMs;
    this.#arrived.push({ atMs: nowMs, bytes });
    this.#bytes += bytes;
    if (sentAt !== undefined) this.#delay(nowMs - this.#sentMs(sentAt), nowMs);
  }

  /** What is to be told now, bit/s; undefined: nothing. */
  due(nowMs: number): number | undefined {
    if (this.#beganAtMs === undefined || nowMs - this.#beganAtMs < FIRST_MS) return undefined;
    const fell = this.#step(nowMs);
    if (!fell && nowMs - this.#toldAtMs < TOLD_EVERY_MS) return undefined;
    this.#toldAtMs = nowMs;
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

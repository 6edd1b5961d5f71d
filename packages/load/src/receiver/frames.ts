/** A picture that is whole, and that nothing before it is missing for. */
export type Picture = {
  /** 90 kHz, 32 bits. */
  readonly timestamp: number;
  readonly bytes: number;
  /** Needs no picture before it. */
  readonly key: boolean;
  /** When its last packet came, ms. */
  readonly atMs: number;
  /** Its packets' payloads, in order. */
  readonly payloads: readonly Buffer[];
};

type Held = {
  readonly timestamp: number;
  readonly marker: boolean;
  readonly payload: Buffer;
  readonly begins: boolean;
};

/** A gap older than this is not repaired any more: the receiver waits for a key frame, ms. Repeats come within one second or never. */
const GIVE_UP_MS = 1_000;
/** A gap that lasts so long requests a key frame, ms, and again after as long. */
const WANT_KEY_MS = 300;
/** Packets that wait for others; more belong to no stream that could still be shown. */
const HELD_MAX = 4_000;
/** Packets of one picture; a sender that never ends one is not listened to for ever. */
const PARTS_MAX = 2_000;

export type PicturesDeps = {
  readonly codec: "h264" | "vp8";
  readonly picture: (picture: Picture) => void;
};

/** Assembles the packets of a video stream to frames, in order, as a browser shows them: a gap stops them until it is repaired or a key frame comes. */
export class Pictures {
  readonly #deps: PicturesDeps;
  readonly #held = new Map<number, Held>();
  /** Number of the next packet; undefined: a key frame must come first. */
  #next: number | undefined;
  #parts: Held[] = [];
  #stuckSinceMs: number | undefined;
  #wantedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: PicturesDeps) {
    this.#deps = deps;
  }

  add(number: number, packet: { timestamp: number; marker: boolean; payload: Buffer }, nowMs: number): void {
    if (this.#next !== undefined && number < this.#next) return;
    const { timestamp, marker, payload } = packet;
    if (this.#held.size >= HELD_MAX) this.#held.clear();
    this.#held.set(number, { timestamp, marker, payload, begins: beginsKeyPicture(payload, this.#deps.codec) });
    this.#deliver(nowMs);
  }

  /** Whether to request a key frame now. */
  wantsKey(nowMs: number): boolean {
    if (this.#stuckSinceMs !== undefined && nowMs - this.#stuckSinceMs > GIVE_UP_MS) this.#next = undefined;
    const since = this.#stuckSinceMs;
    if (since === undefined || nowMs - since < WANT_KEY_MS || nowMs - this.#wantedAtMs < WANT_KEY_MS) return false;
    this.#wantedAtMs = nowMs;
    return true;
  }

  #deliver(nowMs: number): void {
    this.#goOn(nowMs);
    if (this.#held.size === 0) {
      this.#stuckSinceMs = undefined;
      return;
    }
    const begin = this.#wholeKey();
    if (begin === undefined) {
      this.#stuckSinceMs ??= nowMs;
      return;
    }
    for (const number of this.#held.keys()) if (number < begin) this.#held.delete(number);
    this.#next = begin;
    this.#parts = [];
    this.#stuckSinceMs = undefined;
    this.#deliver(nowMs);
  }

  #goOn(nowMs: number): void {
    while (this.#next !== undefined) {
      const part = this.#held.get(this.#next);
      if (part === undefined) return;
      this.#held.delete(this.#next);
      this.#next += 1;
      this.#parts.push(part);
      if (part.marker) this.#whole(part.timestamp, nowMs);
      else if (this.#parts.length >= PARTS_MAX) this.#giveUp();
    }
  }

  /** Waits for a key frame. */
  #giveUp(): void {
    this.#next = undefined;
    this.#parts = [];
    this.#held.clear();
  }

  #whole(timestamp: number, atMs: number): void {
    const payloads = this.#parts.map(({ payload }) => payload);
    const bytes = payloads.reduce((sum, { length }) => sum + length, 0);
    const key = this.#parts[0]?.begins === true;
    this.#parts = [];
    this.#deps.picture({ timestamp, bytes, key, atMs, payloads });
  }

  /** The first packet of a key frame that is held whole. */
  #wholeKey(): number | undefined {
    // Where a walk has ended without a picture's end, another that comes by ends without one too: each packet is looked at once.
    const walked = new Set<number>();
    for (const [number, { begins }] of this.#held) {
      if (!begins) continue;
      let at = number;
      while (this.#held.get(at)?.marker === false && !walked.has(at)) walked.add(at++);
      if (this.#held.get(at)?.marker === true) return number;
    }
    return undefined;
  }
}

const STAP_A = 24;
const FU_A = 28;
const SPS = 7;

/** Whether an RTP payload is the first of a picture that needs none before it. */
export function beginsKeyPicture(payload: Buffer, codec: "h264" | "vp8"): boolean {
  return codec === "h264" ? beginsKeyH264(payload) : beginsKeyVp8(payload);
}

/** RFC 6184. Every key frame of ours carries its SPS. */
function beginsKeyH264(payload: Buffer): boolean {
  const type = (payload[0] ?? 0) & 0x1f;
  if (type === STAP_A) return ((payload[3] ?? 0) & 0x1f) === SPS;
  return type === SPS;
}

/** RFC 7741. */
function beginsKeyVp8(payload: Buffer): boolean {
  const first = payload[0] ?? 0;
  if ((first & 0x10) === 0 || (first & 0x0f) !== 0) return false;
  let at = 1;
  if ((first & 0x80) !== 0) {
    const more = payload[1] ?? 0;
    at = 2;
    if ((more & 0x80) !== 0) at += ((payload[at] ?? 0) & 0x80) !== 0 ? 2 : 1;
    if ((more & 0x40) !== 0) at += 1;
    if ((more & 0x30) !== 0) at += 1;
  }
  return at < payload.length && ((payload[at] ?? 1) & 1) === 0;
}

/** The access unit in Annex B of one H.264 picture's payloads, for a decoder. */
export function annexB(payloads: readonly Buffer[]): Buffer {
  const start = Buffer.from([0, 0, 0, 1]);
  const out: Buffer[] = [];
  for (const payload of payloads) {
    const first = payload[0] ?? 0;
    const type = first & 0x1f;
    if (type === STAP_A) {
      for (let at = 1; at + 2 < payload.length; ) {
        const bytes = payload.readUInt16BE(at);
        out.push(start, payload.subarray(at + 2, at + 2 + bytes));
        at += 2 + bytes;
      }
    } else if (type === FU_A) {
      const second = payload[1] ?? 0;
      if ((second & 0x80) !== 0) out.push(start, Buffer.from([(first & 0xe0) | (second & 0x1f)]));
      out.push(payload.subarray(2));
    } else out.push(start, payload);
  }
  return Buffer.concat(out);
}

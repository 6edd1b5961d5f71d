/** What a receiver reports of packets that carry a transport sequence number, in their order. */
export interface Arrivals {
  /** Number of the first packet, 16 bits. */
  readonly first: number;
  /** Of each packet from the first on: when it arrived by the receiver's clock, ms; null: it did not. */
  readonly arrivedAtMs: readonly (number | null)[];
}

/** Feedback, then for each packet a symbol of two bits, then the steps from arrival to arrival. */
const HEAD_BYTES = 20;
const REFERENCE_MS = 64;
const STEP_MS = 0.25;
/** A receiver reports many times a second; more packets than this are no report of one. */
const PACKETS_MAX = 2_048;
const MISSING = 0;
const SMALL = 1;
const LARGE = 2;

/** Reads transport-wide feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01). Null for what is malformed: the bytes are hostile. */
export function readArrivals(view: DataView): Arrivals | null {
  if (view.byteLength < HEAD_BYTES) return null;
  const count = view.getUint16(14);
  const symbols = count <= PACKETS_MAX ? readSymbols(view, count) : null;
  if (symbols === null) return null;
  let at = symbols.endsAt;
  // Three bytes with a sign.
  let atMs = (view.getInt32(16) >> 8) * REFERENCE_MS;
  const arrivedAtMs: (number | null)[] = [];
  for (const symbol of symbols.list) {
    if (symbol === MISSING) arrivedAtMs.push(null);
    else {
      if (at + symbol > view.byteLength) return null;
      atMs += (symbol === SMALL ? view.getUint8(at) : view.getInt16(at)) * STEP_MS;
      at += symbol;
      arrivedAtMs.push(atMs);
    }
  }
  return { first: view.getUint16(12), arrivedAtMs };
}

/** The symbols of `count` packets: each is the number of bytes of its step. */
function readSymbols(view: DataView, count: number): { list: number[]; endsAt: number } | null {
  const list: number[] = [];
  let at = HEAD_BYTES;
  while (list.length < count) {
    if (at + 2 > view.byteLength) return null;
    const chunk = view.getUint16(at);
    at += 2;
    if ((chunk & 0x8000) === 0) {
      const run = Math.min(chunk & 0x1fff, count - list.length);
      if (run === 0) return null;
      for (let n = 0; n < run; n += 1) list.push((chunk >> 13) & 3);
    } else {
      const bits = (chunk & 0x4000) === 0 ? 1 : 2;
      for (let shift = 14 - bits; shift >= 0 && list.length < count; shift -= bits)
        list.push((chunk >> shift) & (2 ** bits - 1));
    }
  }
  return list.every((symbol) => symbol <= LARGE) ? { list, endsAt: at } : null;
}

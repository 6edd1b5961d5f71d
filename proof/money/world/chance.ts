/** Repeatable chance: the same seed gives the same world. */
export type Chance = {
  /** 0 to below 1. */
  next(): number;
  /** True in this share of all cases. */
  hits(share: number): boolean;
  /** A whole number, both ends included. */
  whole(least: number, most: number): number;
  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T;
  bytes(length: number): Buffer;
};

/**
 * The generator sfc32: small, fast, and good enough to spread faults.
 * @param prefix: begins all its bytes, so that ids of two worlds with one seed differ and their order does not.
 */
export function createChance(seed: number, prefix: Buffer = Buffer.alloc(0)): Chance {
  let [a, b, c, counter] = [seed | 0, (seed ^ 0x9e3779b9) | 0, 0x243f6a88 | 0, 1];
  const word = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  for (let turn = 0; turn < 12; turn += 1) word();
  const next = (): number => word() / 0x1_0000_0000;
  return {
    next,
    hits: (share) => next() < share,
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (from) => {
      const picked = from[Math.floor(next() * from.length)];
      if (picked === undefined) throw new Error("there is nothing to pick from");
      return picked;
    },
    bytes: (length) => {
      const bytes = Buffer.alloc(length);
      prefix.copy(bytes);
      for (let at = prefix.length; at < length; at += 1) bytes[at] = word() & 0xff;
      return bytes;
    },
  };
}

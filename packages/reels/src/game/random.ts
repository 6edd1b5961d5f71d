import { createHash } from "node:crypto";

/** Whole numbers without bias. */
export type Random = {
  /** A whole number from 0 to `below` − 1; `below` is 1 to 2^48. */
  whole(below: number): number;
};

const SPAN = 2 ** 48;

/**
 * A repeatable stream for one purpose of one machine: SHA-256 in counter mode over `seed` and `purpose`. Without state between
 * games, so a restart can neither repeat nor skip a draw, and strong enough that play does not reveal the seed.
 */
export function randomOf(seed: string, purpose: string): Random {
  let counter = 0;
  let block = Buffer.alloc(0);
  let used = 0;
  const next = (): number => {
    if (used + 6 > block.length) {
      block = createHash("sha256")
        .update(JSON.stringify([seed, purpose, counter]))
        .digest();
      counter += 1;
      used = 0;
    }
    const value = block.readUIntBE(used, 6);
    used += 6;
    return value;
  };
  return {
    whole(below) {
      if (!Number.isSafeInteger(below) || below < 1 || below > SPAN)
        throw new RangeError(`below must be 1 to 2^48, not ${below}`);
      const fair = SPAN - (SPAN % below);
      let value = next();
      while (value >= fair) value = next();
      return value % below;
    },
  };
}

import { createStore } from "zustand/vanilla";
import type { Live } from "../../shared/live/live.ts";
import type { Storage } from "../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";

export const CLAIM_KINDS = ["discount", "bonus"] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** When each key may be used again, ms since 1970; 0: now. */
export type FreeAt = Readonly<Record<ClaimKind, number>>;

/** When this browser last used each key: it outlives a reload and counts in every tab (decision D-38). */
export type ClaimTimes = {
  readonly freeAt: Live<FreeAt>;
  /** How long a key still waits, ms; 0: it may be used. */
  leftMs(kind: ClaimKind): number;
  /** The call is being sent now. */
  use(kind: ClaimKind): void;
  /** Another tab may have used a key, or the clock was changed: looks again. */
  look(): void;
};

const KEYS = { discount: STORAGE_KEYS.discountUsed, bonus: STORAGE_KEYS.bonusUsed } as const;

/** `leastMs`: least time between two uses of one key (`claimThrottleMs` of the settings). */
export function createClaimTimes(storage: Storage, clock: { now(): number }, leastMs: number): ClaimTimes {
  function freeAtOf(kind: ClaimKind): number {
    const usedAt = Number(storage.read(KEYS[kind]) ?? Number.NaN);
    const now = clock.now();
    // A use that lies ahead means a clock that was set back; without a word of ours the key would wait for hours.
    if (usedAt > now) {
      use(kind);
      return now + leastMs;
    }
    return usedAt + leastMs > now ? usedAt + leastMs : 0;
  }
  function use(kind: ClaimKind): void {
    storage.write(KEYS[kind], String(clock.now()));
  }
  const read = (): FreeAt => ({ discount: freeAtOf("discount"), bonus: freeAtOf("bonus") });

  const freeAt = createStore<FreeAt>(read);
  function look(): void {
    freeAt.setState(read(), true);
  }
  return {
    freeAt,
    look,
    leftMs(kind) {
      look();
      return Math.max(0, freeAt.getState()[kind] - clock.now());
    },
    use(kind) {
      use(kind);
      look();
    },
  };
}

import * as z from "zod/mini";
import type { Storage } from "../../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../../shared/storage/storage.ts";

/**
 * The lock flag in the browser's storage. The token stands in it while the screen is locked: whoever takes the flag away takes the
 * sign-in away with it.
 */
const LockRecord = z.object({
  token: z.string().check(z.minLength(1)),
  /** Wrong PINs so far. */
  wrong: z._default(z.number().check(z.gte(0)), 0),
  /** No PIN is taken before this time, ms since 1970. */
  until: z._default(z.number(), 0),
  /** A PIN that may still grow was compared and not counted yet: whoever leaves the page with it has tried. */
  pending: z._default(z.boolean(), false),
});
export type LockRecord = z.output<typeof LockRecord>;

/** The kept lock, or undefined when the screen is not locked. Something unreadable under its key locks nothing: it holds no token. */
export function readLock(storage: Storage): LockRecord | undefined {
  try {
    const read = z.safeParse(LockRecord, JSON.parse(storage.read(STORAGE_KEYS.lock) ?? "null"));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

export function writeLock(storage: Storage, record: LockRecord): void {
  storage.write(STORAGE_KEYS.lock, JSON.stringify(record));
}

/** Wrong PINs before the first pause. */
const FREE_TRIES = 3;
const PAUSE_MS = 5_000;
export const PAUSE_MS_MAX = 300_000;

/** How long no PIN is taken after this many wrong ones, ms: it doubles from the third on. */
export function pauseAfter(wrong: number): number {
  return wrong < FREE_TRIES ? 0 : Math.min(PAUSE_MS * 2 ** (wrong - FREE_TRIES), PAUSE_MS_MAX);
}

/** What is left of a pause, ms. A clock that was set back never makes it longer than the longest. */
export function pauseLeft(until: number, now: number): number {
  return Math.max(0, Math.min(until - now, PAUSE_MS_MAX));
}

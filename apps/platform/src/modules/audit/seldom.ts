import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import type { Audit, AuditEntry } from "./audit.ts";

/** The same thing is written down once in this time; the next entry says how often it has happened since, ms. */
const AGAIN_MS = 60_000;
/** What is remembered at most, and written down at most in that time: a flood from everywhere must not fill the log. */
const KEPT_MAX = 1_000;

/** Writes what anybody may cause as often as they like: a limit that is hit, a visitor at the gate. */
export type Seldom = {
  /** Never throws and is not waited for. `key` says what is the same thing. */
  note(key: string, entry: AuditEntry): void;
  /** Waits for what was begun. */
  settled(): Promise<void>;
};

export function createSeldom({ audit, clock, log }: { audit: Audit; clock: Pick<Clock, "now">; log: Log }): Seldom {
  const seen = new Map<string, number>();
  const pending = new Set<Promise<void>>();
  let windowStart = clock.now();
  let unseen = 0;

  function begin(now: number): void {
    if (unseen > 0) log.warn({ entries: unseen }, "more happened in a minute than the audit log takes of its kind");
    windowStart = now;
    unseen = 0;
    seen.clear();
  }

  return {
    note(key, entry) {
      const now = clock.now();
      if (now - windowStart >= AGAIN_MS) begin(now);
      const times = seen.get(key) ?? 0;
      if (times === 0 && seen.size >= KEPT_MAX) {
        unseen += 1;
        return;
      }
      seen.set(key, times + 1);
      // The first, and then each tenfold: how large a flood was is told while it goes on, by a handful of entries.
      if (times !== 0 && !/^9+$/.test(String(times))) return;
      const facts = times === 0 ? entry.facts : { ...entry.facts, timesInAMinute: times + 1 };
      const writing = audit
        .write({ ...entry, ...(facts && { facts }) })
        .catch((error: unknown) =>
          log.warn({ err: error, type: entry.type }, "an entry of the audit log could not be written"),
        )
        .finally(() => pending.delete(writing));
      pending.add(writing);
    },
    async settled() {
      while (pending.size > 0) await Promise.allSettled([...pending]);
    },
  };
}

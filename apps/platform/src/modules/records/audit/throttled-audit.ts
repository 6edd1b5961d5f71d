import type { Clock } from "../../../clock.ts";
import type { Log } from "../../../log.ts";
import type { Audit, AuditEntry } from "./audit.ts";

/** The same thing is written down once in this time; the next entry says how often it has happened since, ms. */
const AGAIN_MS = 60_000;
/** What could not be written is tried again after this long, ms. */
const RETRY_MS = 5_000;
/** What is remembered at most, and written down at most in that time: a flood from everywhere must not fill the log. */
const KEPT_MAX = 1_000;

/** Writes what anybody may cause as often as they like: a limit that is hit, a visitor at the gate. */
export type ThrottledAudit = {
  /** Never throws and is not waited for. `key` says what is the same thing. */
  note(key: string, entry: AuditEntry): void;
  /** Waits for what was begun, and tries what could not be written once more. */
  settled(): Promise<void>;
};

type Unwritten = { readonly entry: AuditEntry; readonly happenedAt: Date };

export function createThrottledAudit({ audit, clock, log }: { audit: Audit; clock: Clock; log: Log }): ThrottledAudit {
  const countOf = countByMinute(clock, log);
  let writing = Promise.resolve();
  /** How many wait to be written: while the database takes its time over each they must not grow without end. */
  let waiting = 0;
  const unwritten: Unwritten[] = [];
  let retrying = false;

  /** One after the other: they stay in their order, and a flood takes one connection of the database. */
  function enqueue(run: () => Promise<void>): void {
    writing = writing.then(run);
  }

  /** What happens while the database is away is written once it is back, and says when it happened. */
  function keep(missed: Unwritten, error: unknown): void {
    if (unwritten.length >= KEPT_MAX || isRefused(error)) {
      log.error({ err: error, type: missed.entry.type }, "an entry of the audit log is lost");
      return;
    }
    unwritten.push(missed);
    if (retrying) return;
    retrying = true;
    clock.after(RETRY_MS, () => enqueue(retry));
  }

  async function retry(): Promise<void> {
    retrying = false;
    for (const missed of unwritten.splice(0)) {
      const { entry, happenedAt } = missed;
      await audit
        .write({ ...entry, facts: { ...entry.facts, happenedAt } })
        .catch((error: unknown) => keep(missed, error));
    }
  }

  return {
    note(key, entry) {
      const times = countOf(key);
      // The first, and then each tenfold: a handful of entries shows how large a flood is while it continues.
      if (times === null || !/^10*$/.test(String(times))) return;
      const told = times === 1 ? entry : { ...entry, facts: { ...entry.facts, timesInAMinute: times } };
      const missed = { entry: told, happenedAt: new Date(clock.now()) };
      if (waiting >= KEPT_MAX) return keep(missed, new Error("too many entries wait for the database"));
      waiting += 1;
      enqueue(async () => {
        waiting -= 1;
        await audit.write(told).catch((error: unknown) => keep(missed, error));
      });
    },
    async settled() {
      await writing;
      if (unwritten.length > 0) await retry();
    },
  };
}

/** How often the same has happened in this minute, this time counted; null: more different things have than are remembered. */
function countByMinute(clock: Clock, log: Log): (key: string) => number | null {
  const seen = new Map<string, number>();
  let began = clock.now();
  let unseen = 0;

  function begin(now: number): void {
    if (unseen > 0) log.warn({ entries: unseen }, "more happened in a minute than the audit log takes of its kind");
    began = now;
    unseen = 0;
    seen.clear();
  }

  return (key) => {
    const now = clock.now();
    if (now - began >= AGAIN_MS) begin(now);
    const times = (seen.get(key) ?? 0) + 1;
    if (times === 1 && seen.size >= KEPT_MAX) {
      unseen += 1;
      return null;
    }
    seen.set(key, times);
    return times;
  };
}

/** The database has understood the entry and will never take it: data exceptions and broken constraints. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^2[23]/.test(String(error.code));
}

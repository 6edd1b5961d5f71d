import { sql } from "kysely";
import type { Clock, Stop } from "../../../clock.ts";
import type { AnyDb } from "../../../deps.ts";
import type { Log } from "../../../log.ts";
import type { Audit } from "./audit.ts";
import type { Witness } from "./verify.ts";
import { linkWaiting } from "./verify.ts";

/** What waits is linked this often, ms. */
const LINK_MS = 1_000;
const LINK_AT_ONCE = 500;
/** Clocks are compared this often, ms. */
const CLOCK_MS = 60_000;
/** The end of the chain is looked at this often, ms. */
const TAIL_MS = 60_000;
/** Clocks that are further apart than this differ, ms. Leases and times to act are judged by the database's, so play does not suffer. */
const CLOCK_DIFFERENCE_MS = 2_000;
/** A difference that remains is reported again after this long, ms. */
const CLOCK_AGAIN_MS = 3_600_000;
/** A wall clock that moved by this much more or less than time went by was changed, ms. */
const JUMP_MS = 2_000;

export type KeeperDeps = {
  readonly db: AnyDb;
  readonly audit: Audit;
  readonly clock: Clock;
  /** Time since anything, ms; it only grows, whatever becomes of the clock. */
  readonly elapsed: () => number;
  readonly log: Log;
  readonly node: string;
};

export type Keeper = {
  /** Links what waits, now. */
  link(): Promise<void>;
  /** Waits for what was begun. */
  settled(): Promise<void>;
  /** Stops the timers and links what it can. */
  close(): Promise<void>;
};

/** Links entries into the chain, and notices what no other part does: an outage of the database, a clock that was changed. */
export function createKeeper(deps: KeeperDeps): Keeper {
  const { db, audit, clock, log, node } = deps;
  let running: Promise<void> | undefined;
  /** Since when the database cannot be reached, ms since 1970. */
  let awaySince: number | undefined;

  async function link(): Promise<void> {
    try {
      await linkWaiting(db, LINK_AT_ONCE);
      if (awaySince !== undefined) await tellBack(awaySince);
      awaySince = undefined;
    } catch (error) {
      // One line an outage.
      if (awaySince === undefined)
        log.warn({ err: error }, "the audit log cannot be linked, the next second tries again");
      awaySince ??= clock.now();
    }
  }

  async function tellBack(since: number): Promise<void> {
    const facts = { since: new Date(since), until: new Date(clock.now()) };
    await audit.write({ type: "database.back", actor: `node:${node}`, subject: "database", facts });
  }

  function once(): Promise<void> {
    running ??= link().finally(() => {
      running = undefined;
    });
    return running;
  }

  const clocks = watchClocks(deps);
  const lookAtTail = watchTail(deps);
  const stops: Stop[] = [
    clock.every(LINK_MS, () => {
      clocks.noticeJump();
      void once();
    }),
    clock.every(CLOCK_MS, () => void clocks.compare()),
    clock.every(TAIL_MS, () => void clocks.tell(lookAtTail)),
  ];
  return {
    link: once,
    settled: clocks.settled,
    async close() {
      for (const stop of stops) stop();
      await once();
      await clocks.settled();
    },
  };
}

function watchClocks({ db, audit, clock, elapsed, log, node }: KeeperDeps) {
  let wall = clock.now();
  let ran = elapsed();
  let toldAt = Number.NEGATIVE_INFINITY;
  let telling: Promise<void> = Promise.resolve();
  const subject = `node:${node}`;
  const tell = (run: () => Promise<void>): Promise<void> => {
    telling = telling
      .then(run)
      .catch((error: unknown) =>
        log.warn({ err: error }, "the clocks or the end of the audit log could not be looked at"),
      );
    return telling;
  };
  return {
    noticeJump(): void {
      const [wallNow, ranNow] = [clock.now(), elapsed()];
      const jumped = Math.round(wallNow - wall - (ranNow - ran));
      wall = wallNow;
      ran = ranNow;
      if (Math.abs(jumped) < JUMP_MS) return;
      void tell(() =>
        audit.write({ type: "clock.jumped", actor: subject, subject, facts: { byMs: jumped, to: new Date(wallNow) } }),
      );
    },
    compare: () =>
      tell(async () => {
        const before = clock.now();
        const { rows } = await sql<{
          ms: number;
        }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db);
        const after = clock.now();
        const differsMs = Math.round((rows[0]?.ms ?? after) - (before + after) / 2);
        // A slow answer says nothing about the clocks.
        if (Math.abs(differsMs) < CLOCK_DIFFERENCE_MS + (after - before) || after - toldAt < CLOCK_AGAIN_MS) return;
        toldAt = after;
        log.error(
          { alarm: "clock", differsMs },
          "the clocks of this computer and of the database differ: let both follow the same time server",
        );
        await audit.write({ type: "clock.differs", actor: subject, subject, facts: { databaseAheadMs: differsMs } });
      }),
    tell,
    settled: () => telling,
  };
}

/**
 * A witness that lives as long as this process: it remembers the newest link, and looks later whether it is still what it was. An end that
 * is cut off, or a chain that is made anew, is found within a minute, by whatever rights it was done.
 */
function watchTail({ db, audit, log, node }: { db: AnyDb; audit: Audit; log: Log; node: string }) {
  let seen: Witness | undefined;

  async function linkAt(position: number): Promise<Witness | undefined> {
    const { rows } =
      await sql<Witness>`select position, encode(hash, 'hex') as hash from audit.links where position = ${position}`.execute(
        db,
      );
    return rows[0];
  }

  async function newest(): Promise<Witness | undefined> {
    const { rows } = await sql<Witness>`select position, encode(hash, 'hex') as hash from audit.links
      order by audit.links.position desc limit 1`.execute(db);
    return rows[0];
  }

  return async (): Promise<void> => {
    if (seen !== undefined) {
      const now = await linkAt(seen.position);
      if (now?.hash !== seen.hash) {
        const facts = { witness: seen, found: now ?? null };
        log.error(
          { alarm: "audit", ...facts },
          "the audit log is not what it was: its end was cut off, or it was made anew",
        );
        await audit.write({ type: "data.tampered", actor: `node:${node}`, subject: "audit", facts });
      }
    }
    seen = await newest();
  };
}

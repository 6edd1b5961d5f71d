import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import { clearAccount, concludeReading, noteLines, takeReading, unexplained } from "../books/index.ts";
import { storeMeters } from "../machines.ts";
import type { MetersNow, PlayDb } from "../tables.ts";
import type { ReconcileParts } from "./deps.ts";

/**
 * Machines in play whose credit meter differs from the ledger's account, although no game and no transfer is under way: their last
 * report may be a moment old, so each is read and compared again (field notes, section 7 row 28).
 */
export async function comparePlaying(parts: ReconcileParts, live: ReadonlyMap<string, MetersNow>): Promise<void> {
  const calm = [...live].filter(([, meters]) => !meters.inGame && !meters.bonus && meters.handPay === undefined);
  if (calm.length === 0) return;
  const { rows } = await sql<{ machine_id: string; balance: number; taken_game: number }>`
    select s.machine_id, coalesce(a.balance_minor, 0) as balance, m.taken_game from seat s join machine m on m.id = s.machine_id
    left join ledger.accounts a on a.address = 'machine:' || s.machine_id
    where s.machine_id = any(${calm.map(([machineId]) => machineId)}) and s.state in ('seated', 'playing', 'idling', 'waiting')
      and not exists (select from machine_transfer t where t.machine_id = s.machine_id and t.state in ('asking', 'unknown'))
      and not exists (select from discrepancy d where d.machine_id = s.machine_id and d.explained_at is null)`.execute(
    parts.deps.db,
  );
  for (const { machine_id: machineId, balance, taken_game: taken } of rows) {
    const meters = live.get(machineId);
    if (meters === undefined || meters.gamesPlayed !== taken || meters.credit === balance) continue;
    try {
      await readPlaying(parts, machineId);
    } catch (error) {
      // One machine that cannot be compared keeps neither the others nor the look for orphans waiting.
      parts.deps.log.error({ err: error, machineId }, "a machine in play could not be compared with the books");
    }
  }
}

async function readPlaying({ deps, seats, agents }: ReconcileParts, machineId: string): Promise<void> {
  const before = await booksOf(deps.db, machineId);
  const shown = await agents.request("egm.meters", { machineId });
  if (shown.is !== "done") return;
  const { meters, totals } = shown.data;
  await seats.within(machineId, async (seat) => {
    // A transfer that was decided since the machine was read is on one side only.
    if (seat.row.state === "free" || !isDeepStrictEqual(before, await booksOf(seat.trx, machineId))) return;
    const { play_session_id: playSessionId } = seat.row;
    const nodeId = deps.config.play.NODE_ID;
    const reading = { machineId, playSessionId, why: "play", shown: { meters, totals }, nodeId } as const;
    const taken = await takeReading(deps.ledger, seat.trx, reading);
    if (taken === null) return;
    await concludeReading(seat.trx, reading, taken, await noteLines(deps, seat, unexplained(taken.lines)));
  });
}

/** The running sums, and every transfer that is open: the same twice means that no money was on its way between. */
async function booksOf(db: PlayDb, machineId: string): Promise<unknown> {
  const { rows } = await sql`
    select b.*, (select max(t.id) from machine_transfer t where t.machine_id = s.machine_id and t.state in ('asking', 'unknown')) as open
    from seat s left join machine_books b on b.machine_id = s.machine_id where s.machine_id = ${machineId}`.execute(db);
  return rows;
}

/**
 * Compares a free machine's meters with what was booked of it: no player is there, so whatever changed since the last time came from
 * elsewhere. Does nothing while somebody has the seat: its end compares. @returns the meters that it showed; undefined: it could not be read.
 */
export async function readFree(
  { deps, seats, agents }: ReconcileParts,
  machineId: string,
  why: "hello" | "day",
): Promise<MetersNow | undefined> {
  const before = await seatOf(deps.db, machineId);
  if (before?.state !== "free") return undefined;
  const shown = await agents.request("egm.meters", { machineId });
  if (shown.is !== "done") return undefined;
  const { meters, totals } = shown.data;
  await seats.within(machineId, async (seat) => {
    if (seat.row.state !== "free" || seat.row.epoch !== before.epoch) return;
    const nodeId = deps.config.play.NODE_ID;
    const reading = { machineId, playSessionId: null, why, shown: { meters, totals }, nodeId } as const;
    const taken = await takeReading(deps.ledger, seat.trx, reading);
    if (taken === null) return;
    const wrong = unexplained(taken.lines);
    const cleared = meters.credit === 0 ? await clearAccount(deps, seat, { kind: "late", lines: wrong }) : null;
    await concludeReading(seat.trx, reading, taken, cleared ?? (await noteLines(deps, seat, wrong)));
  });
  return meters;
}

/** Whether the newest reading of a machine shows these meters, agrees with the books, and nothing is left to explain. */
export async function agreesWithBooks(db: PlayDb, machineId: string, meters: MetersNow): Promise<boolean> {
  const { rows } = await sql<{ agrees: boolean }>`
    select r.games_played = ${meters.gamesPlayed} and r.credit = ${meters.credit}
      and coalesce((select c.agrees from reconciliation c where c.machine_id = r.machine_id and c.reading = r.number order by c.id desc limit 1), true)
      and not exists (select from discrepancy d where d.machine_id = r.machine_id and d.explained_at is null) as agrees
    from meter_reading r where r.machine_id = ${machineId} order by r.number desc limit 1`.execute(db);
  return rows[0]?.agrees === true;
}

async function seatOf(db: ReconcileParts["deps"]["db"], machineId: string) {
  return await db.selectFrom("seat").select(["state", "epoch"]).where("machine_id", "=", machineId).executeTakeFirst();
}

/** The last reported meters of each machine. The database does not keep them while nothing happens, so credits without an owner are found here. */
export class LiveMeters {
  readonly #parts: ReconcileParts;
  readonly #last = new Map<string, MetersNow>();

  constructor(parts: ReconcileParts) {
    this.#parts = parts;
  }

  /** Machines of this node's links, with what they said last. */
  ofThisNode(): Map<string, MetersNow> {
    const mine = new Set(this.#parts.agents.machineIds());
    return new Map([...this.#last].filter(([machineId]) => mine.has(machineId)));
  }

  /**
   * Every report of a machine's meters. Credits that appear on a free machine, or go again, are stored: no player may sit down at another
   * one's credits, and the sweep calls for staff.
   */
  async reported(machineId: string, meters: MetersNow): Promise<void> {
    const before = this.#last.get(machineId);
    this.#last.set(machineId, meters);
    if (before === undefined ? meters.credit === 0 : before.credit > 0 === meters.credit > 0) return;
    // The node that has the agent's link does it.
    if (!this.#parts.agents.machineIds().includes(machineId)) return;
    try {
      await this.#write(machineId, meters);
    } catch (error) {
      // As if it had not arrived: the next report is stored then.
      if (before === undefined) this.#last.delete(machineId);
      else this.#last.set(machineId, before);
      throw error;
    }
  }

  async #write(machineId: string, meters: MetersNow): Promise<void> {
    await this.#parts.seats.within(machineId, async (seat) => {
      if (seat.row.state !== "free" || meters.inGame) return;
      await storeMeters(seat.trx, machineId, meters);
    });
  }
}

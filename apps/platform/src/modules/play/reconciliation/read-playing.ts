import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import { concludeReading, noteLines, takeReading, unexplained } from "../books/index.ts";
import type { MetersNow, PlayDb } from "../tables.ts";
import type { ReconcileParts } from "./parts.ts";

/**
 * Machines in play whose credit meter stands elsewhere than the ledger's account, although no game and no transfer is under way: what they
 * said last may be a moment old, so each is asked and compared afresh (field notes, section 7 row 28).
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
  const shown = await agents.ask("egm.meters", { machineId });
  if (shown.is !== "done") return;
  const { meters, totals } = shown.data;
  await seats.within(machineId, async (seat) => {
    // A transfer that was decided since the machine was asked is on one side only.
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

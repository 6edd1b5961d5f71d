import type { SeatTurn } from "@longarm/contract/player-queue";
import type { Kysely, RawBuilder, Transaction } from "kysely";
import { sql } from "kysely";
import type { PlayDeps } from "../deps.ts";
import { mayNotSit } from "../may-sit.ts";
import { linesOf } from "./line.ts";
import type { QueueDb, QueueTables } from "./tables.ts";

/* Fair time: where the venue says so, play ends after so long with others waiting. Rows hold what is left, so that it outlives every process. */

/** A turn is never shorter, minutes. */
const LEAST_MIN = 15;
/** Whenever the time runs again after it was stopped, so much is left at least, ms: the player reads it in good time. */
export const AGAIN_MS = 300_000;
/** No look for so long: the time is stopped, ms. A platform that is away takes nothing from a player. */
const UNSEEN_MS = 15_000;
/** A waiting player without an open page for so long hurries no player, ms; an open page is noted each 20 s. */
const ABSENT_MS = 60_000;
/** So many of a line are judged, whether they may sit down: one is enough. */
const JUDGED_MAX = 5;

/** A turn at one moment. */
export type TurnNow = {
  /** What is left, ms. */
  readonly leftMs: number;
  /** Somebody waits, and it gets less. */
  readonly runs: boolean;
};

/** What a turn is after a look. @param sinceMs from the last look to this one. @param waited whether somebody waits now who may sit down. */
export function turnAfter({ leftMs, runs }: TurnNow, sinceMs: number, waited: boolean): TurnNow {
  const passed = runs && sinceMs <= UNSEEN_MS ? sinceMs : 0;
  const left = Math.max(0, leftMs - passed);
  return { leftMs: waited && !runs ? Math.max(left, AGAIN_MS) : left, runs: waited };
}

/** How long a turn is by the venue's minutes, ms. */
export const turnMs = (limitMin: number): number => Math.max(LEAST_MIN, limitMin) * 60_000;

/** A play session begins: how long it may continue while others wait. @param limitMin of the venue, minutes; 0: as long as the player likes. */
export async function beginTurn(
  trx: Transaction<QueueTables>,
  { machineId, playSessionId, limitMin }: { machineId: string; playSessionId: string; limitMin: number },
): Promise<void> {
  if (limitMin === 0) return;
  const ms = turnMs(limitMin);
  const turn = { play_session_id: playSessionId, limit_min: ms / 60_000, left_ms: ms, ends_at: null };
  await trx
    .insertInto("seat_turn")
    .values({ machine_id: machineId, ...turn })
    .onConflict((conflict) => conflict.column("machine_id").doUpdateSet(turn))
    .execute();
}

/** For queries with a play session `ps` at a machine: what is left of its turn, ms; null: no player waits, or there is no rule. */
export function turnLeftMs(): RawBuilder<number | null> {
  return sql<
    number | null
  >`(select (extract(epoch from t.ends_at - clock_timestamp()) * 1000)::double precision from seat_turn t
    where t.play_session_id = ps.id and t.machine_id = ps.machine_id and t.looked_at > clock_timestamp() - ${UNSEEN_MS} * interval '1 millisecond')`;
}

/** For queries with a play session `ps`: whether its turn is over, and others wait. */
export function isTurnOver(): RawBuilder<boolean> {
  return sql<boolean>`coalesce(${turnLeftMs()} <= 0, false)`;
}

/** The turns of these play sessions as their players see them. */
export async function turnsOf(
  db: Kysely<QueueTables>,
  playSessionIds: readonly string[],
): Promise<(playSessionId: string) => SeatTurn> {
  const { rows } = await sql<{ id: string; limitMin: number; leftMs: number | null }>`
    select ps.id, t.limit_min::int as "limitMin", ${turnLeftMs()} as "leftMs"
    from play_session ps join seat_turn t on t.play_session_id = ps.id and t.machine_id = ps.machine_id
    where ps.id = any(${[...playSessionIds]}::text[])`.execute(db);
  const turns = new Map(rows.map((row) => [row.id, row]));
  return (id) => {
    const { limitMin = null, leftMs = null } = turns.get(id) ?? {};
    return { limitMin, leftMs: leftMs === null ? null : Math.max(0, Math.floor(leftMs)) };
  };
}

type Turn = TurnNow & {
  readonly machineId: string;
  readonly playSessionId: string;
  readonly playerId: string;
  readonly sinceMs: number;
  /** The machine can be played: no fault, no hand pay. */
  readonly playable: boolean;
};

/**
 * Looks whether somebody waits at these machines whose players have a turn, and lets its time run or stops it.
 * @returns the machines where that has changed.
 */
export async function lookAtTurns(
  deps: Pick<PlayDeps, "config" | "ledger" | "helpListed" | "askRegisters">,
  db: QueueDb,
  machineIds: readonly string[],
): Promise<string[]> {
  const turns = await turnsAt(db, machineIds);
  if (turns.length === 0) return [];
  const waited = await whereSomebodyWaits(deps, db, turns);
  const changed: string[] = [];
  for (const turn of turns) {
    const { machineId, playSessionId, sinceMs } = turn;
    const next = turnAfter(turn, sinceMs, waited.has(machineId));
    // After a pause of the looks the page and the agent know of no time that runs.
    if (next.runs !== turn.runs || (next.runs && sinceMs > UNSEEN_MS)) changed.push(machineId);
    if (!next.runs && !turn.runs) continue;
    await sql`update seat_turn set left_ms = ${Math.round(next.leftMs)}, looked_at = clock_timestamp(),
        ends_at = case when ${next.runs} then clock_timestamp() + ${next.leftMs} * interval '1 millisecond' end
      where machine_id = ${machineId} and play_session_id = ${playSessionId}`.execute(db);
  }
  return changed;
}

async function turnsAt(db: QueueDb, machineIds: readonly string[]): Promise<Turn[]> {
  const { rows } = await sql<Turn>`
    select t.machine_id as "machineId", t.play_session_id as "playSessionId", s.player_id as "playerId",
      t.left_ms::double precision as "leftMs", t.ends_at is not null as runs,
      (extract(epoch from clock_timestamp() - t.looked_at) * 1000)::double precision as "sinceMs",
      (m.lockup is null and not m.offline and m.meters -> 'handPay' is null) as playable
    from seat_turn t join seat s on s.machine_id = t.machine_id and s.play_session_id = t.play_session_id
      join machine m on m.id = t.machine_id
    where s.ending is null and t.machine_id = any(${[...machineIds]}::text[])`.execute(db);
  return rows;
}

/** The machines that another player waits for who may sit down there now. */
async function whereSomebodyWaits(
  deps: Parameters<typeof mayNotSit>[0],
  db: QueueDb,
  turns: readonly Turn[],
): Promise<ReadonlySet<string>> {
  const playable = turns.filter((turn) => turn.playable);
  const here = await linesOf(
    db,
    playable.map(({ machineId }) => machineId),
  );
  const present = new Set(await presentOf(db, here));
  const waited = new Set<string>();
  for (const { machineId, playerId } of playable) {
    const line = here.filter(
      (place) => place.machineId === machineId && place.player_id !== playerId && present.has(place.id),
    );
    for (const { player_id } of line.slice(0, JUDGED_MAX)) {
      const problem = await db.transaction().execute((trx) => mayNotSit(deps, trx, { playerId: player_id, machineId }));
      if (problem !== null) continue;
      waited.add(machineId);
      break;
    }
  }
  return waited;
}

/** Places whose players have a page open and are not called elsewhere. */
async function presentOf(db: QueueDb, line: readonly { readonly id: string }[]): Promise<string[]> {
  if (line.length === 0) return [];
  const { rows } = await sql<{
    id: string;
  }>`select id from queue_place where id = any(${line.map(({ id }) => id)}::text[])
    and called_machine is null and seen_at > clock_timestamp() - ${ABSENT_MS} * interval '1 millisecond'`.execute(db);
  return rows.map(({ id }) => id);
}

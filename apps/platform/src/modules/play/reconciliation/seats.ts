import { sql } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import { noteDifference } from "../books/index.ts";
import { eachByItself } from "../each-by-itself.ts";
import type { OpenSeat } from "../seat/index.ts";
import { playStates, rowOfState } from "../seat/index.ts";
import type { ReconcileParts } from "./parts.ts";

const timed = Object.entries(playStates).flatMap(([state, { after }]) => (after === undefined ? [] : [state]));
/** States that last as long as a machine, its staff or its agent take. */
const UNTIMED = ["inGame", "inBonus", "draining", "handPay", "fault", "ending", "transferUnknown"] as const;

/**
 * Seats whose row contradicts the facts it was decided by, or that have no time although their state ends by one: nothing would ever move
 * them. They go where the facts say they are. @returns how many were mended.
 */
export async function mendSeats({ deps, seats }: ReconcileParts): Promise<number> {
  const { rows } = await sql<{ machine_id: string }>`
    select s.machine_id from seat s join machine m on m.id = s.machine_id
    where s.state = any(${timed}) and s.due_at is null
      or s.state in ('inGame', 'inBonus', 'bonusWaiting', 'draining')
        and not (coalesce((m.meters ->> 'inGame')::boolean, false) or coalesce((m.meters ->> 'bonus')::boolean, false))
      or s.state = 'handPay' and m.meters -> 'handPay' is null
      or s.state = 'fault' and m.meters -> 'lockup' is null
      or s.state in ('seated', 'playing', 'idling') and s.holder_socket is null
      or s.state in ('waiting', 'bonusWaiting') and s.holder_socket is not null
      or s.state <> 'free' and s.state <> 'agentAway' and (s.state = 'transferUnknown') <> exists (
        select from machine_transfer t where t.machine_id = s.machine_id and t.state = 'unknown')`.execute(deps.db);
  let mended = 0;
  await eachByItself(deps.log, rows, async ({ machine_id: machineId }) => {
    const moved = await seats.within(machineId, (seat) => bringHome(seat, seats.times));
    if (moved === null) return;
    mended += 1;
    deps.log.warn({ machineId, ...moved }, "a seat that could not move is where its facts say it is");
  });
  return mended;
}

async function bringHome(seat: OpenSeat, times: ReconcileParts["seats"]["times"]) {
  const { state: was, due_at: due } = seat.row;
  // Another node may be of a newer version, with a state that this one has no name for.
  if (was === "free" || !Object.hasOwn(playStates, was)) return null;
  await seat.happen("repaired");
  const { after } = rowOfState(seat.row.state);
  const isTimeless = after !== undefined && seat.row.due_at === null;
  if (isTimeless) await seat.change({ due_at: databaseIn(times[after]) });
  return seat.row.state === was && !(isTimeless && due === null) ? null : { was, is: seat.row.state };
}

type Kept = { readonly key: string; readonly since: number };

/** Calls for staff when something keeps a seat for too long. `memory`: since when each was seen so. @returns how many there are. */
export async function callForStuck({ deps }: ReconcileParts, memory: Map<string, Kept>): Promise<number> {
  const rows = await deps.db
    .selectFrom("seat")
    .select(["machine_id", "state", "epoch", "play_session_id"])
    .where("state", "in", [...UNTIMED])
    .execute();
  const now = deps.clock.now();
  const seen = new Set(rows.map(({ machine_id: id }) => id));
  for (const id of memory.keys()) if (!seen.has(id)) memory.delete(id);
  let stuck = 0;
  for (const { machine_id: machineId, state, epoch, play_session_id: playSessionId } of rows) {
    const key = `${state} ${epoch}`;
    const kept = memory.get(machineId);
    if (kept?.key !== key) memory.set(machineId, { key, since: now });
    const ageMs = kept?.key === key ? now - kept.since : 0;
    if (ageMs < deps.config.play.SEAT_STUCK_ALARM_MS) continue;
    stuck += 1;
    deps.alarms.raise(
      "seat",
      `${machineId} ${state} stuck`,
      { machineId, playSessionId, state, ageMs },
      "a seat is kept for too long",
    );
  }
  return stuck;
}

/**
 * Open play sessions that no seat belongs to: closed when nothing of theirs is under way, and what they did not get back is for a
 * person to explain. @returns how many there were.
 */
export async function closeLostSessions({ deps, seats }: ReconcileParts): Promise<number> {
  const { rows } = await sql<{ id: string; machine_id: string }>`
    select p.id, p.machine_id from play_session p
    where p.ended_at is null and not exists (select from seat s where s.machine_id = p.machine_id and s.play_session_id = p.id)`.execute(
    deps.db,
  );
  await eachByItself(deps.log, rows, ({ id, machine_id: machineId }) =>
    seats.within(machineId, (seat) => closeLost(deps, seat, id)),
  );
  return rows.length;
}

async function closeLost({ log, alarms }: ReconcileParts["deps"], seat: OpenSeat, id: string): Promise<void> {
  const { machine_id: machineId } = seat.row;
  if (seat.row.play_session_id === id) return;
  const { rows } = await sql<{ open: boolean; missing: number }>`
    select exists (select from machine_transfer where play_session_id = p.id and state in ('asking', 'unknown')) as open,
      p.cashed_in + p.net - p.cashed_out - coalesce((select sum(hand_paid) from game where play_session_id = p.id), 0)::bigint
        - coalesce((select sum(ledger_amount) from discrepancy where play_session_id = p.id and transfer_id is not null), 0)::bigint as missing
    from play_session p where p.id = ${id} and p.ended_at is null`.execute(seat.trx);
  const [found] = rows;
  if (found === undefined) return;
  if (found.open) {
    alarms.raise(
      "orphan",
      id,
      { machineId, playSessionId: id },
      "a play session without a seat has a transfer that is open",
    );
    return;
  }
  await seat.trx
    .updateTable("play_session")
    .set({ ended_at: databaseNow(), end_reason: "house" })
    .where("id", "=", id)
    .execute();
  log.error(
    { alarm: "orphan", machineId, playSessionId: id, missing: found.missing },
    "a play session without a seat is closed",
  );
  if (found.missing === 0) return;
  const about = { found: "a play session without a seat" };
  await noteDifference(log, seat.trx, {
    machineId,
    playSessionId: id,
    kind: "meters",
    ledgerMinor: found.missing,
    machineMinor: 0,
    about,
  });
}

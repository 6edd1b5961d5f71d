import { sql } from "kysely";
import { databaseIn } from "../../../database-time.ts";
import { isChecked } from "../../protection/checks/index.ts";
import { clearAccount, noteDifference } from "../books/index.ts";
import { eachByItself } from "../each-by-itself.ts";
import type { OpenSeat } from "../seat/index.ts";
import { endPlaySession, isAtRest, playStates, rowOfState } from "../seat/index.ts";
import { markLeftUnknown, ownRecovery, recoverTransfer } from "../wallet/index.ts";
import type { ReconcileParts } from "./deps.ts";

/** What each look found, by its name. */
export type Found = Readonly<Record<string, number>>;

/**
 * Looks for everything that no event and no time of its own would ever move: the orphan sweep of the field notes' section 3.2. Each find is
 * resolved or called for. Links and game sockets that ended in silence are seen to by their leases (session/work.ts).
 */
export function createSweep(parts: ReconcileParts): () => Promise<Found> {
  const stuck = new Map<string, { key: string; since: number }>();
  const looks: Readonly<Record<string, () => Promise<number>>> = {
    transfers: () => seeToOldTransfers(parts),
    holds: () => seeToOldHolds(parts),
    seats: () => repairSeats(parts),
    sessions: () => closeLostSessions(parts),
    money: () => reportUnclaimedCredits(parts),
    stuck: () => callForStuck(parts, stuck),
  };
  return async () => {
    const found: Record<string, number> = {};
    for (const [name, look] of Object.entries(looks)) {
      try {
        found[name] = await look();
      } catch (error) {
        // One look that fails keeps none of the others away; the next round tries again.
        found[name] = -1;
        parts.deps.log.error({ err: error, look: name }, "looking for orphans failed");
      }
    }
    return found;
  };
}

/** How old a hold must be before anybody asks where its transfer is, s. */
const HOLD_AGE_S = 60;

type OldTransfer = {
  id: string;
  machine_id: string;
  direction: string;
  state: string;
  age_ms: number;
  node_id: string | null;
  seat: string;
};

/**
 * Transfers whose outcome is open for too long, whatever their seat is doing: staff is called, each has a node that looks after it, and where
 * the seat does not ask by itself it is asked here (field notes 3.2 d, "pending > 60 s"). @returns how many there are.
 */
async function seeToOldTransfers({ deps, wallet }: ReconcileParts): Promise<number> {
  await markLeftUnknown(wallet);
  const { rows } = await sql<OldTransfer>`
    select t.id, t.machine_id, t.direction, t.state, s.state as seat, (extract(epoch from clock_timestamp() - t.created_at) * 1000)::bigint as age_ms,
      (select l.node_id from agent_link l where l.machine_id = t.machine_id and l.lease_until > clock_timestamp()) as node_id
    from machine_transfer t join seat s on s.machine_id = t.machine_id where t.state in ('asking', 'unknown')`.execute(
    deps.db,
  );
  let old = 0;
  for (const {
    id: transferId,
    machine_id: machineId,
    direction,
    state,
    age_ms: ageMs,
    node_id: linkNode,
    seat,
  } of rows) {
    if (state === "unknown") await ownRecovery(deps.db, transferId, linkNode ?? deps.config.play.NODE_ID);
    if (state === "unknown" && seat !== "transferUnknown" && linkNode !== null)
      await recoverTransfer(wallet, machineId);
    if (ageMs < deps.config.play.TRANSFER_ALARM_MS) continue;
    old += 1;
    const facts = { transferId, machineId, direction, state, ageMs, owner: linkNode ?? deps.config.play.NODE_ID };
    deps.alarms.raise("transfer", transferId, facts, "a transfer is unknown for too long");
  }
  return old;
}

/**
 * Holds of cash-ins without an open transfer. Without any row the machine was never asked, since the row is written before the request:
 * the hold is freed. A decided transfer should have resolved it: only staff can judge. @returns how many there were.
 */
async function seeToOldHolds({ deps }: ReconcileParts): Promise<number> {
  const { rows } = await sql<{ id: string; decided: string | null; amount: number }>`
    select h.id, t.state as decided, h.amount_minor as amount from ledger.holds h left join machine_transfer t on t.id = h.id
    where h.status = 'open' and h.kind = 'cashIn' and h.created_at < clock_timestamp() - ${HOLD_AGE_S} * interval '1 second'
      and (t.id is null or t.state in ('done', 'refused'))`.execute(deps.db);
  for (const { id, decided, amount } of rows) {
    const freed =
      decided === null &&
      (await deps.ledger.void(id, "its transfer was never written down, so nobody was asked")).is === "done";
    const sentence = freed ? "a hold without its transfer is free again" : "a hold outlived its transfer";
    const facts = { holdId: id, decided, amount };
    // A hold that is free again has nothing left for a person to settle.
    if (freed) deps.log.error({ alarm: "orphan", ...facts, freed }, sentence);
    else await deps.alarms.keep(deps.db, { alarm: "orphan", subject: `hold:${id}`, facts, sentence });
  }
  return rows.length;
}

/**
 * Free machines with something left: on the ledger's account (a game that was reported late), which goes to suspense, or on the machine's own
 * credit meter, which only staff can give to somebody. @returns how many there are.
 */
async function reportUnclaimedCredits({ deps, seats }: ReconcileParts): Promise<number> {
  const { rows } = await sql<{ machine_id: string; balance: number; credit: number; play_session_id: string | null }>`
    select s.machine_id, coalesce(a.balance_minor, 0) as balance, (m.meters ->> 'credit')::bigint as credit,
      (select g.play_session_id from game g where g.machine_id = m.id order by g.game_number desc limit 1) as play_session_id
    from seat s join machine m on m.id = s.machine_id left join ledger.accounts a on a.address = 'machine:' || s.machine_id
    where s.state = 'free' and (coalesce(a.balance_minor, 0) <> 0 or (m.meters ->> 'credit')::bigint <> 0)
      and not exists (select from machine_transfer t where t.machine_id = m.id and t.state in ('asking', 'unknown'))`.execute(
    deps.db,
  );
  for (const { machine_id: machineId, balance, credit, play_session_id: playSessionId } of rows) {
    if (credit !== 0)
      await deps.alarms.keep(deps.db, {
        alarm: "credits",
        subject: `machine:${machineId}`,
        machineId,
        facts: { machineId, credit, balance },
        sentence: "credits without an owner are on a machine",
      });
    else
      await seats.within(machineId, async (seat) => {
        if (seat.row.state === "free") await clearAccount(deps, seat, { kind: "late", playSessionId });
      });
  }
  return rows.length;
}

const timed = Object.entries(playStates).flatMap(([state, { after }]) => (after === undefined ? [] : [state]));
/** While a reality check is open, the times of a player at rest do not run. */
const AT_REST = timed.filter((state) => isAtRest(state as keyof typeof playStates));
/** States that last as long as a machine, its staff or its agent take. */
const UNTIMED = ["inGame", "inBonus", "draining", "handPay", "fault", "ending", "transferUnknown"] as const;

/**
 * Seats whose row contradicts the facts it was decided by, or that have no time although their state ends by one: nothing would ever move
 * them. They move to the state that the facts give. @returns how many were repaired.
 */
export async function repairSeats({ deps, seats }: ReconcileParts): Promise<number> {
  const { rows } = await sql<{ machine_id: string }>`
    select s.machine_id from seat s join machine m on m.id = s.machine_id
    where s.state = any(${timed}) and s.due_at is null and not (s.state = any(${AT_REST}) and ${isChecked(sql`s.player_id`)})
      or s.state in ('inGame', 'inBonus', 'bonusWaiting', 'draining')
        and not (coalesce((m.meters ->> 'inGame')::boolean, false) or coalesce((m.meters ->> 'bonus')::boolean, false))
      or s.state = 'handPay' and m.meters -> 'handPay' is null
      or s.state = 'fault' and m.meters -> 'lockup' is null
      or s.state in ('seated', 'playing', 'idling') and s.holder_socket is null
      or s.state in ('waiting', 'bonusWaiting') and s.holder_socket is not null
      or s.state <> 'free' and s.state <> 'agentAway' and (s.state = 'transferUnknown') <> exists (
        select from machine_transfer t where t.machine_id = s.machine_id and t.state = 'unknown')`.execute(deps.db);
  let repaired = 0;
  await eachByItself(deps.log, rows, async ({ machine_id: machineId }) => {
    const moved = await seats.within(machineId, (seat) => bringHome(seat, seats.times));
    if (moved === null) return;
    repaired += 1;
    deps.log.warn({ machineId, ...moved }, "a seat that could not move is where its facts say it is");
  });
  return repaired;
}

async function bringHome(seat: OpenSeat, times: ReconcileParts["seats"]["times"]) {
  const { state: was, due_at: due } = seat.row;
  // Another node may be of a newer version, with a state that this one has no name for.
  if (was === "free" || !Object.hasOwn(playStates, was)) return null;
  await seat.happen("repaired");
  const { after } = rowOfState(seat.row.state);
  const isStill = isAtRest(seat.row.state) && (await seat.facts()).checked;
  const isTimeless = after !== undefined && seat.row.due_at === null && !isStill;
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
    await deps.alarms.keep(deps.db, {
      alarm: "seat",
      subject: `machine:${machineId}`,
      machineId,
      facts: { machineId, playSessionId, state, event: "stuck" },
      log: { ageMs },
      sentence: "a seat is kept for too long",
    });
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
    await alarms.keep(seat.trx, {
      alarm: "orphan",
      subject: `session:${id}`,
      machineId,
      facts: { machineId, playSessionId: id },
      sentence: "a play session without a seat has a transfer that is open",
    });
    return;
  }
  await endPlaySession(seat.trx, id, "house");
  const { missing } = found;
  const facts = { machineId, playSessionId: id, missing };
  const sentence = "a play session without a seat is closed";
  if (missing === 0) log.error({ alarm: "orphan", ...facts }, sentence);
  else await alarms.keep(seat.trx, { alarm: "orphan", subject: `session:${id}`, machineId, facts, sentence });
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

import { sql } from "kysely";
import { clearAccount } from "../books/index.ts";
import { takeCareOf } from "../wallet/index.ts";
import type { ReconcileParts } from "./parts.ts";
import { callForStuck, closeLostSessions, mendSeats } from "./seats.ts";

/** What each look found, by its name. */
export type Found = Readonly<Record<string, number>>;

/**
 * Looks for everything that no event and no time of its own would ever move: the orphan sweep of the field notes' section 3.2. Each find is
 * resolved or called for. Links and game sockets that ended in silence are seen to by their leases (play/work.ts).
 */
export function createSweep(parts: ReconcileParts): () => Promise<Found> {
  const stuck = new Map<string, { key: string; since: number }>();
  const looks: Readonly<Record<string, () => Promise<number>>> = {
    transfers: () => seeToOldTransfers(parts),
    holds: () => seeToOldHolds(parts),
    seats: () => mendSeats(parts),
    sessions: () => closeLostSessions(parts),
    money: () => seeToNobodysMoney(parts),
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
  await wallet.markLeftUnknown();
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
    if (state === "unknown") await takeCareOf(deps.db, transferId, linkNode ?? deps.config.play.NODE_ID);
    if (state === "unknown" && seat !== "transferUnknown" && linkNode !== null) await wallet.recover(machineId);
    if (ageMs < deps.config.play.TRANSFER_ALARM_MS) continue;
    old += 1;
    const facts = { transferId, machineId, direction, state, ageMs, owner: linkNode ?? deps.config.play.NODE_ID };
    deps.alarms.raise("transfer", transferId, facts, "a transfer is unknown for too long");
  }
  return old;
}

/**
 * Holds of cash-ins that no open transfer stands behind. Without any row nobody was ever asked, since the row is written with the hold:
 * it is freed. A decided one should have resolved it: only staff can tell. @returns how many there were.
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
    deps.alarms.raise("orphan", id, { holdId: id, decided, amount, freed }, sentence);
  }
  return rows.length;
}

/**
 * Free machines with something left: on the ledger's account (a game that was told late), which goes to suspense, or on the machine's own
 * credit meter, which only staff can give to somebody. @returns how many there are.
 */
async function seeToNobodysMoney({ deps, seats }: ReconcileParts): Promise<number> {
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
      deps.alarms.raise("credits", machineId, { machineId, credit, balance }, "credits of nobody are on a machine");
    else
      await seats.within(machineId, async (seat) => {
        if (seat.row.state === "free") await clearAccount(deps, seat, { kind: "late", playSessionId });
      });
  }
  return rows.length;
}

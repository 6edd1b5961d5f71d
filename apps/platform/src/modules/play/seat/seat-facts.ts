import { machineAccount } from "@longarm/ledger/rules/address";
import type { RawBuilder, Selectable } from "kysely";
import { sql } from "kysely";
import { isChecked } from "../../protection/checks/index.ts";
import type { PlayTables, PlayTransaction } from "../tables.ts";
import type { SeatFacts, StatusFacts } from "./play-states.ts";

/** The facts of a seat, and what staff wants of its machine. */
export type SeatFactsNow = SeatFacts & Pick<StatusFacts, "closed" | "reservedFor">;

export type SeatRow = Selectable<PlayTables["seat"]>;

/** Locks the seat until the transaction ends: a change of a machine's seat, money or history takes this lock first. */
export async function lockSeat(trx: PlayTransaction, machineId: string): Promise<SeatRow | undefined> {
  return await trx.selectFrom("seat").selectAll().where("machine_id", "=", machineId).forUpdate().executeTakeFirst();
}

/** The facts outside of the seat's row. */
export type MachineFacts = Omit<SeatFactsNow, "holder" | "ending">;

/** Reads what the state depends on; to be called under the seat's lock, in a statement of its own. */
export async function readFacts(trx: PlayTransaction, machineId: string): Promise<MachineFacts> {
  const found = await trx
    .selectFrom("machine as m")
    .select([
      "m.meters",
      "m.lockup",
      isReachable().as("agent"),
      isClosed().as("closed"),
      reservedFor().as("reservedFor"),
      sql<boolean>`exists (select from machine_transfer t where t.machine_id = m.id and t.state = 'unknown')`.as(
        "unknown",
      ),
      isChecked(sql`(select s.player_id from seat s where s.machine_id = m.id)`).as("checked"),
      // With the rest: one statement for all of it.
      sql<number>`coalesce((select balance_minor from ledger.accounts where address = ${machineAccount(machineId)}), 0)`.as(
        "credit",
      ),
    ])
    .where("m.id", "=", machineId)
    .executeTakeFirstOrThrow();
  return {
    agent: found.agent,
    unknownTransfer: found.unknown,
    credit: found.credit,
    checked: found.checked,
    meters: found.meters,
    closed: found.closed,
    reservedFor: found.reservedFor,
  };
}

/**
 * Whether the machine `m` of a query is out of play: staff has taken it out, or it differs from the ledger and that is not explained
 * yet (record 0074), or it was not compared with restored books yet (record 0086), or its RAM is being cleared, or it is retired. No other player may sit there, and no money goes onto it.
 */
export function isClosed(): RawBuilder<boolean> {
  return sql<boolean>`(exists (select from machine_control c where c.machine_id = m.id and c.mode <> 'open')
    or exists (select from discrepancy d where d.machine_id = m.id and d.explained_at is null)
    or exists (select from restored_machine r where r.machine_id = m.id and r.compared_at is null)
    or exists (select from ram_clear r where r.machine_id = m.id and r.state = 'waiting')
    or exists (select from machine_life l where l.machine_id = m.id and l.state <> 'inService'))`;
}

/** Whether the machine `m` of a query is in service: a retired one is in no lobby and on no floor. */
export function isInService(): RawBuilder<boolean> {
  return sql<boolean>`not exists (select from machine_life l where l.machine_id = m.id and l.state <> 'inService')`;
}

/**
 * For whom the machine `m` of a query is kept now, and until when: staff reserved it, or a queue has called the player. Null: it is not kept.
 */
export const reservedFor = (): RawBuilder<string | null> => kept("reserved_for", "player_id");
export const reservedUntil = (): RawBuilder<Date | null> => kept("reserved_until", "call_until");

function kept<T>(reserved: string, called: string): RawBuilder<T | null> {
  return sql<T | null>`coalesce(
    (select c.${sql.ref(reserved)} from machine_control c where c.machine_id = m.id and c.reserved_until > clock_timestamp()),
    (select q.${sql.ref(called)} from queue_place q where q.called_machine = m.id and q.call_until > clock_timestamp()))`;
}

/** Whether the machine `m` of a query can be reached: a link to its agent lives on some node, and the machine answers its agent. */
export function isReachable(): RawBuilder<boolean> {
  return sql<boolean>`(not m.offline and exists (select from agent_link l where l.machine_id = m.id and l.lease_until > clock_timestamp()))`;
}

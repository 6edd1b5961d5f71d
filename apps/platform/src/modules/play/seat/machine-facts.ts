import type { RawBuilder } from "kysely";
import { sql } from "kysely";

/**
 * Whether the machine `m` of a query is out of play: staff has taken it out, or it differs from the ledger and nobody has explained that
 * yet (record 0074), or it was not compared with restored books yet (record 0086). Nobody new may sit there, and no money goes onto it.
 */
export function isClosed(): RawBuilder<boolean> {
  return sql<boolean>`(exists (select from machine_control c where c.machine_id = m.id and c.mode <> 'open')
    or exists (select from discrepancy d where d.machine_id = m.id and d.explained_at is null)
    or exists (select from restored_machine r where r.machine_id = m.id and r.compared_at is null))`;
}

/** The player for whom the machine `m` of a query is kept now; null: nobody. */
export function reservedFor(): RawBuilder<string | null> {
  return sql<
    string | null
  >`(select c.reserved_for from machine_control c where c.machine_id = m.id and c.reserved_until > clock_timestamp())`;
}

/** Until when; null: it is not kept. */
export function reservedUntil(): RawBuilder<Date | null> {
  return sql<Date | null>`(select c.reserved_until from machine_control c where c.machine_id = m.id and c.reserved_until > clock_timestamp())`;
}

/** Whether the machine `m` of a query can be asked: a link to its agent lives on some node, and the machine answers its agent. */
export function isReachable(): RawBuilder<boolean> {
  return sql<boolean>`(not m.offline and exists (select from agent_link l where l.machine_id = m.id and l.lease_until > clock_timestamp()))`;
}

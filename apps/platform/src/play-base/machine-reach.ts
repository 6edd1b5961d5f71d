import type { RawBuilder } from "kysely";
import { sql } from "kysely";

/** Whether the machine `m` of a query can be asked: a link to its agent lives on some node, and the machine answers its agent. */
export function canBeAsked(): RawBuilder<boolean> {
  return sql<boolean>`(not m.offline and exists (select from agent_link l where l.machine_id = m.id and l.lease_until > clock_timestamp()))`;
}

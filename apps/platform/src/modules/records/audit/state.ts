import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";

/** What entries of the audit log say about the platform now. */
export type AuditState = {
  /** Entries after the given one that say that somebody changed data past the platform, or that the chain is broken. Null: there are none. */
  readonly tampered: { readonly since: Date; readonly entry: number; readonly count: number } | null;
  /** Nodes that lost the bus and have not got it back, and still run. */
  readonly busAway: readonly { readonly node: string; readonly since: Date }[];
  /** Nodes whose clock differs from the database's; said once an hour. */
  readonly clocks: readonly { readonly node: string; readonly since: Date }[];
};

/** Reads what needs a person. @param settled the newest entry that a person has dealt with; 0: none. */
export async function auditState(db: AnyDb, settled: number): Promise<AuditState> {
  const { rows: tampered } = await sql<{ since: Date | null; entry: number | null; count: number }>`
    select min(at) as since, max(id) as entry, count(*)::int as count from audit.entries
    where type in ('data.tampered', 'data.changedOutside') and id > ${settled}`.execute(db);
  const { rows: nodes } = await sql<{ node: string; type: string; since: Date }>`
    select distinct on (actor) actor as node, type, at as since from audit.entries
    where type in ('bus.away', 'bus.back', 'node.started', 'node.stopped', 'node.died') and at > clock_timestamp() - interval '2 days'
    order by actor, id desc`.execute(db);
  const { rows: clocks } = await sql<{ node: string; since: Date }>`
    select actor as node, min(at) as since from audit.entries
    where type = 'clock.differs' and at > clock_timestamp() - interval '70 minutes' group by actor`.execute(db);
  const [found] = tampered;
  return {
    tampered:
      found === undefined || found.since === null || found.entry === null
        ? null
        : { since: found.since, entry: found.entry, count: found.count },
    busAway: nodes.filter(({ type }) => type === "bus.away").map(({ node, since }) => ({ node, since })),
    clocks,
  };
}

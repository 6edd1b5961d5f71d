import type { RawBuilder } from "kysely";
import { sql } from "kysely";

/** Now, by the database's clock: the one by which all leases and expiries are judged. */
export function databaseNow(): RawBuilder<Date> {
  return sql<Date>`clock_timestamp()`;
}

/** So many ms from now, by the database's clock. */
export function databaseIn(ms: number): RawBuilder<Date> {
  return sql<Date>`clock_timestamp() + ${ms}::double precision * interval '1 millisecond'`;
}

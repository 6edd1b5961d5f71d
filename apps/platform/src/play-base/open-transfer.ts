import type { RawBuilder } from "kysely";
import { sql } from "kysely";

/**
 * Whether a query's one transfer has no outcome yet. Its words stand in the statement: an index over open transfers alone is of no use to a
 * plan that does not know which states are asked for.
 */
export function isOpen(): RawBuilder<boolean> {
  return sql<boolean>`machine_transfer.state in ('asking', 'unknown')`;
}

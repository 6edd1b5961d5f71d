import type { ColumnType, RawBuilder } from "kysely";

/** What several nodes share (`migrations/nodes`). */
export type NodesTables = {
  machine_still: { machine_id: string; tag: string; webp: Buffer; taken_at: ColumnType<Date, never, RawBuilder<Date>> };
  watcher: { socket_id: string; machine_id: string; player_id: string; node_id: string };
};

import type { ColumnType, JSONColumnType } from "kysely";
import type { OperationAnswer } from "./kinds.ts";

/** A time the database sets by its own clock. */
type StoredAt = ColumnType<Date, never, never>;

/** What staff asks of the running platform (`migrations/play/0004-operator-commands`). A row is taken once, answered once and kept. */
export type OperationsTables = {
  operator_command: {
    id: string;
    kind: string;
    machine_id: string | null;
    body: JSONColumnType<Record<string, unknown>>;
    asked_by: string;
    asked_at: StoredAt;
    expires_at: Date;
    taken_at: Date | null;
    taken_by: string | null;
    answered_at: Date | null;
    answer: JSONColumnType<OperationAnswer> | null;
  };
};

import type { ColumnType, RawBuilder } from "kysely";

/** Tables of `migrations/restores`. */
export type RestoresTables = {
  restore_run: {
    id: string;
    restored_at: ColumnType<Date, never, never>;
    taken_at: Date;
    file_sha256: string;
    restored_by: string;
  };
  restored_machine: {
    machine_id: string;
    restore_id: string;
    epoch: number;
    first_seq: number | null;
    compared_at: ColumnType<Date | null, null, RawBuilder<Date>>;
    moved: boolean | null;
  };
};

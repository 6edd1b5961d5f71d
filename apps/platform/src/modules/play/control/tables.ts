import type { ColumnType, RawBuilder } from "kysely";
import type { PlayTables } from "../tables.ts";

/** What staff can want of a machine. */
export const MACHINE_MODES = ["open", "draining", "disabled", "stopped"] as const;
export type MachineMode = (typeof MACHINE_MODES)[number];

/** A time by the database's clock. */
type AtDatabase = ColumnType<Date | null, Date | RawBuilder<Date> | null | undefined, Date | RawBuilder<Date> | null>;

/** What staff wants of machines (`migrations/control/0001-machines-and-limits`). */
export type ControlTables = PlayTables & {
  machine_control: {
    machine_id: string;
    mode: MachineMode;
    /** Null: the machine has still to be told. */
    told_at: AtDatabase;
    reserved_for: string | null;
    reserved_until: AtDatabase;
    /** Why it is in this mode. */
    reason: string;
    changed_by: string;
    changed_at: AtDatabase;
  };
};

import type { ColumnType, Generated, JSONColumnType, RawBuilder } from "kysely";
import type { BooksTables } from "../books/index.ts";
import type { PlayTables } from "../tables.ts";

/** A machine's life. `expected`: enrolled, and no agent has brought it yet. `retired`: in no lobby and on no floor; its history stays. */
export const LIFE_STATES = ["expected", "inService", "retired"] as const;
export type LifeState = (typeof LIFE_STATES)[number];

type AtDatabase = ColumnType<Date | null, RawBuilder<Date> | null | undefined, RawBuilder<Date> | null>;

/** What a machine showed, as far as it is known. Minor units. */
export type ShownBefore = {
  readonly credit: number;
  readonly gamesPlayed: number;
  /** Running meters; null: the machine does not report them. */
  readonly totals: object | null;
};

/** Tables of `migrations/fleet/0002-life-of-machines`. */
export type LifeTables = PlayTables &
  BooksTables & {
    machine_group: { machine_id: string; name: string };
    machine_life: {
      machine_id: string;
      state: LifeState;
      agent_id: string | null;
      name: string | null;
      group_wanted: ColumnType<string | null, string | null | undefined, string | null>;
      theoretical_return: number | null;
      enrolled_at: ColumnType<Date, never, never>;
      retired_at: AtDatabase;
      changed_by: string;
      reason: string;
    };
    ram_clear: {
      id: Generated<number>;
      machine_id: string;
      state: Generated<"waiting" | "done" | "cancelled">;
      ordered_at: ColumnType<Date, never, never>;
      people: string[];
      reason: string;
      before_reading: number | null;
      before: JSONColumnType<ShownBefore>;
      before_at: Date;
      after_reading: ColumnType<number | null, undefined, number>;
      after: ColumnType<ShownBefore | null, undefined, string>;
      decided_at: AtDatabase;
    };
  };

import type { ColumnType, Generated, JSONColumnType } from "kysely";
import type { ComparedLine } from "./compare.ts";
import type { BookedSums, MachineSums } from "./sums.ts";

/** Set by the database, only read by the code. */
type StoredAt = ColumnType<Date, never, never>;

/** Tables of `migrations/reconciliation`. */
export type BooksTables = {
  machine_books: {
    machine_id: string;
    games: number;
    wagered: number;
    won: number;
    machine_paid: number;
    cash_in: number;
    cash_out: number;
    cancelled: Generated<number>;
  };
  meter_reading: {
    machine_id: string;
    number: number;
    taken_at: StoredAt;
    why: ReadingCause;
    play_session_id: string | null;
    credit: number;
    games_played: number;
    totals: JSONColumnType<MachineSums> | null;
    /** Without `cancelled` in a reading of an older release. */
    books: JSONColumnType<Omit<BookedSums, "cancelled"> & Partial<BookedSums>>;
    ledger_amount: number;
  };
  reconciliation: {
    id: Generated<number>;
    scope: "machine" | "day";
    machine_id: string | null;
    reading: number | null;
    play_session_id: string | null;
    day: string | null;
    made_at: StoredAt;
    made_by: string;
    agrees: boolean;
    lines: JSONColumnType<readonly ComparedLine[]>;
    discrepancy_id: number | null;
  };
  transfer_recovery: {
    transfer_id: string;
    owner_node: string;
    since: StoredAt;
    asked_times: Generated<number>;
    last_asked_at: Date | null;
    last_answer: string | null;
  };
  worker_turn: {
    name: string;
    node_id: string;
    until: Date;
    done_at: Date | null;
    found: JSONColumnType<Record<string, number>>;
  };
};

/** When a reading was taken: at an agent's hello, at the end of a play session, once a day, in play because something looked wrong, and as the new baseline after a RAM clear. */
export type ReadingCause = "hello" | "settled" | "day" | "play" | "ramClear";

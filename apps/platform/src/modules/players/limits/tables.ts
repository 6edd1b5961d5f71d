import type { ColumnType, Generated, RawBuilder } from "kysely";
import type { PlayTables } from "../../play/tables.ts";

/** What can be limited. */
export const LIMIT_KINDS = ["cashIn", "loss", "session", "exclusion"] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];
/** Whose limit it is: the player's own wish, or the house's. */
export type LimitOwner = "player" | "house";

/** Limits of players (`migrations/control/0001-machines-and-limits`). Rows only come, none changes. */
export type LimitsTables = PlayTables & {
  player_limit: {
    id: Generated<number>;
    player_id: string;
    kind: LimitKind;
    owner: LimitOwner;
    /** Minor units, minutes, or milliseconds since 1970, by kind; null: none. */
    value: number | null;
    effective_at: ColumnType<Date, RawBuilder<Date>, never>;
    set_at: ColumnType<Date, never, never>;
    set_by: string;
  };
};

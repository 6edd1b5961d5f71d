import type { ColumnType, Generated, RawBuilder } from "kysely";
import type { PlayTables } from "../../play/tables.ts";
import type { PlayersTables } from "../accounts/index.ts";

/** Set and judged by the database's clock. */
type Instant = ColumnType<Date, RawBuilder<Date>, never>;

/** Tables of claims (`migrations/platform/0004-promotions`). Amounts in minor units. */
export type PromotionsTables = Pick<PlayersTables, "player"> &
  Pick<PlayTables, "play_session"> & {
    discount_claim: {
      player_id: string;
      number: number;
      amount: number;
      percent: number;
      loss_counted: number;
      transfer_id: string;
      claimed_at: Instant;
    };
    bonus_grant: {
      id: string;
      player_id: string;
      amount: number;
      reason: string;
      granted_by: string;
      granted_at: Generated<Date>;
      expires_at: ColumnType<Date | null, RawBuilder<Date> | null, never>;
      claimed_at: ColumnType<Date | null, null | undefined, RawBuilder<Date>>;
      transfer_id: string | null;
    };
  };

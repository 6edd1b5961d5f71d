import type { DisputeKind, DisputeVerdict } from "@longarm/contract/player-disputes";
import type { DisputeStep } from "@longarm/contract/staff-disputes";
import type { ColumnType, Generated, RawBuilder } from "kysely";

type StoredAt = ColumnType<Date, never, never>;

/** `migrations/disputes/0001` to `0003`: steps and readings are only added, a verdict is final, and words go a year after it at the earliest. */
export type DisputeTables = {
  dispute: {
    id: string;
    number: Generated<number>;
    player_id: string;
    machine_id: string;
    game_number: number;
    kind: DisputeKind;
    opened_at: StoredAt;
    due_at: ColumnType<Date, RawBuilder<Date>, never>;
    owner: string | null;
    decided_at: ColumnType<Date | null, never, RawBuilder<Date>>;
    verdict: DisputeVerdict | null;
    /** Minor units. */
    amount: number | null;
    transfer_id: string | null;
    read_at: ColumnType<Date | null, never, RawBuilder<Date>>;
  };
  dispute_step: {
    id: Generated<number>;
    dispute_id: string;
    kind: DisputeStep;
    staff_id: string | null;
    sender: string | null;
    at: StoredAt;
    text: string | null;
    sentence: string | null;
    /** Its words were erased. */
    erased: Generated<boolean>;
    /** Of a mark: the moment of the recording, ms since 1970 by the agent's clock. */
    moment_ms: number | null;
  };
  dispute_reading: {
    id: Generated<number>;
    dispute_id: string;
    staff_id: string;
    at: StoredAt;
  };
};

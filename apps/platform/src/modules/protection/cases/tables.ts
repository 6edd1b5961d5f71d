import type { CareLevel, CareMeasure } from "@longarm/contract/player-care";
import type { CareOutcome, CareStep } from "@longarm/contract/staff-care";
import type { ColumnType, Generated, RawBuilder } from "kysely";

type StoredAt = ColumnType<Date, never, never>;
type TimeToCome = ColumnType<Date | null, never, RawBuilder<Date>>;

/** `migrations/protection/0010`: signs, steps and means are only added; a closed case and a letter that was put away stay as they are. */
export type CasesTables = {
  care_case: {
    id: string;
    player_id: string;
    level: CareLevel;
    opened_at: StoredAt;
    opened_by: string | null;
    owner: string | null;
    closed_at: TimeToCome;
    closed_by: string | null;
    outcome: CareOutcome | null;
    close_reason: string | null;
  };
  care_sign: {
    id: Generated<number>;
    case_id: string;
    measure: CareMeasure;
    level: CareLevel;
    value: number;
    threshold: number;
    found_at: StoredAt;
  };
  care_step: {
    id: Generated<number>;
    case_id: string;
    kind: CareStep;
    staff_id: string | null;
    at: StoredAt;
    text: string | null;
    until: Date | null;
  };
  care_letter: {
    id: string;
    step_id: number;
    case_id: string;
    player_id: string;
    sender: string;
    advice_key: string | null;
    /** Minor units; of `time` minutes. */
    advice_value: number | null;
    sent_at: StoredAt;
    read_at: TimeToCome;
  };
};

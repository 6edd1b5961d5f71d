import type { ColumnType, Generated } from "kysely";
import type { PlayersTables } from "../accounts/index.ts";
import type { RefusedProblem } from "./refused-types.ts";

export type AuthTables = PlayersTables & {
  auth_session: {
    jti: string;
    player_id: string;
    address: string;
    created_at: ColumnType<Date, never, never>;
    previous_logon: Date | null;
    previous_logon_ip: string | null;
    expires_at: Date;
    ended_at: Date | null;
    ended_reason: string | null;
    locked_at: Date | null;
    active_at: Generated<Date>;
    pin_failed: Generated<number>;
  };
  login_attempt: { name_hash: Buffer; address: string; failed: number; last_at: Date };
  sign_in_burst: {
    problem: RefusedProblem;
    subject: string;
    network: string;
    address: string;
    times: Generated<number>;
    first_at: Generated<Date>;
    last_at: Generated<Date>;
    told_at: Generated<Date>;
  };
};

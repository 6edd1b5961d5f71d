import type { ProblemName } from "@longarm/contract/problems";
import type { ColumnType, Generated } from "kysely";
import type { AuditType } from "../../records/audit/index.ts";
import type { PlayersTables } from "../accounts/index.ts";
import type { PasskeyTables } from "../passkeys/index.ts";

/** What the log calls a refused sign-in; a limit that was hit is an entry of its own. */
export const REFUSED_TYPES = {
  "auth.wrong_counted": "loginFail",
  "auth.wrong": "loginFail",
  "auth.protected": "temporaryBlocked",
  "auth.banned": "notAllowed",
  "auth.ip_not_permitted": "notAllowed",
  "passkey.unknown": "loginFail",
  "passkey.wrong": "loginFail",
  "app.code_wrong": "loginFail",
  "link.over": "loginFail",
  "openId.refused": "loginFail",
  "openId.unlinked": "loginFail",
  "openId.known": "loginFail",
  "mail.code_wrong": "loginFail",
  "mail.second_needed": "loginFail",
} as const satisfies Readonly<Partial<Record<ProblemName, AuditType>>>;
export type RefusedProblem = keyof typeof REFUSED_TYPES;

/** By what a sign-in was made. */
export type SignInHow = "password" | "passkey" | "recoveryCode" | "registration" | "link" | "openId";

export type AuthTables = PlayersTables &
  PasskeyTables & {
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
      how: Generated<SignInHow>;
      device: Generated<string>;
      passkey_id: string | null;
      confirmed_at: Generated<Date | null>;
      openid_provider: string | null;
    };
    login_link: {
      player_id: string;
      code_sha256: Buffer;
      made_by: string;
      network: string | null;
      expires_at: Date;
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

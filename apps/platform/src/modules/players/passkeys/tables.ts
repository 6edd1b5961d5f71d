import type { ConfirmedAct } from "@longarm/contract/player-keys";
import type { OpenIdAct } from "@longarm/contract/player-openid";
import type { ColumnType, Generated } from "kysely";

/** What a ceremony is for: a sign-in, a new passkey, a new app, or one act of the player. */
export type CeremonyPurpose = "signIn" | "add" | "app" | ConfirmedAct;

export type PasskeyTables = {
  player_passkey: {
    id: string;
    player_id: string;
    credential_id: string;
    public_key: Buffer;
    counter: number;
    name: string;
    added_at: ColumnType<Date, never, never>;
    last_used_at: Generated<Date | null>;
  };
  player_recovery_code: { player_id: string; code_sha256: string; used_at: Generated<Date | null> };
  player_totp: {
    player_id: string;
    totp: Buffer;
    totp_step: number;
    added_at: ColumnType<Date, never, Date>;
  };
  player_ceremony: {
    id: string;
    purpose: CeremonyPurpose;
    player_id: string | null;
    jti: string | null;
    challenge: string;
    expires_at: Date;
  };
  player_openid_link: {
    player_id: string;
    issuer: string;
    subject: string;
    provider: string | null;
    name: string;
    linked_at: ColumnType<Date, never, never>;
    last_used_at: Generated<Date | null>;
  };
  player_openid_attempt: {
    browser_sha256: string;
    act: OpenIdAct | null;
    player_id: string | null;
    jti: string | null;
    redirect_uri: string;
    began_at: ColumnType<Date, never, never>;
    expires_at: Date;
  };
};

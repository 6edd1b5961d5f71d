import type { ApprovalKind } from "@longarm/contract/staff-rights";
import type { ColumnType, Generated, JSONColumnType, Kysely, Transaction } from "kysely";

type StoredAt = ColumnType<Date, never, never>;

/** How a sign-in began. */
export type SignInHow = "passkey" | "password" | "recoveryCode" | "invitation" | "device";
export type CeremonyPurpose = "signIn" | "unlock" | "passkey" | "invitePasskey" | "inviteTotp" | "stepUp";

/** `migrations/staff`. */
export type StaffTables = {
  staff: {
    id: string;
    username: string;
    username_key: string;
    name: string;
    password: string | null;
    totp: Buffer | null;
    totp_step: Generated<number>;
    added_at: StoredAt;
    added_by: string;
    ended_at: Date | null;
  };
  staff_role: { role: string; permissions: string[]; limits: JSONColumnType<Record<string, number>> };
  staff_has_role: { staff_id: string; role: string };
  staff_passkey: {
    id: string;
    staff_id: string;
    credential_id: string;
    public_key: Buffer;
    counter: number;
    label: string;
    added_at: StoredAt;
    last_used_at: Date | null;
  };
  staff_recovery_code: { staff_id: string; code_sha256: string; used_at: Date | null };
  staff_invitation: { token_sha256: string; staff_id: string; expires_at: Date };
  staff_sign_in: {
    id: string;
    secret_sha256: string;
    staff_id: string;
    how: SignInHow;
    device: string;
    address: string;
    created_at: StoredAt;
    expires_at: Date;
    active_at: Generated<Date>;
    locked_at: Date | null;
    ended_at: Date | null;
    ended_reason: string | null;
  };
  staff_ceremony: {
    id: string;
    purpose: CeremonyPurpose;
    staff_id: string | null;
    sign_in_id: string | null;
    challenge: string | null;
    content: string | null;
    password: string | null;
    totp: Buffer | null;
    expires_at: Date;
  };
  staff_step_up: { id: string; sign_in_id: string; content: string; expires_at: Date; used_at: Date | null };
  approval: {
    id: string;
    kind: ApprovalKind;
    subject: string;
    amount: number | null;
    reason: string;
    content: JSONColumnType<Record<string, unknown>>;
    hash: string;
    requested_by: string;
    sign_in_id: string;
    requested_at: StoredAt;
    expires_at: Date;
    state: Generated<"waiting" | "done" | "refused" | "withdrawn">;
    decided_by: string | null;
    decided_at: Date | null;
    refusal: string | null;
  };
  staff_act: {
    id: string;
    staff_id: string;
    call: string;
    content: string;
    answer: JSONColumnType<object> | null;
    done_at: StoredAt;
  };
};
export type StaffDb = Kysely<StaffTables>;
export type StaffTransaction = Transaction<StaffTables>;

import type { StopScope } from "@longarm/contract/staff-floor";
import type { ApprovalKind } from "@longarm/contract/staff-rights";
import type { ColumnType, Generated, JSONColumnType, Kysely, RawBuilder, Transaction } from "kysely";

type StoredAt = ColumnType<Date, never, never>;

/** How a sign-in began. */
export type SignInHow = "passkey" | "password" | "recoveryCode" | "invitation" | "device" | "directory";
/** What a browser was sent to the directory for. */
export type DirectoryPurpose = "signIn" | "invitation" | "unlock";
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
  staff_device: {
    id: string;
    device_code_sha256: string;
    user_code_sha256: string;
    computer: string;
    os_user: string;
    requested_at: StoredAt;
    expires_at: Date;
    interval_s: number;
    polled_at: ColumnType<Date | null, null | undefined, RawBuilder<Date>>;
    state: Generated<"waiting" | "confirmed" | "refused">;
    staff_id: string | null;
    sign_in_id: string | null;
  };
  staff_device_miss: { id: Generated<number>; staff_id: string; missed_at: StoredAt };
  staff_directory_link: { staff_id: string; issuer: string; subject: string; name: string; linked_at: StoredAt };
  staff_directory_attempt: {
    browser_sha256: string;
    purpose: DirectoryPurpose;
    invitation_sha256: string | null;
    sign_in_id: string | null;
    began_at: StoredAt;
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
    evidence: JSONColumnType<readonly Evidence[], string | undefined>;
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
    reason: string | null;
    about: JSONColumnType<object> | null;
    done_at: StoredAt;
  };
  staff_number: { name: "receipt" | "slip"; last: number };
  cashier_shift: {
    id: string;
    staff_id: string;
    desk: string;
    float_amount: number;
    opened_at: StoredAt;
    closed_at: ColumnType<Date | null, null | undefined, RawBuilder<Date>>;
    expected: number | null;
    counted: number | null;
    note: string | null;
  };
  receipt: {
    number: number;
    transfer_id: string;
    paper: string | null;
    kind: "deposit" | "withdrawal";
    player_id: string;
    amount: number;
    balance: number;
    shift_id: string;
    cashier: string;
    signed_by: string | null;
    reason: string;
    one_person: boolean;
    made_at: StoredAt;
  };
  slip: {
    number: number;
    machine_id: string;
    hand_pay_id: string;
    kind: "win" | "jackpot" | "cancelledCredits";
    player_id: string | null;
    machine_amount: number;
    paid_amount: number;
    paid_by: string;
    signed_by: string | null;
    reason: string | null;
    one_person: boolean;
    paid_at: StoredAt;
    voided_at: ColumnType<Date | null, null | undefined, RawBuilder<Date>>;
    voided_by: string | null;
    void_reason: string | null;
  };
  emergency_stop: {
    id: string;
    scope: JSONColumnType<StopScope>;
    set_by: string;
    set_at: StoredAt;
    reason: string | null;
    released_at: ColumnType<Date | null, null | undefined, RawBuilder<Date>>;
    released_by: Generated<string[]>;
  };
  emergency_stop_machine: {
    stop_id: string;
    machine_id: string;
    /** `migrations/staff/0004-stops-and-sums`. */
    was: "open" | "draining" | "disabled";
  };
  staff_task: {
    number: Generated<number>;
    id: string;
    kind: string;
    subject: string;
    machine_id: string | null;
    player_id: string | null;
    amount: number | null;
    facts: JSONColumnType<Record<string, string | number | boolean>>;
    withheld_from: string | null;
    signs: string | null;
    since: Date;
    opened_at: StoredAt;
    owner: string | null;
    owned_at: ColumnType<Date | null, null | undefined, RawBuilder<Date> | null>;
    role: string;
    level: Generated<number>;
    escalated_at: ColumnType<Date | null, null | undefined, RawBuilder<Date>>;
    snoozed_until: ColumnType<Date | null, null | undefined, RawBuilder<Date> | null>;
    closed_at: ColumnType<Date | null, null | undefined, RawBuilder<Date>>;
    closed_by: string | null;
    close_reason: string | null;
  };
  wall_display: {
    id: string;
    name: string;
    shows_group: string | null;
    token_sha256: string;
    made_by: string;
    made_at: StoredAt;
    seen_at: ColumnType<Date | null, never, RawBuilder<Date>>;
    seen_from: ColumnType<string | null, never, string>;
    ended_at: ColumnType<Date | null, never, RawBuilder<Date>>;
    ended_by: ColumnType<string | null, never, string>;
  };
  staff_view: { id: string; staff_id: string; page: "floor"; name: string; search: string; made_at: StoredAt };
  task_times: { kind: string; target_s: number; escalate_s: number };
  player_note: { id: string; player_id: string; staff_id: string; text: string; made_at: StoredAt };
};

/** A line that the second person sees beside what was requested; amount in minor units. */
export type Evidence = { readonly label: string; readonly value: string | null; readonly amount?: number };

export type StaffDb = Kysely<StaffTables>;
export type StaffTransaction = Transaction<StaffTables>;

/** The whole database in the same transaction, for functions of other domains. */
export function wholeOf(db: StaffTransaction): Transaction<unknown>;
export function wholeOf(db: StaffDb): Kysely<unknown>;
export function wholeOf(db: StaffDb): Kysely<unknown> {
  return db as unknown as Kysely<unknown>;
}

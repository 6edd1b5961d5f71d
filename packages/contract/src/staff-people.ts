import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { PositiveMinor, SignedMinor } from "./money.ts";
import { Ceremony, PasskeyAnswer } from "./passkeys.ts";
import type { StaffCall } from "./staff-call.ts";
import { ActDone, actAnswer, actBody, listOf, PersonRef, page, Reason, ShortText, When } from "./staff-call.ts";
import { APPROVAL_KINDS } from "./staff-rights.ts";
import { nameIn, PermissionField, RecoveryCodes, RoleField, registration, Username } from "./staff-sign-in.ts";

export const ApprovalKindField = nameIn(APPROVAL_KINDS);

/** A code that `longarm sign-in` shows, as a person types it: eight letters, `BCDF-GHJK`. */
const UserCode = z.string().check(z.regex(/^[A-Za-z]{4}[- ]?[A-Za-z]{4}$/));

export const SignInRow = z.object({
  id: OwnId,
  person: PersonRef,
  how: z.string(),
  device: z.string(),
  address: z.string(),
  since: When,
  lastActive: When,
  locked: z.boolean(),
  isThis: z.boolean(),
});
export const Passkey = z.object({ id: OwnId, label: z.string(), addedAt: When, lastUsedAt: z.nullable(When) });

/** A command line that asks to be signed in: what it says of itself. */
const DeviceRequest = z.object({ computer: z.string(), systemUser: z.string(), requestedAt: When, expiresAt: When });

/** One's own account. */
export const accountCalls = {
  mySignIns: { method: "GET", path: "me/sign-ins", answer: listOf(SignInRow), for: "own" },
  endMySignIn: { method: "POST", path: "me/sign-ins/{id}/end", body: actBody({}), answer: ActDone, for: "own" },
  myPasskeys: { method: "GET", path: "me/passkeys", answer: listOf(Passkey), for: "own" },
  addPasskeyBegin: {
    method: "POST",
    path: "me/passkeys/begin",
    body: z.strictObject({}),
    answer: Ceremony,
    for: "own",
  },
  /** A further passkey, confirmed by a step-up. The first one only in the sign-in of an invitation: `passkey.first`. */
  addPasskeyFinish: {
    method: "POST",
    path: "me/passkeys/finish",
    body: z.strictObject({ ...registration, stepUp: z.optional(OwnId) }),
    answer: Passkey,
    for: "own",
  },
  removePasskey: {
    method: "POST",
    path: "me/passkeys/{id}/remove",
    body: actBody({}),
    answer: ActDone,
    for: "own",
    stepUp: true,
  },
  renewRecoveryCodes: {
    method: "POST",
    path: "me/recovery-codes",
    body: actBody({}),
    answer: actAnswer(z.object({ recoveryCodes: RecoveryCodes })),
    for: "own",
    stepUp: true,
  },
  /** Which command line shows this code. After five wrong codes in ten minutes: `request.tooMany`. */
  lookDevice: {
    method: "POST",
    path: "me/devices/look",
    body: z.strictObject({ code: UserCode }),
    answer: DeviceRequest,
    for: "own",
  },
  /** Signs that command line in as the caller, with the caller's rights. */
  confirmDevice: {
    method: "POST",
    path: "me/devices/confirm",
    body: actBody({ code: UserCode }),
    answer: ActDone,
    for: "own",
    stepUp: true,
  },
  refuseDevice: {
    method: "POST",
    path: "me/devices/refuse",
    body: actBody({ code: UserCode }),
    answer: ActDone,
    for: "own",
  },
  /**
   * Begins a step-up for one call with one body. The passkey signs a challenge that is made of both, so that it is good for this act and this amount
   * alone, once, for two minutes.
   */
  stepUpBegin: {
    method: "POST",
    path: "step-up/begin",
    body: z.strictObject({
      /** A name of `staffCalls`. */
      call: z.string().check(z.maxLength(64)),
      params: z.record(z.string().check(z.maxLength(32)), z.string().check(z.maxLength(64))),
      /** The body as it will be sent, without `stepUp`. */
      body: z.record(z.string().check(z.maxLength(64)), z.unknown()),
    }),
    answer: Ceremony,
    for: "own",
  },
  stepUpFinish: {
    method: "POST",
    path: "step-up/finish",
    body: PasskeyAnswer,
    answer: z.object({ stepUp: OwnId, expiresAt: When }),
    for: "own",
  },
} as const satisfies Record<string, StaffCall>;

export const StaffRow = z.object({
  id: OwnId,
  username: z.string(),
  name: z.string(),
  roles: z.array(RoleField),
  state: z.enum(["invited", "active", "ended"]),
  addedAt: When,
  addedBy: z.string(),
  lastSignIn: z.nullable(When),
  passkeys: z.int(),
  hasPassword: z.boolean(),
  /** How the directory named the person at the last sign-in. Null: not linked, or no directory is set. */
  directory: z.nullable(z.string()),
  invitationExpiresAt: z.nullable(When),
});
export const RoleRow = z.object({
  role: RoleField,
  permissions: z.array(PermissionField),
  limits: z.object({
    handPay: z.optional(PositiveMinor),
    wallet: z.optional(PositiveMinor),
    bonus: z.optional(PositiveMinor),
  }),
  people: z.int(),
});

/** A line of an act's evidence. `amount` in minor units. */
export const EvidenceLine = z.object({
  label: z.string(),
  value: z.nullable(z.string()),
  amount: z.optional(SignedMinor),
});
export const Approval = z.object({
  id: OwnId,
  kind: ApprovalKindField,
  /** `machine:…`, `player:p_…`, `handPay:…`, `staff:…`, `stop:…`. */
  subject: z.string(),
  amount: z.nullable(SignedMinor),
  reason: z.string(),
  requestedBy: PersonRef,
  requestedAt: When,
  expiresAt: When,
  state: z.enum(["waiting", "done", "refused", "expired", "changed", "withdrawn"]),
  decidedBy: z.nullable(PersonRef),
  decidedAt: z.nullable(When),
  /** Why it was refused. */
  refusal: z.nullable(z.string()),
  /** SHA-256 of what exactly was requested, in hex: `sign` repeats it, so that no person signs what they did not see. */
  hash: z.string(),
  /** What exactly was requested. */
  content: z.record(z.string(), z.unknown()),
  evidence: z.array(EvidenceLine),
  /** The caller may sign it: has the permission, did not ask, and the second person is needed. */
  maySign: z.boolean(),
});
export type Approval = z.infer<typeof Approval>;

/** Staff, roles, sign-ins and approvals. */
export const peopleCalls = {
  /** The directory signs the caller in no more; sign-ins that it made end. */
  unlinkMyDirectory: {
    method: "POST",
    path: "me/directory/unlink",
    body: actBody({}),
    answer: ActDone,
    for: "own",
    stepUp: true,
  },
  /** The same for somebody else. No second person: it takes a way in away. */
  unlinkDirectory: {
    method: "POST",
    path: "staff/{id}/directory/unlink",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "staff.manage",
    stepUp: true,
  },
  staff: { method: "GET", path: "staff", answer: listOf(StaffRow), for: "staff.see" },
  roles: { method: "GET", path: "roles", answer: listOf(RoleRow), for: "staff.see" },
  signIns: { method: "GET", path: "sign-ins", answer: listOf(SignInRow), for: "staff.see" },
  endSignIn: {
    method: "POST",
    path: "sign-ins/{id}/end",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "staff.manage",
    stepUp: true,
  },
  /** A new account with a one-time link. Roles need a second administrator, so the account has none until that one signs. */
  inviteStaff: {
    method: "POST",
    path: "staff/invite",
    body: actBody({
      username: Username,
      name: ShortText,
      roles: z.array(RoleField).check(z.maxLength(6)),
      reason: Reason,
    }),
    answer: actAnswer(z.object({ person: OwnId, link: z.string(), expiresAt: When, approval: z.nullable(OwnId) })),
    for: "staff.manage",
    stepUp: true,
  },
  /**
   * A new one-time link for somebody who lost every way in: passkeys, password and recovery codes end. The roles end too and need a second
   * administrator, as those of a new account: the link alone gives no rights.
   */
  renewInvitation: {
    method: "POST",
    path: "staff/{id}/renew-invitation",
    body: actBody({ reason: Reason }),
    answer: actAnswer(z.object({ link: z.string(), expiresAt: When, approval: z.nullable(OwnId) })),
    for: "staff.manage",
    stepUp: true,
  },
  changeRoles: {
    method: "POST",
    path: "staff/{id}/roles",
    body: actBody({ roles: z.array(RoleField).check(z.maxLength(6)), reason: Reason }),
    answer: ActDone,
    for: "staff.manage",
    stepUp: true,
  },
  /** Changes what a role may do; all sign-ins follow at once. */
  changeRole: {
    method: "POST",
    path: "roles/{role}",
    body: actBody({
      permissions: z.array(PermissionField).check(z.maxLength(100)),
      limits: RoleRow.shape.limits,
      reason: Reason,
    }),
    answer: ActDone,
    for: "staff.manage",
    stepUp: true,
  },
  /** The account ends: it signs in no more, and its sign-ins end everywhere. No second person: it takes rights away. */
  endStaff: {
    method: "POST",
    path: "staff/{id}/end",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "staff.manage",
    stepUp: true,
  },
  approvals: {
    method: "GET",
    path: "approvals",
    query: z.strictObject({ ...page, which: z._default(z.enum(["forMe", "mine", "decided"]), "forMe") }),
    answer: listOf(Approval),
    for: "own",
  },
  approval: { method: "GET", path: "approvals/{id}", answer: Approval, for: "own" },
  /** Signs, and does what was requested in the same transaction. The permission is that of the approval's kind. */
  signApproval: {
    method: "POST",
    path: "approvals/{id}/sign",
    body: actBody({ hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)) }),
    answer: ActDone,
    for: "own",
    stepUp: true,
  },
  refuseApproval: {
    method: "POST",
    path: "approvals/{id}/refuse",
    body: actBody({ reason: Reason }),
    answer: ActDone,
    for: "own",
  },
  withdrawApproval: { method: "POST", path: "approvals/{id}/withdraw", body: actBody({}), answer: ActDone, for: "own" },
} as const satisfies Record<string, StaffCall>;

import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { PositiveMinor, SignedMinor } from "./money.ts";
import { Ceremony, PasskeyAnswer, PasskeyRegistration } from "./passkeys.ts";
import type { StaffCall } from "./staff-call.ts";
import { ActDone, actAnswer, actBody, listOf, PersonRef, page, Reason, ShortText, When } from "./staff-call.ts";
import { APPROVAL_KINDS, PERMISSION_NAMES, ROLES } from "./staff-rights.ts";

const keys = <Table extends Record<string, unknown>>(table: Table) =>
  z.enum(Object.keys(table) as [keyof Table & string, ...(keyof Table & string)[]]);
export const PermissionField = z.enum(PERMISSION_NAMES);
export const RoleField = keys(ROLES);
export const ApprovalKindField = keys(APPROVAL_KINDS);

/** How staff is named: unique in any spelling. */
const Username = z.string().check(z.regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{1,39}$/u));
/** As typed at a sign-in, where a wrong one is wrong and not malformed. */
const TypedName = z.string().check(z.minLength(1), z.maxLength(100));
const TypedPassword = z.string().check(z.minLength(1), z.maxLength(256));
const Totp = z.string().check(z.regex(/^\d{6}$/));
const RecoveryCode = z.string().check(z.minLength(1), z.maxLength(40));
const Token = z.string().check(z.regex(/^[A-Za-z0-9_-]{20,100}$/));

/** A code that `longarm sign-in` shows, as a person types it: eight letters, `BCDF-GHJK`. */
const UserCode = z.string().check(z.regex(/^[A-Za-z]{4}[- ]?[A-Za-z]{4}$/));

const Registration = z.strictObject({ ceremony: OwnId, response: PasskeyRegistration, label: ShortText });

/** Who is signed in. */
export const Me = z.object({
  person: z.object({ id: OwnId, username: z.string(), name: z.string(), roles: z.array(RoleField) }),
  permissions: z.array(PermissionField),
  /** What this person may move alone, minor units. */
  limits: z.object({
    handPay: z.optional(PositiveMinor),
    wallet: z.optional(PositiveMinor),
    bonus: z.optional(PositiveMinor),
  }),
  signIn: z.object({
    id: OwnId,
    how: z.enum(["passkey", "password", "recoveryCode", "invitation", "device", "directory"]),
    since: When,
    /** When it ends by itself, whatever is done. */
    expiresAt: When,
    locked: z.boolean(),
    /** After so long without input the screen locks, ms. */
    idleMs: z.int(),
  }),
  /** Goes into the header `CSRF_HEADER`. */
  csrf: z.string(),
  passkeys: z.int(),
  recoveryCodesLeft: z.int(),
  /** Who this person is in the operator's directory. Null: not linked, or no directory is set. */
  directory: z.nullable(z.object({ label: z.string(), name: z.string(), linkedAt: When })),
  previousSignIn: z.nullable(z.object({ at: When, address: z.string() })),
  venue: z.object({
    name: z.string(),
    node: z.string(),
    version: z.string(),
    now: When,
    /** IANA name, and when a business day begins there, minutes after midnight. */
    timeZone: z.string(),
    dayBeginsMinutes: z.int(),
    /** False: a setting of the server switched the second person off, and every screen says so. */
    secondPerson: z.boolean(),
    /** Players' money is in a wallet of the operator: the desk neither takes nor pays any. */
    operatorWallet: z.boolean(),
  }),
});
export type Me = z.infer<typeof Me>;

/** Shown once. */
const RecoveryCodes = z.array(z.string());

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

/** Where the directory sends a browser back to, on the console's origin. The page there hands the answer to `directoryFinish` or `unlockDirectoryFinish`. */
export const DIRECTORY_PATH = "/directory";
/** Where a browser goes to sign in with the directory; the answer of the call holds a cookie that binds the attempt to this browser. */
const ToDirectory = z.object({ href: z.url({ protocol: /^https?$/ }) });
/** What the directory's answer put behind the `?` of `DIRECTORY_PATH`. */
const FromDirectory = z.strictObject({ answer: z.string().check(z.minLength(1), z.maxLength(8_000)) });

/** Signing in with the operator's directory, by OpenID Connect. Without OIDC_ISSUER these are not served. */
export const directoryCalls = {
  directoryBegin: {
    method: "POST",
    path: "sign-in/directory/begin",
    body: z.strictObject({}),
    answer: ToDirectory,
    for: "open",
  },
  /** Signs in a person who is linked, or who began with an invitation: that links them and uses the link up. */
  directoryFinish: { method: "POST", path: "sign-in/directory/finish", body: FromDirectory, answer: Me, for: "open" },
  invitationDirectoryBegin: {
    method: "POST",
    path: "invitation/directory/begin",
    body: z.strictObject({ token: Token }),
    answer: ToDirectory,
    for: "open",
  },
  unlockDirectoryBegin: {
    method: "POST",
    path: "unlock/directory/begin",
    body: z.strictObject({}),
    answer: ToDirectory,
    for: "locked",
  },
  unlockDirectoryFinish: {
    method: "POST",
    path: "unlock/directory/finish",
    body: FromDirectory,
    answer: Me,
    for: "locked",
  },
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
} as const satisfies Record<string, StaffCall>;

/** Signing in and out, and one's own account. */
export const signInCalls = {
  /** Which ways the operator set up beside passkeys and passwords: `label` is what the directory is called. */
  signInWays: {
    method: "GET",
    path: "sign-in/ways",
    answer: z.object({ directory: z.nullable(z.object({ label: z.string() })) }),
    for: "open",
  },
  passkeyBegin: {
    method: "POST",
    path: "sign-in/passkey/begin",
    body: z.strictObject({}),
    answer: Ceremony,
    for: "open",
  },
  passkeyFinish: { method: "POST", path: "sign-in/passkey/finish", body: PasskeyAnswer, answer: Me, for: "open" },
  /** The fallback: password and the six figures of an authenticator app, in one call. */
  passwordSignIn: {
    method: "POST",
    path: "sign-in/password",
    body: z.strictObject({ username: TypedName, password: TypedPassword, code: Totp }),
    answer: Me,
    for: "open",
  },
  /** A recovery code in place of the six figures; it is used up. */
  recoverySignIn: {
    method: "POST",
    path: "sign-in/recovery",
    body: z.strictObject({ username: TypedName, password: TypedPassword, recoveryCode: RecoveryCode }),
    answer: Me,
    for: "open",
  },
  /** Whom a one-time link invites. Looking does not use it. */
  invitation: {
    method: "POST",
    path: "invitation",
    body: z.strictObject({ token: Token }),
    answer: z.object({ username: z.string(), name: z.string(), roles: z.array(RoleField), expiresAt: When }),
    for: "open",
  },
  invitationPasskeyBegin: {
    method: "POST",
    path: "invitation/passkey/begin",
    body: z.strictObject({ token: Token }),
    answer: Ceremony,
    for: "open",
  },
  /** Uses the link, registers the passkey and signs in. */
  invitationPasskeyFinish: {
    method: "POST",
    path: "invitation/passkey/finish",
    body: z.strictObject({ token: Token, ...Registration.shape }),
    answer: z.object({ me: Me, recoveryCodes: RecoveryCodes }),
    for: "open",
  },
  /** Chooses a password; `otpauth` goes into an authenticator app (as a QR code, or `secret` by hand). */
  invitationPasswordBegin: {
    method: "POST",
    path: "invitation/password/begin",
    body: z.strictObject({ token: Token, password: TypedPassword }),
    answer: z.object({ ceremony: OwnId, secret: z.string(), otpauth: z.string(), expiresAt: When }),
    for: "open",
  },
  /** Uses the link once the six figures are right, and signs in. */
  invitationPasswordFinish: {
    method: "POST",
    path: "invitation/password/finish",
    body: z.strictObject({ token: Token, ceremony: OwnId, code: Totp }),
    answer: z.object({ me: Me, recoveryCodes: RecoveryCodes }),
    for: "open",
  },
  me: { method: "GET", path: "me", answer: Me, for: "locked" },
  signOut: { method: "POST", path: "sign-out", body: z.strictObject({}), answer: z.object({}), for: "locked" },
  lock: { method: "POST", path: "lock", body: z.strictObject({}), answer: z.object({}), for: "locked" },
  unlockPasskeyBegin: {
    method: "POST",
    path: "unlock/passkey/begin",
    body: z.strictObject({}),
    answer: Ceremony,
    for: "locked",
  },
  unlockPasskeyFinish: {
    method: "POST",
    path: "unlock/passkey/finish",
    body: PasskeyAnswer,
    answer: Me,
    for: "locked",
  },
  unlockPassword: {
    method: "POST",
    path: "unlock/password",
    body: z.strictObject({ password: TypedPassword, code: Totp }),
    answer: Me,
    for: "locked",
  },
  /** The person touched the page: the idle time begins anew. Reading alone does not. */
  active: { method: "POST", path: "active", body: z.strictObject({}), answer: z.object({}), for: "own" },
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
    body: z.strictObject({ ...Registration.shape, stepUp: z.optional(OwnId) }),
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

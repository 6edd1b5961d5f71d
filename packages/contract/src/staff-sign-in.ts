import * as z from "zod/mini";
import { OwnId } from "./ids.ts";
import { PositiveMinor } from "./money.ts";
import { Ceremony, PasskeyAnswer, PasskeyRegistration } from "./passkeys.ts";
import type { StaffCall } from "./staff-call.ts";
import { ShortText, When } from "./staff-call.ts";
import { PERMISSION_NAMES, ROLES } from "./staff-rights.ts";

/** A name of a table. */
export const nameIn = <Table extends Record<string, unknown>>(table: Table) =>
  z.enum(Object.keys(table) as [keyof Table & string, ...(keyof Table & string)[]]);
export const PermissionField = z.enum(PERMISSION_NAMES);
export const RoleField = nameIn(ROLES);

/** How staff is named: unique in any spelling. */
export const Username = z.string().check(z.regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{1,39}$/u));
/** As typed at a sign-in, where a wrong one is wrong and not malformed. */
const TypedName = z.string().check(z.minLength(1), z.maxLength(100));
const TypedPassword = z.string().check(z.minLength(1), z.maxLength(256));
const Totp = z.string().check(z.regex(/^\d{6}$/));
const RecoveryCode = z.string().check(z.minLength(1), z.maxLength(40));
const Token = z.string().check(z.regex(/^[A-Za-z0-9_-]{20,100}$/));

/** The fields of a passkey that is being added. */
export const registration = { ceremony: OwnId, response: PasskeyRegistration, label: ShortText };

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
export const RecoveryCodes = z.array(z.string());

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
} as const satisfies Record<string, StaffCall>;

/** Signing in and out. */
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
    body: z.strictObject({ token: Token, ...registration }),
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
} as const satisfies Record<string, StaffCall>;

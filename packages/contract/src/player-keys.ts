import * as z from "zod/mini";
import type { Call } from "./call.ts";
import { Done, LoginAnswer, LoginField, TypedCode } from "./http.ts";
import { OwnId } from "./ids.ts";
import { Ceremony, PasskeyAnswer, PasskeyRegistration } from "./passkeys.ts";

const When = z.iso.datetime({ offset: true }).check(z.maxLength(40));

/** How many passkeys one player may have. */
export const PLAYER_PASSKEYS_MAX = 20;
/** How many recovery codes are made at once, each good for one sign-in. */
export const PLAYER_CODES = 10;
/** So long after signing in a player changes the ways to sign in without a new proof, minutes. */
export const FRESH_SIGN_IN_MINUTES = 10;

/** What a player calls a passkey: plain text in one line. */
const KeyName = z
  .string()
  .check(z.trim(), z.minLength(1), z.maxLength(60), z.regex(/^[^\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]*$/u));

/** What a passkey may confirm in place of the password. An answer is good for its own act alone. */
export const CONFIRMED_ACTS = ["password", "pin", "unlock", "passkeys"] as const;
export type ConfirmedAct = (typeof CONFIRMED_ACTS)[number];

/**
 * That it is the player: the password, a passkey's answer for this act, or a code. Of a player with an authenticator app the password alone is not
 * enough. Absent: the sign-in itself is fresh.
 */
export const Proof = z.optional(
  z.union([z.strictObject({ password: LoginField }), PasskeyAnswer, z.strictObject({ code: TypedCode })]),
);
export type Proof = z.output<typeof Proof>;

/** A passkey of the caller. */
export const PlayerPasskey = z.object({
  id: OwnId,
  name: z.string(),
  addedAt: When,
  /** Null: never. */
  usedAt: z.nullable(When),
});
export type PlayerPasskey = z.output<typeof PlayerPasskey>;

export const PlayerPasskeysAnswer = z.object({
  passkeys: z.array(PlayerPasskey),
  /** The last one cannot be removed: nothing else would sign in. */
  keepsLast: z.boolean(),
  /** Recovery codes that are not used. */
  codesLeft: z.int(),
  /** When the authenticator app was added; null: there is none. Absent: the platform has none, or not for this player. */
  appSince: z.optional(z.nullable(When)),
  /** Until when these may be changed without a proof; null: a proof is needed. */
  freshUntil: z.nullable(When),
});
export type PlayerPasskeysAnswer = z.output<typeof PlayerPasskeysAnswer>;

/** An open sign-in of the caller. */
export const PlayerSignIn = z.object({
  id: OwnId,
  /** The browser's user agent; empty: not known. */
  device: z.string(),
  address: z.string(),
  how: z.enum(["password", "passkey", "recoveryCode", "registration", "link", "openId"]),
  since: When,
  /** When something was done with it. */
  activeAt: When,
  isThis: z.boolean(),
});
export type PlayerSignIn = z.output<typeof PlayerSignIn>;

const SiteId = z.union([z.int(), z.string().check(z.maxLength(100))]);

/** Ways to sign in beside the password, and the sign-ins of the caller. A platform without them answers 404. */
export const keyCalls = {
  passkeyAsk: { method: "POST", path: "login/passkey/ask", answer: Ceremony, open: true },
  passkeyLogin: {
    method: "POST",
    path: "login/passkey",
    body: z.strictObject({ ...PasskeyAnswer.shape, site_id: SiteId }),
    answer: LoginAnswer,
    open: true,
  },
  codeLogin: {
    method: "POST",
    path: "login/code",
    body: z.strictObject({
      username: LoginField,
      code: TypedCode,
      site_id: SiteId,
    }),
    answer: LoginAnswer,
    open: true,
  },
  /** By the code of a link that a system of the operator made: once, within `LOGIN_LINK_S`. */
  linkLogin: {
    method: "POST",
    path: "login/link",
    body: z.strictObject({ code: z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/)), site_id: SiteId }),
    answer: LoginAnswer,
    open: true,
  },
  /** Asks a passkey of the caller to confirm one act. */
  confirmAsk: {
    method: "POST",
    path: "player/confirm/ask",
    body: z.strictObject({ act: z.enum(CONFIRMED_ACTS) }),
    answer: Ceremony,
  },
  passkeys: { method: "GET", path: "player/passkeys", answer: PlayerPasskeysAnswer },
  passkeyAddAsk: {
    method: "POST",
    path: "player/passkeys/ask",
    body: z.strictObject({ proof: Proof }),
    answer: Ceremony,
  },
  passkeyAdd: {
    method: "POST",
    path: "player/passkeys",
    body: z.strictObject({ ceremony: OwnId, response: PasskeyRegistration, name: KeyName }),
    answer: PlayerPasskeysAnswer,
  },
  passkeyName: {
    method: "POST",
    path: "player/passkeys/{id}/name",
    body: z.strictObject({ name: KeyName }),
    answer: PlayerPasskeysAnswer,
  },
  /** Ends the sign-ins that were made with it, but for the caller's. */
  passkeyRemove: {
    method: "POST",
    path: "player/passkeys/{id}/remove",
    body: z.strictObject({ proof: Proof }),
    answer: PlayerPasskeysAnswer,
  },
  /** A new secret for an authenticator app, shown once. It counts once its first code comes back, in the same sign-in, until `expiresAt`. */
  appAsk: {
    method: "POST",
    path: "player/app/ask",
    body: z.strictObject({ proof: Proof }),
    answer: z.object({ ceremony: OwnId, secret: z.string(), otpauth: z.string(), expiresAt: When }),
  },
  /** Takes the place of an app that was there. `codes`: new recovery codes, where none were left; they are shown once. */
  appAdd: {
    method: "POST",
    path: "player/app",
    body: z.strictObject({ ceremony: OwnId, code: TypedCode }),
    answer: z.object({ ...PlayerPasskeysAnswer.shape, codes: z.optional(z.array(z.string())) }),
  },
  appRemove: {
    method: "POST",
    path: "player/app/remove",
    body: z.strictObject({ proof: Proof }),
    answer: PlayerPasskeysAnswer,
  },
  /** New recovery codes in place of all that were there; they are shown once. */
  codesRenew: {
    method: "POST",
    path: "player/recovery-codes",
    body: z.strictObject({ proof: Proof }),
    answer: z.object({ codes: z.array(z.string()) }),
  },
  /** The newest first, at most 50. */
  signIns: { method: "GET", path: "player/sign-ins", answer: z.object({ signIns: z.array(PlayerSignIn) }) },
  signInEnd: { method: "POST", path: "player/sign-ins/{id}/end", answer: Done },
  /** All but the caller's. */
  signInsEnd: { method: "POST", path: "player/sign-ins/end", answer: Done },
} as const satisfies Record<string, Call>;

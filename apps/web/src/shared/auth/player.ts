import { TokenPayload, ValidateAnswer } from "@longarm/contract/http";
import type { PlayClosed } from "@longarm/contract/play-closed";
import * as z from "zod/mini";
import { tolerantOf } from "../api/client.ts";

export type Role = "admin" | "staff" | "user";

/**
 * Who is signed in, from the token's claims and the answer that brought it. The names are those of the specification (section 3),
 * its mixed case included; texts that were not sent are empty. The balance belongs to the wallet: it has one owner.
 */
export type SignedInPlayer = {
  readonly id: string;
  /** Every player has the one client role `user`. */
  readonly role: readonly Role[];
  /** First and last name, or what else there is to call the player by. */
  readonly displayName: string;
  readonly name: string;
  readonly lastname: string;
  readonly username: string;
  readonly email: string;
  readonly photoURL: string;
  /** Ids of navigation items; undefined when the platform keeps none. */
  readonly shortcuts: readonly string[] | undefined;
  /** What the platform keeps of the player's appearance, not read yet. */
  readonly settings: unknown;
  readonly type: string | undefined;
  readonly Group: string | undefined;
  /** Permission ids as text. Undefined when the platform sends none: then nothing is hidden by permission (decision D-08). */
  readonly Permissions: readonly string[] | undefined;
  readonly Versions: string;
  /** Address of this login, and time (ISO 8601) and address of the one before it. */
  readonly IP: string;
  readonly LastLogon: string;
  readonly LastLogonIP: string;
  /** When this sign-in began, and since when the account exists (ISO 8601), or empty: the platform does not say. */
  readonly signedInAt: string;
  readonly memberSince: string;
  /** What the token says, when it can be read. */
  readonly claims: TokenPayload | undefined;
  /** When the password was last changed (ISO 8601), or empty. */
  readonly passwordChanged: string;
  readonly passwordExpired: boolean;
  /** The platform remembers that this sign-in is locked. */
  readonly locked: boolean;
  /** The platform has a Team Chat. */
  readonly teamChat: boolean;
  /** What keeps the player from play now. */
  readonly playClosed: PlayClosed | undefined;
  /** The version of the terms of use that waits for the player's yes. */
  readonly termsDue: number | undefined;
  /** The market wants the player to say whether they would like limits. */
  readonly limitsOffered: boolean;
  /** When there is news of the player's looser limits (ISO 8601). */
  readonly limitsNewsAt: string | undefined;
  /** A letter of staff waits. */
  readonly letterWaits: boolean;
  /** The game of a question in which staff wrote something new. */
  readonly disputeNews: string | undefined;
};

/** What login and token check answer; an operator's platform may leave any of it out. */
export type SignInAnswer = z.output<typeof ValidateAnswer>;
export const SignInAnswer = tolerantOf(ValidateAnswer);

/** Longer names are cut to this many characters. */
const NAME_LENGTH_MAX = 200;

export function playerOf(token: string, answer: SignInAnswer): SignedInPlayer {
  const claims = readToken(token);
  // The token says which player it is; with an unreadable token the answer does (decision D-09).
  const said = { ...answer, ...claims };
  const [name, lastname, username, email] = [said.name, said.lastname, said.username, said.email].map(
    (text) => text?.slice(0, NAME_LENGTH_MAX) ?? "",
  ) as [string, string, string, string];
  return {
    id: said.id ?? "",
    role: ["user"],
    displayName: `${name} ${lastname}`.trim() || username || email,
    ...{ name, lastname, username, email, photoURL: answer.photoURL ?? "" },
    shortcuts: answer.shortcuts ?? undefined,
    settings: answer.settings ?? undefined,
    type: plainText(said.type),
    // Rights come fresher with the answer than with a token that was signed a while ago.
    Group: plainText(answer.Group ?? claims?.Group),
    Permissions: (answer.Permissions ?? claims?.Permissions)?.map(String),
    Versions: versionText(answer.versions),
    IP: answer.ip_address ?? "",
    LastLogon: answer.last_logon ?? "",
    LastLogonIP: answer.last_logon_ip ?? "",
    signedInAt: answer.signed_in_at ?? "",
    memberSince: answer.member_since ?? "",
    claims,
    passwordChanged: answer.password_changed ?? "",
    passwordExpired: answer.password_expired ?? false,
    locked: answer.locked ?? false,
    teamChat: answer.team_chat ?? false,
    playClosed: answer.play_closed ?? undefined,
    termsDue: answer.terms_due ?? undefined,
    limitsOffered: answer.limits_offered ?? false,
    limitsNewsAt: answer.limits_news_at ?? undefined,
    letterWaits: answer.letter_waits ?? false,
    disputeNews: answer.dispute_news,
  };
}

function plainText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** Versions come as a text, or by name of what has them. */
function versionText(versions: unknown): string {
  if (typeof versions !== "object" || versions === null) return plainText(versions) ?? "";
  return Object.entries(versions)
    .map(([what, version]) => `${what} ${plainText(version) ?? "?"}`)
    .join(", ");
}

const Claims = tolerantOf(TokenPayload, "id");

/** The claims of a signed token, or undefined when it is no token we can read: then the server decides (decision D-09). */
export function readToken(token: string): TokenPayload | undefined {
  const [, body, signature] = token.split(".");
  if (body === undefined || signature === undefined) return undefined;
  try {
    const read = z.safeParse(Claims, JSON.parse(decodeBase64Url(body)));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the token can be sent in a header at all: visible ASCII, and no longer than servers accept. */
export function isSendable(token: string): boolean {
  return /^[\x21-\x7e]{1,8000}$/.test(token);
}

/** Whether the token says itself that its time is over. `exp` is in seconds. */
export function isExpired(payload: TokenPayload | undefined, nowMs: number): boolean {
  return payload?.exp !== undefined && payload.exp * 1000 <= nowMs;
}

function decodeBase64Url(text: string): string {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
}

/** Access to a route or an entry of the navigation: null for everybody, an empty list for guests only, else one of the roles is needed (specification 2.2). */
export type Access = readonly Role[] | null;

/** `roles`: those of the visitor; a guest has none. */
export function mayEnter(access: Access, roles: readonly Role[]): boolean {
  if (access === null) return true;
  if (access.length === 0) return roles.length === 0;
  return access.some((role) => roles.includes(role));
}

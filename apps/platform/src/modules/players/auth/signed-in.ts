import { createHash } from "node:crypto";
import type { SignedInAnswer } from "@longarm/contract/http";
import type { PlayClosed } from "@longarm/contract/play-closed";
import type { ProblemName } from "@longarm/contract/problems";
import type { FastifyRequest } from "fastify";
import manifest from "../../../../package.json" with { type: "json" };
import type { Clock } from "../../../clock.ts";
import type { AnyDb } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { Player, Players } from "../accounts/index.ts";
import { usernameKey } from "../accounts/index.ts";
import type { AuthSession, AuthSessions, Visit } from "./auth-sessions.ts";
import type { Bursts } from "./bursts.ts";
import type { Notices } from "./notices.ts";
import type { RefusedProblem } from "./tables.ts";
import { REFUSED_TYPES } from "./tables.ts";
import type { Tokens } from "./tokens.ts";

/** Sent to a signed-in player as `versions`. */
export const PLATFORM_VERSION: string = manifest.version;

export type SignedInParts = {
  readonly players: Players;
  readonly sessions: AuthSessions;
  readonly tokens: Tokens;
  readonly random: Random;
  readonly clock: Clock;
  /** How long a token is good. */
  readonly tokenHours: number;
  /** A password older than this is reported as expired; 0: never. */
  readonly passwordDaysMax: number;
  /** Whether players may write to each other. */
  readonly teamChat: boolean;
  readonly protection: Protection;
  /** Null: players receive no e-mail. */
  readonly notices: Notices | null;
};

/** What protects players and takes part in signing in. */
export type Protection = {
  /** What keeps a player from play now; null: nothing. */
  playClosed(playerId: string): Promise<PlayClosed | null>;
  /** The version of the terms of use that holds and waits for the player's yes; null: none. */
  termsDue(playerId: string): Promise<number | null>;
  /** Whether limits are offered to the player, who has not answered yet. */
  limitsOffered(playerId: string): Promise<boolean>;
  /** Whether a letter of staff waits. */
  letterWaits(playerId: string): Promise<boolean>;
  /** The game of a question in which staff wrote something new. */
  disputeNews(playerId: string): Promise<string | undefined>;
  /** When there is news of the player's looser limits; null: none waits. */
  limitsNewsAt(playerId: string): Promise<Date | null>;
  /** A player has signed in. */
  signedIn(playerId: string): void;
};

/** Whence a visitor signs in. */
export const visitOf = ({ clientAddress, headers }: FastifyRequest, how: Visit["how"]): Visit => ({
  address: clientAddress,
  device: String(headers["user-agent"] ?? "")
    .replaceAll(/[^\x20-\x7e]/g, "")
    .slice(0, 200),
  how,
});

/**
 * Opens a sign-in for a player whose password or passkey was right, and answers what `login` does. Undefined: the password is another by now, or the
 * passkey gone.
 */
export function signedIn(parts: SignedInParts) {
  const { players, sessions, tokens, random, notices, tokenHours: hours } = parts;
  return async (player: Player, visit: Visit): Promise<SignedInAnswer | undefined> => {
    const { address } = visit;
    const jti = newId(random, "jti");
    const previous = { at: player.last_logon, address: player.last_logon_ip };
    const given = { jti, playerId: player.id, password: player.password, visit, previous, hours };
    const also = notices === null ? undefined : (trx: AnyDb) => notices.signedIn(trx, player, jti, visit);
    const opened = await sessions.open(given, also);
    if (opened === undefined) return undefined;
    await players.noteLogon(player.id, address);
    parts.protection.signedIn(player.id);
    return {
      ...(await playerAnswer(parts, player, address, { ...opened, previous })),
      token: await tokens.sign(player, jti, opened.expiresAt),
    };
  };
}

/** What `login` and `validate` return of a player beside the token. */
export async function playerAnswer(
  { players, clock, passwordDaysMax, teamChat, protection }: SignedInParts,
  player: Player,
  address: string,
  { previous, openedAt }: Pick<AuthSession, "previous" | "openedAt">,
): Promise<Omit<SignedInAnswer, "token" | "code">> {
  const [{ settings, shortcuts }, closed, termsDue, limitsOffered, newsAt, letterWaits, disputeNews] =
    await Promise.all([
      players.profile(player.id),
      protection.playClosed(player.id),
      protection.termsDue(player.id),
      protection.limitsOffered(player.id),
      protection.limitsNewsAt(player.id),
      protection.letterWaits(player.id),
      protection.disputeNews(player.id),
    ]);
  return {
    ...(settings && { settings }),
    ...(shortcuts && { shortcuts: [...shortcuts] }),
    // The platform judges the PIN itself, so nothing that was made of it leaves.
    pin_code: "",
    pin_set: player.pin !== null,
    ip_address: address,
    versions: { platform: PLATFORM_VERSION },
    last_logon: previous.at?.toISOString() ?? null,
    last_logon_ip: previous.address,
    signed_in_at: openedAt.toISOString(),
    member_since: player.created_at.toISOString(),
    Group: player.player_group,
    Permissions: player.permissions,
    password_changed: player.password_changed_at?.toISOString() ?? null,
    password_expired: isExpired(player, passwordDaysMax, clock.now()),
    ...(teamChat && { team_chat: true }),
    ...(closed !== null && { play_closed: closed }),
    ...(termsDue !== null && { terms_due: termsDue }),
    ...(limitsOffered && { limits_offered: true }),
    ...(newsAt !== null && { limits_news_at: newsAt.toISOString() }),
    ...(letterWaits && { letter_waits: true }),
    ...(disputeNews !== undefined && { dispute_news: disputeNews }),
  };
}

const DAY_MS = 86_400_000;

/** The age of a password that was never changed is that of its player. */
function isExpired({ password_changed_at, created_at }: Player, daysMax: number, now: number): boolean {
  return daysMax > 0 && now - (password_changed_at ?? created_at).getTime() > daysMax * DAY_MS;
}

export type RefusedSignIn = {
  readonly problem: ProblemName;
  /** Who it seems to be: a name, the id of a passkey's credential, the code of a link, or a person of the issuer. */
  readonly named:
    | { readonly username: string }
    | { readonly passkey: string }
    | { readonly link: string }
    | { readonly openId: string };
  readonly address: string;
};

const isTold = (problem: ProblemName): problem is RefusedProblem => Object.hasOwn(REFUSED_TYPES, problem);

/**
 * Writes a refused sign-in down before it is answered. A known name and an unknown one cost the same; of an unknown one only a hash is kept:
 * it may be a password that was typed into the wrong field.
 */
export function recordSignIn(bursts: Bursts, players: Pick<Players, "findByName">, refused: (type: string) => void) {
  return async ({ problem, named, address }: RefusedSignIn): Promise<void> => {
    if (!isTold(problem)) return;
    refused(REFUSED_TYPES[problem]);
    const [[kind, given] = ["none", ""]] = Object.entries(named);
    const isName = kind === "username";
    const player = isName ? await players.findByName(given) : undefined;
    const text = isName ? usernameKey(given) : given;
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 24);
    const subject = player === undefined ? `${isName ? "name" : kind}:${hash}` : `player:${player.id}`;
    await bursts.note({ problem, subject, address });
  };
}

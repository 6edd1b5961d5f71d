import type { SignedInAnswer } from "@longarm/contract/http";
import type { Clock } from "../../../clock.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { Player, Players } from "../accounts/index.ts";
import type { AuthSession, AuthSessions } from "./auth-sessions.ts";
import type { Tokens } from "./tokens.ts";
import { PLATFORM_VERSION } from "./version.ts";

export type SignedInParts = {
  readonly players: Players;
  readonly sessions: AuthSessions;
  readonly tokens: Tokens;
  readonly random: Random;
  readonly clock: Clock;
  /** How long a token is good. */
  readonly tokenHours: number;
  /** A password older than this is told to be expired; 0: never. */
  readonly passwordDaysMax: number;
  /** Whether players may write to each other. */
  readonly teamChat: boolean;
};

/** Opens a sign-in for a player whose password was right, and answers what `login` does. Undefined: the password is another by now. */
export function signedIn(parts: SignedInParts) {
  const { players, sessions, tokens, random, tokenHours: hours } = parts;
  return async (player: Player, address: string): Promise<SignedInAnswer | undefined> => {
    const jti = newId(random, "jti");
    const previous = { at: player.last_logon, address: player.last_logon_ip };
    const opened = await sessions.open({
      jti,
      playerId: player.id,
      password: player.password,
      address,
      previous,
      hours,
    });
    if (opened === undefined) return undefined;
    await players.noteLogon(player.id, address);
    return {
      ...(await playerAnswer(parts, player, address, { ...opened, previous })),
      token: await tokens.sign(player, jti, opened.expiresAt),
    };
  };
}

/** What `login` and `validate` tell of a player beside the token. */
export async function playerAnswer(
  { players, clock, passwordDaysMax, teamChat }: SignedInParts,
  player: Player,
  address: string,
  { previous, openedAt }: Pick<AuthSession, "previous" | "openedAt">,
): Promise<Omit<SignedInAnswer, "token" | "code">> {
  const { settings, shortcuts } = await players.profile(player.id);
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
  };
}

const DAY_MS = 86_400_000;

/** The age of a password that was never changed is that of its player. */
function isExpired({ password_changed_at, created_at }: Player, daysMax: number, now: number): boolean {
  return daysMax > 0 && now - (password_changed_at ?? created_at).getTime() > daysMax * DAY_MS;
}

import type { SignedInAnswer } from "@longarm/contract/http";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { Player, Players } from "../../players/index.ts";
import type { AuthSessions, Previous } from "../session/auth-sessions.ts";
import type { Tokens } from "../session/tokens.ts";
import { PLATFORM_VERSION } from "./version.ts";

export type SignedInParts = {
  readonly players: Players;
  readonly sessions: AuthSessions;
  readonly tokens: Tokens;
  readonly random: Random;
  /** How long a token is good. */
  readonly hours: number;
};

/** Opens a sign-in for a player whose password was right, and answers what `login` does. */
export function signedIn({ players, sessions, tokens, random, hours }: SignedInParts) {
  return async (player: Player, address: string): Promise<SignedInAnswer> => {
    const jti = newId(random, "jti");
    const previous = { at: player.last_logon, address: player.last_logon_ip };
    const expiresAt = await sessions.open({ jti, playerId: player.id, address, previous, hours });
    await players.noteLogon(player.id, address);
    return {
      ...(await playerAnswer(players, player, address, previous)),
      token: await tokens.sign(player, jti, expiresAt),
    };
  };
}

/** What `login` and `validate` tell of a player beside the token. */
export async function playerAnswer(
  players: Players,
  player: Player,
  address: string,
  previous: Previous,
): Promise<Omit<SignedInAnswer, "token" | "code">> {
  return {
    pin_code: await players.pinCode(player),
    ip_address: address,
    versions: { platform: PLATFORM_VERSION },
    last_logon: previous.at?.toISOString() ?? null,
    last_logon_ip: previous.address,
    Group: player.player_group,
    Permissions: player.permissions,
  };
}

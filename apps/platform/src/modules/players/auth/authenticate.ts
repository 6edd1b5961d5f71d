import type { AuthSession, AuthSessions } from "./auth-sessions.ts";
import type { Authenticated } from "./caller.ts";
import type { Claims, Tokens } from "./tokens.ts";

const BAD_TOKEN = { is: "refused", problem: { name: "auth.signature" } } as const;

/** Signature and expiry by the token, everything else by its row; at once where both are known already. */
export function authenticateWith(tokens: Tokens, sessions: AuthSessions) {
  async function look(token: string): Promise<Authenticated> {
    const claims = await tokens.read(token);
    return claims === undefined ? BAD_TOKEN : judged(claims, await sessions.find(claims.jti));
  }
  return (token: string): Authenticated | Promise<Authenticated> => {
    const claims = tokens.known(token);
    const known = claims && sessions.known(claims.jti);
    return claims && known ? judged(claims, known.session) : look(token);
  };
}

function judged(claims: Claims, session: AuthSession | undefined): Authenticated {
  if (!session || session.playerId !== claims.id) return BAD_TOKEN;
  if (session.state === "banned") return { is: "refused", problem: { name: "auth.banned" } };
  if (session.state === "ended") return BAD_TOKEN;
  const { playerId, locked } = session;
  return { is: "caller", playerId, jti: claims.jti, expiresAtMs: claims.exp * 1_000, locked };
}

import type { Authenticated } from "../caller.ts";
import type { AuthSessions } from "./auth-sessions.ts";
import type { Tokens } from "./tokens.ts";

const BAD_TOKEN = { is: "refused", problem: { name: "auth.signature" } } as const;

/** Signature and expiry by the token, everything else by its row. */
export function authenticateWith(tokens: Tokens, sessions: AuthSessions) {
  return async (token: string): Promise<Authenticated> => {
    const claims = await tokens.read(token);
    if (!claims) return BAD_TOKEN;
    const session = await sessions.find(claims.jti);
    if (!session || session.playerId !== claims.id) return BAD_TOKEN;
    if (session.state === "banned") return { is: "refused", problem: { name: "auth.banned" } };
    if (session.state === "ended") return BAD_TOKEN;
    const { playerId, locked } = session;
    return { is: "caller", playerId, jti: claims.jti, expiresAtMs: claims.exp * 1_000, locked };
  };
}

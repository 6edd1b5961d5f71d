import { TokenPayload } from "@longarm/contract/http";
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from "jose";
import * as z from "zod/mini";
import type { Clock } from "../../../clock.ts";
import type { Keys, Player } from "../../players/index.ts";

const ALGORITHM = "HS256";
/** A longer text is no token of ours. */
const TOKEN_LENGTH_MAX = 4_096;
/** Tokens whose signature is known to be right; a check of it costs more than the rest of a small answer. */
const VERIFIED_MAX = 10_000;
/**
 * For how long, ms. Then its key is looked for again: one that was removed opens nothing any more. A little longer than a sign-in's row is good
 * for, so that both are looked at at once.
 */
const VERIFIED_MS = 6_000;

const Claims = z.extend(TokenPayload, { jti: z.string(), exp: z.number() });
export type Claims = z.output<typeof Claims>;

export interface Tokens {
  sign(player: Player, jti: string, expiresAt: Date): Promise<string>;
  /** The claims of a token that was read a moment ago and is not expired. */
  known(token: string): Claims | undefined;
  /** The claims of a token that one of our keys signed and that is not expired; undefined: anything else. */
  read(token: string): Promise<Claims | undefined>;
}

/** Signed tokens with the specification's payload. Only one algorithm is accepted, whatever the token's header says. */
export function createTokens(keys: Keys, clock: Clock): Tokens {
  const verified = new Map<string, { readonly at: number; readonly claims: Claims }>();
  return {
    async sign(player, jti, expiresAt) {
      const { kid, secret } = await keys.current();
      return await new SignJWT({
        id: player.id,
        Group: player.player_group,
        Permissions: player.permissions,
        type: player.type,
        name: player.name,
        lastname: player.lastname,
        email: player.email,
        username: player.username,
      })
        .setProtectedHeader({ alg: ALGORITHM, kid, typ: "JWT" })
        .setJti(jti)
        .setIssuedAt(Math.floor(clock.now() / 1_000))
        .setExpirationTime(Math.floor(expiresAt.getTime() / 1_000))
        .sign(secret);
    },

    known(token) {
      const found = verified.get(token);
      if (found === undefined) return undefined;
      const now = clock.now();
      if (now - found.at < VERIFIED_MS && found.claims.exp > Math.floor(now / 1_000)) return found.claims;
      verified.delete(token);
      return undefined;
    },

    async read(token) {
      if (token.length > TOKEN_LENGTH_MAX) return undefined;
      const at = clock.now();
      const key = await keyOf(keys, token);
      if (!key) return undefined;
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          currentDate: new Date(at),
        });
        const claims = z.safeParse(Claims, payload);
        if (!claims.success) return undefined;
        for (const oldest of verified.keys()) {
          if (verified.size < VERIFIED_MAX) break;
          verified.delete(oldest);
        }
        verified.set(token, { at, claims: claims.data });
        return claims.data;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

async function keyOf(keys: Keys, token: string): Promise<Buffer | undefined> {
  const kid = kidOf(token);
  // Looked up before the signature is checked, so the id is held to its form.
  if (kid === undefined || !/^k_[A-Za-z0-9_-]{1,40}$/.test(kid)) return undefined;
  return (await keys.find(kid))?.secret;
}

function kidOf(token: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(token);
    return typeof kid === "string" ? kid : undefined;
  } catch {
    return undefined;
  }
}

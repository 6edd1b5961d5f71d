import { TokenPayload } from "@longarm/contract/http";
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from "jose";
import * as z from "zod/mini";
import type { Clock } from "../../../clock.ts";
import type { Key, Keys, Player } from "../accounts/index.ts";

const ALGORITHM = "HS256";
/** A longer text is no token of ours. */
const TOKEN_LENGTH_MAX = 4_096;
/** Tokens whose signature is known to be right under its key; a check of it costs more than the rest of a small answer. */
const VERIFIED_MAX = 10_000;
/**
 * How long a key that was seen in the database opens tokens that are known, ms: one that was removed opens nothing any more. A little longer than
 * a sign-in's row is good for, so that both are looked at at once.
 */
const KEY_MS = 6_000;

const Claims = z.extend(TokenPayload, { jti: z.string(), exp: z.number() });
export type Claims = z.output<typeof Claims>;

/** What a token says, and the key that it was found to be signed by. */
type Verified = { readonly key: Key; readonly claims: Claims };

export interface Tokens {
  sign(player: Player, jti: string, expiresAt: Date): Promise<string>;
  /** The claims of a token that was read before, whose key was seen a moment ago, and that is not expired. */
  known(token: string): Claims | undefined;
  /** The claims of a token that one of our keys signed and that is not expired; undefined: anything else. */
  read(token: string): Promise<Claims | undefined>;
}

/** Signed tokens with the specification's payload. Only one algorithm is accepted, whatever the token's header says. */
export function createTokens(keys: Keys, clock: Clock): Tokens {
  const verified = new Map<string, Verified>();
  const seen = new Map<string, { readonly at: number; readonly key: Key }>();

  /** The key as the database has it now. */
  async function look(kid: string): Promise<Key | undefined> {
    const at = clock.now();
    const key = await keys.find(kid);
    if (key === undefined) seen.delete(kid);
    else seen.set(kid, { at, key });
    return key;
  }

  /** Its claims while it is not expired, if it was signed by this very key. */
  function stillGood(found: Verified, key: Key): Claims | undefined {
    const isOpen = found.claims.exp > Math.floor(clock.now() / 1_000);
    return isOpen && found.key.secret.equals(key.secret) ? found.claims : undefined;
  }

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
      const looked = found && seen.get(found.key.kid);
      return looked && clock.now() - looked.at < KEY_MS ? stillGood(found, looked.key) : undefined;
    },

    async read(token) {
      if (token.length > TOKEN_LENGTH_MAX) return undefined;
      const kid = kidOf(token);
      const key = kid === undefined ? undefined : await look(kid);
      if (!key) return undefined;
      const found = verified.get(token);
      const known = found && stillGood(found, key);
      if (known !== undefined) return known;
      verified.delete(token);
      const claims = await signedClaims(token, key, clock);
      if (claims === undefined) return undefined;
      for (const oldest of verified.keys()) {
        if (verified.size < VERIFIED_MAX) break;
        verified.delete(oldest);
      }
      verified.set(token, { key, claims });
      return claims;
    },
  };
}

async function signedClaims(token: string, { secret }: Key, clock: Clock): Promise<Claims | undefined> {
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: [ALGORITHM],
      currentDate: new Date(clock.now()),
    });
    const claims = z.safeParse(Claims, payload);
    return claims.success ? claims.data : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

/** The key that a token names. It is looked for before the signature is checked, so it is held to its form. */
function kidOf(token: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(token);
    return typeof kid === "string" && /^k_[A-Za-z0-9_-]{1,40}$/.test(kid) ? kid : undefined;
  } catch {
    return undefined;
  }
}

import type { PasskeyAnswer, PasskeyRegistration } from "@longarm/contract/passkeys";
import type { ConfirmedAct } from "@longarm/contract/player-keys";
import { PLAYER_PASSKEYS_MAX } from "@longarm/contract/player-keys";
import type { ProblemName } from "@longarm/contract/problems";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import { newRecoveryCodes, recoveryHash } from "../../../recovery-codes.ts";
import { checkRegistration } from "../../../webauthn.ts";
import { appOf, createApps, spendCode } from "./authenticator-app.ts";
import type { PasskeyParts, PasskeyRow, Signed, Steps, Within } from "./ceremonies.ts";
import {
  askNewPasskey,
  askPasskey,
  checkPasskey,
  lockedKeys,
  passkeyNamed,
  passkeysOf,
  takeChallenge,
} from "./ceremonies.ts";
import { isLinked } from "./openid-links.ts";
import type { PasskeyTables } from "./tables.ts";

export type { PasskeyRow, Signed, Steps } from "./ceremonies.ts";
export { passkeyShown } from "./ceremonies.ts";
export type { OpenId, OpenIdIssuer } from "./openid-links.ts";
export { createOpenId, linkOpenId } from "./openid-links.ts";
export { passkeySite } from "./site.ts";
export type { PasskeyTables } from "./tables.ts";

/** A passkey's answer at a sign-in, before it was checked. */
export type SignInAnswer = { readonly key: PasskeyRow; check(): Promise<boolean> };

/** What signs players in beside their password. Who writes says in the transaction who acts. */
export function createPasskeys(parts: PasskeyParts) {
  const { db } = parts;
  return {
    askSignIn: () => askPasskey(parts, "signIn"),
    ask: (whose: Signed, act: ConfirmedAct) => askPasskey(parts, act, whose),
    askNew: (whose: Signed, player: { readonly username: string; readonly name: string }) =>
      askNewPasskey(parts, whose, player),
    of: (playerId: string) => passkeysOf(db, playerId),
    /** Whether a link with an issuer signs the player in too. */
    hasLink: (playerId: string) => isLinked(db, playerId, parts.providers),

    /** Takes the answer's ceremony, and finds the passkey. "unknown": no such passkey; "late": no such ceremony. */
    async signIn({ ceremony, response }: PasskeyAnswer): Promise<SignInAnswer | "unknown" | "late"> {
      const challenge = await takeChallenge(db, ceremony, "signIn", undefined);
      const key = await passkeyNamed(db, response);
      if (challenge === undefined) return "late";
      return key === undefined ? "unknown" : { key, check: () => checkPasskey(parts, challenge, response, key) };
    },

    /** Whether a passkey of this player confirmed this act in this sign-in. */
    async confirms(whose: Signed, act: ConfirmedAct, { ceremony, response }: PasskeyAnswer): Promise<boolean> {
      const challenge = await takeChallenge(db, ceremony, act, whose);
      const key = await passkeyNamed(db, response);
      if (challenge === undefined || key?.player_id !== whose.playerId) return false;
      return await checkPasskey(parts, challenge, response, key);
    },

    add: (whose: Signed, given: NewPasskey, steps: Steps) => addPasskey(parts, whose, given, steps),
    rename: (playerId: string, id: string, name: string, first: Within) =>
      db.transaction().execute(async (trx) => {
        await first(trx);
        const own = trx.updateTable("player_passkey").set({ name }).where("id", "=", id);
        const done = await own.where("player_id", "=", playerId).executeTakeFirst();
        return done.numUpdatedRows > 0n;
      }),
    remove: (playerId: string, id: string, hasPassword: boolean, steps: Steps) =>
      removePasskey(parts, { playerId, id, hasPassword }, steps),

    codesLeft: (playerId: string) => codesLeft(db, playerId),
    renewCodes: (playerId: string, first: Within) =>
      db.transaction().execute(async (trx) => {
        await first(trx);
        return await renewCodes(trx, parts.random, playerId);
      }),
    spendCode: (playerId: string | undefined, code: string) => spendCode(db, playerId, code),

    app: createApps(parts),
  };
}
export type Passkeys = ReturnType<typeof createPasskeys>;

type NewPasskey = { readonly ceremony: string; readonly response: PasskeyRegistration; readonly name: string };

async function addPasskey(
  { db, random, site }: PasskeyParts,
  whose: Signed,
  { ceremony, response, name }: NewPasskey,
  { first, done }: Steps,
): Promise<ProblemName | null> {
  const challenge = await takeChallenge(db, ceremony, "add", whose);
  const key = challenge && (await checkRegistration(site(), challenge, response));
  if (!key) return "passkey.wrong";
  return await db.transaction().execute(async (trx) => {
    await first(trx);
    const own = await lockedKeys(trx, whose.playerId);
    if (own.length >= PLAYER_PASSKEYS_MAX) return "passkey.full";
    const kept = await trx
      .insertInto("player_passkey")
      .values({ id: newId(random, "pk"), player_id: whose.playerId, ...key, name })
      .onConflict((conflict) => conflict.column("credential_id").doNothing())
      .executeTakeFirst();
    if (kept.numInsertedOrUpdatedRows !== 1n) return "passkey.wrong";
    await done(trx);
    return null;
  });
}

/** "unknown": the player has no such passkey. "last": it is the last one, and nothing else signs in. */
async function removePasskey(
  { db, providers }: PasskeyParts,
  { playerId, id, hasPassword }: { readonly playerId: string; readonly id: string; readonly hasPassword: boolean },
  { first, done }: Steps,
): Promise<"removed" | "unknown" | "last"> {
  return await db.transaction().execute(async (trx) => {
    await first(trx);
    const own = await lockedKeys(trx, playerId);
    if (!own.includes(id)) return "unknown";
    const staysIn = hasPassword || own.length > 1 || (await isLinked(trx, playerId, providers));
    if (!staysIn) return "last";
    await trx.deleteFrom("player_passkey").where("id", "=", id).execute();
    await done(trx);
    return "removed";
  });
}

/** How many passkeys a player has, how many recovery codes that are not used, and whether there is an authenticator app. */
export async function keysOf(db: Kysely<PasskeyTables>, playerId: string): Promise<Keys> {
  return {
    passkeys: (await passkeysOf(db, playerId)).length,
    recoveryCodes: await codesLeft(db, playerId),
    hasApp: (await appOf(db, playerId)) !== undefined,
  };
}
type Keys = { readonly passkeys: number; readonly recoveryCodes: number; readonly hasApp: boolean };

async function codesLeft(db: Kysely<PasskeyTables>, playerId: string): Promise<number> {
  const row = await db
    .selectFrom("player_recovery_code")
    .select(sql<number>`count(*)::int`.as("count"))
    .where("player_id", "=", playerId)
    .where("used_at", "is", null)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Removes every passkey and recovery code of a player, the app and the links with issuers, within the caller's transaction; answers what there was. */
export async function removeAllKeys(
  trx: Kysely<PasskeyTables>,
  playerId: string,
): Promise<Keys & { readonly hasLink: boolean }> {
  await lockedKeys(trx, playerId);
  const had = await keysOf(trx, playerId);
  await trx.deleteFrom("player_passkey").where("player_id", "=", playerId).execute();
  await trx.deleteFrom("player_recovery_code").where("player_id", "=", playerId).execute();
  await trx.deleteFrom("player_totp").where("player_id", "=", playerId).execute();
  const links = await trx.deleteFrom("player_openid_link").where("player_id", "=", playerId).executeTakeFirst();
  return { ...had, hasLink: links.numDeletedRows > 0n };
}

async function renewCodes(trx: Kysely<PasskeyTables>, random: Random, playerId: string): Promise<string[]> {
  const codes = newRecoveryCodes(random);
  await lockedKeys(trx, playerId);
  await trx.deleteFrom("player_recovery_code").where("player_id", "=", playerId).execute();
  await trx
    .insertInto("player_recovery_code")
    .values(codes.map((code) => ({ player_id: playerId, code_sha256: recoveryHash(code) })))
    .execute();
  return codes;
}

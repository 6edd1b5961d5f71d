import type { Kysely } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import { recoveryHash } from "../../../recovery-codes.ts";
import { newTotpSecret, plainFigures, totpShown, totpStep } from "../../../totp.ts";
import { openText, sealText } from "../accounts/index.ts";
import type { PasskeyParts, Signed, Steps } from "./ceremonies.ts";
import { begin, challengeOf, lockedKeys, takeChallenge } from "./ceremonies.ts";
import type { PasskeyTables } from "./tables.ts";

/** So long a new secret waits for its first code, ms: an app may have to be installed first. */
const WAITS_MS = 900_000;

type Db = Kysely<PasskeyTables>;
type FirstCode = { readonly ceremony: string; readonly code: string };

/** The authenticator app of a player: beside the password it is the second step, and it confirms what a passkey confirms. */
export function createApps(parts: PasskeyParts) {
  const { db, random, keys } = parts;
  return {
    /** Since when the player has an app; undefined: there is none. */
    since: async (playerId: string): Promise<Date | undefined> => (await appOf(db, playerId))?.added_at,

    /** A new secret for the player's app, which counts once its first code comes back in the same sign-in. */
    async ask(whose: Signed, username: string) {
      const secret = newTotpSecret(random);
      const sealed = await sealText(keys, random, whose.playerId, secret.toString("base64"));
      const begun = await begin(parts, { purpose: "app", challenge: sealed.toString("base64"), whose, ms: WAITS_MS });
      return { ...begun, ...totpShown(secret, { issuer: parts.casino, username }) };
    },

    /** Takes the place of an app that was there. "late": no such secret waits; "wrong": it waits on. */
    async add(
      whose: Signed,
      { ceremony, code }: FirstCode,
      { first, done }: Steps,
    ): Promise<"added" | "late" | "wrong"> {
      const { playerId } = whose;
      const challenge = await challengeOf(db, ceremony, "app", whose);
      if (challenge === undefined) return "late";
      const totp = Buffer.from(challenge, "base64");
      const step = await stepOf(parts, { playerId, totp, usedStep: 0 }, code);
      if (step === undefined) return "wrong";
      return await db.transaction().execute(async (trx) => {
        await first(trx);
        await lockedKeys(trx, playerId);
        if ((await takeChallenge(trx, ceremony, "app", whose)) === undefined) return "late";
        await trx
          .insertInto("player_totp")
          .values({ player_id: playerId, totp, totp_step: step })
          .onConflict((conflict) =>
            conflict.column("player_id").doUpdateSet({ totp, totp_step: step, added_at: sql`clock_timestamp()` }),
          )
          .execute();
        await done(trx);
        return "added";
      });
    },

    /** False: there was none. */
    remove: (playerId: string, { first, done }: Steps): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        await first(trx);
        const removed = await trx.deleteFrom("player_totp").where("player_id", "=", playerId).executeTakeFirst();
        if (removed.numDeletedRows === 0n) return false;
        await done(trx);
        return true;
      }),

    /** Uses up what a player typed as the second step: six figures of the app, else a recovery code. False: it is none, or was used. */
    spend: (playerId: string, typed: string): Promise<boolean> =>
      /^\d{6}$/.test(plainFigures(typed)) ? spendFigures(parts, playerId, typed) : spendCode(db, playerId, typed),
  };
}

type Sealed = { readonly playerId: string; readonly totp: Buffer; readonly usedStep: number };

async function stepOf({ keys, clock }: PasskeyParts, { playerId, totp, usedStep }: Sealed, code: string) {
  const secret = Buffer.from(await openText(keys, playerId, totp), "base64");
  return totpStep(secret, plainFigures(code), clock.now(), usedStep);
}

/** The figures of now, used up: two at once with the same figures are one. */
async function spendFigures(parts: PasskeyParts, playerId: string, code: string): Promise<boolean> {
  const own = parts.db.selectFrom("player_totp").select(["totp", "totp_step"]).where("player_id", "=", playerId);
  const row = await own.executeTakeFirst();
  const step = row && (await stepOf(parts, { playerId, totp: row.totp, usedStep: row.totp_step }, code));
  if (row === undefined || step === undefined) return false;
  const used = await parts.db
    .updateTable("player_totp")
    .set({ totp_step: step })
    .where("player_id", "=", playerId)
    // The secret that was read: another may have taken its place.
    .where("totp", "=", row.totp)
    .where("totp_step", "<", step)
    .executeTakeFirst();
  return used.numUpdatedRows > 0n;
}

export async function appOf(db: Db, playerId: string) {
  return await db.selectFrom("player_totp").select("added_at").where("player_id", "=", playerId).executeTakeFirst();
}

/** Uses a recovery code up; false: it is none of this player, or used. Without a player it costs the same. */
export async function spendCode(db: Db, playerId: string | undefined, code: string): Promise<boolean> {
  const used = await db
    .updateTable("player_recovery_code")
    .set({ used_at: databaseNow() })
    .where("player_id", "=", playerId ?? "")
    .where("code_sha256", "=", recoveryHash(code))
    .where("used_at", "is", null)
    .executeTakeFirst();
  return used.numUpdatedRows > 0n;
}

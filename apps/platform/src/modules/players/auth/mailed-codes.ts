import { timingSafeEqual } from "node:crypto";
import { MAIL_CODE_MINUTES } from "@longarm/contract/player-mail";
import type { Language } from "@longarm/contract/settings";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import { plainFigures } from "../../../totp.ts";
import { mailedCode, queueMail } from "../../talk/mail/index.ts";
import type { Keys } from "../accounts/index.ts";
import type { AuthTables } from "./tables.ts";

/** Wrong codes that a mail allows. Eight figures and five tries: one chance in twenty million. */
const TRIES_MAX = 5;
const MINUTE_MS = 60_000;

export type CodeParts = {
  readonly db: Kysely<AuthTables>;
  readonly random: Random;
  readonly keys: Keys;
};

type NewCode = {
  readonly purpose: "address" | "password";
  /** Undefined: for no player; no mail leaves, and the answer is the same. */
  readonly playerId: string | undefined;
  readonly address: string;
  readonly language: Language;
};

const MAIL_OF = { address: "confirm", password: "reset" } as const;

/** Sends a code. An older one of the player for an address is over then; one for a password is not: a stranger could end it. */
export async function sendCode(
  { db, random, keys }: CodeParts,
  { purpose, playerId, address, language }: NewCode,
): Promise<{ readonly id: string; readonly expiresAt: Date }> {
  const id = newId(random, "mc");
  const { kid } = await keys.current();
  await db.deleteFrom("mailed_code").where("expires_at", "<", databaseNow()).execute();
  return await db.transaction().execute(async (trx) => {
    if (purpose === "address")
      await trx
        .deleteFrom("mailed_code")
        .where("purpose", "=", purpose)
        .where("player_id", "=", playerId ?? "")
        .execute();
    const { expires_at } = await trx
      .insertInto("mailed_code")
      .values({
        ...{ id, kid, purpose, address, language },
        player_id: playerId ?? null,
        expires_at: databaseIn(MAIL_CODE_MINUTES * MINUTE_MS),
      })
      .returning("expires_at")
      .executeTakeFirstOrThrow();
    await queueMail(trx, random, {
      kind: MAIL_OF[purpose],
      address,
      language,
      code: { id, kid },
      goodUntil: expires_at,
    });
    return { id, expiresAt: expires_at };
  });
}

export type WaitingCode = Pick<NewCode, "address" | "language"> & {
  readonly id: string;
  readonly playerId: string | null;
};
type Which = { readonly id: string } | { readonly addressOf: string };

/**
 * The waiting code that these figures are. The try is counted before they are looked at, so that many at once cannot pass the limit. The code waits on:
 * who uses it deletes it with `useCode`.
 */
export async function checkCode(
  { db, keys }: CodeParts,
  which: Which,
  typed: string,
): Promise<WaitingCode | undefined> {
  const row = await db
    .updateTable("mailed_code")
    .set((eb) => ({ tries: sql`least(${eb.ref("tries")} + 1, ${TRIES_MAX + 1})` }))
    .where("purpose", "=", "id" in which ? "password" : "address")
    .where((eb) => ("id" in which ? eb("id", "=", which.id) : eb("player_id", "=", which.addressOf)))
    .where("expires_at", ">", databaseNow())
    .returning(["id", "kid", "player_id", "address", "language", "tries"])
    .executeTakeFirst();
  const right = Buffer.from(await mailedCode(keys, row ?? { id: "", kid: null }));
  const figures = Buffer.from(plainFigures(typed));
  const isRight = figures.length === right.length && timingSafeEqual(figures, right);
  if (row === undefined || row.tries > TRIES_MAX || !isRight) return undefined;
  return { id: row.id, playerId: row.player_id, address: row.address, language: row.language };
}

/** Where a code went that confirms a player's address and may still be typed. */
export async function waitingAddress(db: Kysely<AuthTables>, playerId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("mailed_code")
    .select("address")
    .where("purpose", "=", "address")
    .where("player_id", "=", playerId)
    .where("expires_at", ">", databaseNow())
    .where("tries", "<", TRIES_MAX)
    .executeTakeFirst();
  return row?.address;
}

/** Uses a code up; false: somebody else did. */
export async function useCode(trx: Kysely<AuthTables>, id: string): Promise<boolean> {
  const used = await trx.deleteFrom("mailed_code").where("id", "=", id).executeTakeFirst();
  return used.numDeletedRows > 0n;
}

/** Codes for a password that wait for this player are over. */
export async function endPasswordCodes(trx: Kysely<AuthTables>, playerId: string): Promise<void> {
  await trx.deleteFrom("mailed_code").where("purpose", "=", "password").where("player_id", "=", playerId).execute();
}

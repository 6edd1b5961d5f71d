import { batchReads } from "@longarm/database/batch-reads";
import type { Kysely } from "kysely";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { PlayersTables } from "./player.ts";

export type Key = { readonly kid: string; readonly secret: Buffer };
export type KeyPurpose = PlayersTables["platform_key"]["purpose"];

/**
 * The keys of one purpose, as the database has them at each question: one that was retired makes nothing more and still reads, one that was
 * removed reads nothing any more, on every node and without a start.
 */
export interface Keys {
  /** Makes new things; is made where there is none. */
  current(): Promise<Key>;
  /** A key by its id; undefined: there is none. */
  find(kid: string): Promise<Key | undefined>;
}

const SECRET_BYTES = 32;

/** Opens the keys of a purpose; makes the first one on the first start. Two processes that start together get the same. */
export async function openKeys(db: Kysely<PlayersTables>, random: Random, purpose: KeyPurpose): Promise<Keys> {
  const ofPurpose = db.selectFrom("platform_key").select(["kid", "secret"]).where("purpose", "=", purpose);
  const readCurrent = () => ofPurpose.where("retired_at", "is", null).executeTakeFirst();
  async function current(): Promise<Key> {
    const found = await readCurrent();
    if (found) return found;
    await db
      .insertInto("platform_key")
      .values({ kid: newId(random, "k"), purpose, secret: random.bytes(SECRET_BYTES), retired_at: null })
      .onConflict((conflict) => conflict.column("purpose").where("retired_at", "is", null).doNothing())
      .execute();
    const made = await readCurrent();
    if (made) return made;
    throw new Error(`The database has no current ${purpose} key: another process retired it just now, ask again.`);
  }
  await current();
  // Tokens that are looked at together were mostly signed by the same key.
  const read = batchReads<{ readonly key: Key | undefined }>(async (kids) => {
    const found = new Map((await ofPurpose.where("kid", "in", kids).execute()).map((key) => [key.kid, key]));
    return new Map(kids.map((kid) => [kid, { key: found.get(kid) }]));
  });
  return { current, find: async (kid) => (await read(kid)).key };
}

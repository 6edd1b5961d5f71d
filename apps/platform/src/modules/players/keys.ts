import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Random } from "../../random.ts";
import { newId } from "../../random.ts";
import type { PlayersTables } from "./tables.ts";

export type Key = { readonly kid: string; readonly secret: Buffer };
export type KeyPurpose = PlayersTables["platform_key"]["purpose"];

/** The keys of one purpose: the current one makes, every one reads. */
export interface Keys {
  readonly current: Key;
  /** A key by its id, also one that another process has made since; undefined: there is none. */
  find(kid: string): Promise<Key | undefined>;
}

const SECRET_BYTES = 32;

/** Reads the keys of a purpose; makes the first one on the first start. Two processes that start together get the same. */
export async function openKeys(db: Kysely<PlayersTables>, random: Random, purpose: KeyPurpose): Promise<Keys> {
  const known = new Map<string, Key>();
  await db
    .insertInto("platform_key")
    .values({ kid: newId(random, "k"), purpose, secret: random.bytes(SECRET_BYTES), retired_at: null })
    .onConflict((conflict) => conflict.column("purpose").where("retired_at", "is", null).doNothing())
    .execute();
  const rows = await db
    .selectFrom("platform_key")
    .selectAll()
    .where("purpose", "=", purpose)
    .orderBy(sql`retired_at nulls first`)
    .execute();
  for (const { kid, secret } of rows) known.set(kid, { kid, secret });
  const current = rows.find((row) => row.retired_at === null);
  if (!current)
    throw new Error(`The database has no current ${purpose} key: another process retired it just now, start again.`);
  return {
    current,
    async find(kid) {
      const found = known.get(kid);
      if (found) return found;
      const row = await db
        .selectFrom("platform_key")
        .select(["kid", "secret"])
        .where("kid", "=", kid)
        .where("purpose", "=", purpose)
        .executeTakeFirst();
      if (row) known.set(kid, row);
      return row;
    },
  };
}

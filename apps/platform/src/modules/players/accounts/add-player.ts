import { PositiveMinor } from "@longarm/contract/money";
import type { Ledger } from "@longarm/ledger/ledger";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import * as z from "zod/mini";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { Keys } from "./keys.ts";
import type { Passwords } from "./passwords.ts";
import { sealText } from "./passwords.ts";
import type { PlayersTables } from "./player.ts";
import { isKeepable, USERNAME_LENGTH_MAX, usernameKey } from "./player.ts";

/** The permission that all five menu items ask for (specification section 2.3). */
export const PLAYER_PERMISSION = 145;
/** The least password, characters. */
export const PASSWORD_LENGTH_MIN = 4;

const plain = (most: number) => z.string().check(z.maxLength(most), z.refine(isKeepable, "must be plain text"));

/** 4 to 12 digits. */
export const Pin = z.string().check(z.regex(/^\d{4,12}$/, "must be 4 to 12 digits"));

/** A new player. Everything but the name may be left out. */
export const AddPlayer = z.strictObject({
  username: plain(USERNAME_LENGTH_MAX).check(
    z.refine((text) => usernameKey(text).length >= 4, "must have at least 4 characters"),
  ),
  /** Absent: no password signs in. */
  password: z.optional(z.string().check(z.minLength(PASSWORD_LENGTH_MIN), z.maxLength(256))),
  email: z.optional(z.email()),
  name: z.optional(plain(100)),
  lastname: z.optional(plain(100)),
  pin: z.optional(Pin),
  group: z.optional(plain(64)),
  type: z.optional(plain(64)),
  permissions: z.optional(z.array(z.int().check(z.gte(0), z.lte(100_000))).check(z.maxLength(100))),
  /** Its password is known to others: may only sign in where demo players are allowed. */
  demo: z.optional(z.boolean()),
  /** Another player with this e-mail address is as good as one with this name. */
  emailOnce: z.optional(z.boolean()),
  /** First deposit, minor units. */
  depositMinor: z.optional(PositiveMinor),
});
export type AddPlayer = z.input<typeof AddPlayer>;

/** `known`: the name, or the e-mail, is taken, by `id`. `refused`: a sentence of what is wrong. */
export type PlayerAdded =
  | { readonly is: "added"; readonly id: string }
  | { readonly is: "known"; readonly id: string }
  | { readonly is: "refused"; readonly sentence: string };

type Parts = {
  readonly db: Kysely<PlayersTables>;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly pinKeys: Keys;
  readonly passwords: Passwords;
};

/** @param first runs before anything else in the same transaction. */
export async function addPlayer(
  parts: Parts,
  asked: AddPlayer,
  first?: (transaction: Kysely<PlayersTables>) => Promise<void>,
): Promise<PlayerAdded> {
  const read = z.safeParse(AddPlayer, asked);
  if (!read.success) return { is: "refused", sentence: sentenceOf(read.error) };
  const password = read.data.password === undefined ? "" : await parts.passwords.hash(read.data.password);
  const id = newId(parts.random, "p");
  const { pin: typed } = read.data;
  const pin =
    typed === undefined ? null : await sealText(parts.pinKeys, parts.random, id, await parts.passwords.hash(typed));
  return await inTransaction(parts.db, async (transaction) => {
    await first?.(transaction);
    const { email, emailOnce } = read.data;
    const owner = emailOnce && email !== undefined ? await idOfEmail(transaction, email) : undefined;
    if (owner !== undefined) return { is: "known", id: owner };
    const inserted = await transaction
      .insertInto("player")
      .values(rowOf({ id, password, pin }, read.data))
      .onConflict((conflict) => conflict.column("username_key").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (!inserted) return { is: "known", id: await idOf(transaction, read.data.username) };
    if (read.data.depositMinor !== undefined)
      await deposit(parts.ledger.within(transaction), id, read.data.depositMinor);
    return { is: "added", id };
  });
}

/** In the caller's transaction, where there is one. */
function inTransaction<T>(db: Kysely<PlayersTables>, work: (db: Kysely<PlayersTables>) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

type Made = { readonly id: string; readonly password: string; readonly pin: Buffer | null };

function rowOf(made: Made, player: z.output<typeof AddPlayer>) {
  return {
    ...made,
    username: player.username.trim(),
    username_key: usernameKey(player.username),
    email: player.email ?? null,
    name: player.name ?? "",
    lastname: player.lastname ?? "",
    player_group: player.group ?? "player",
    type: player.type ?? "player",
    permissions: player.permissions ?? [PLAYER_PERMISSION],
    demo: player.demo ?? false,
  };
}

async function idOf(db: Kysely<PlayersTables>, username: string): Promise<string> {
  const row = await db
    .selectFrom("player")
    .select("id")
    .where("username_key", "=", usernameKey(username))
    .executeTakeFirstOrThrow();
  return row.id;
}

async function idOfEmail(db: Kysely<PlayersTables>, email: string): Promise<string | undefined> {
  const sought = sql<boolean>`lower(email) = ${email.toLowerCase()}`;
  const row = await db.selectFrom("player").select("id").where(sought).limit(1).executeTakeFirst();
  return row?.id;
}

async function deposit(ledger: Ledger, playerId: string, amountMinor: number): Promise<void> {
  const done = await ledger.transfer({
    id: `deposit:${playerId}`,
    kind: "deposit",
    from: "cage",
    to: `player:${playerId}`,
    amountMinor,
    about: { actor: "platform", reason: "first deposit" },
  });
  if (done.is === "refused") throw new Error(`The first deposit was refused: ${done.problem.detail}`);
}

function sentenceOf(error: z.core.$ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join(".") || "player"} ${message}`).join(", ");
}

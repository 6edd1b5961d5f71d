import type { Language } from "@longarm/contract/settings";
import type { AppearanceChoice } from "@longarm/contract/template/appearance";
import type { ColumnType, Generated, Kysely, RawBuilder, Selectable } from "kysely";
import { sql } from "kysely";

export type PlayersTables = {
  player: {
    id: string;
    username: string;
    username_key: string;
    email: string | null;
    name: Generated<string>;
    lastname: Generated<string>;
    /** Its argon2id hash; empty: this account has no password. */
    password: string;
    pin: Buffer | null;
    player_group: Generated<string>;
    type: Generated<string>;
    permissions: Generated<number[]>;
    demo: Generated<boolean>;
    banned_at: Date | null;
    last_logon: Date | null;
    last_logon_ip: string | null;
    password_changed_at: Date | null;
    created_at: ColumnType<Date, never, never>;
  };
  player_profile: {
    player_id: string;
    settings: ColumnType<AppearanceChoice | null, string | null, string | null>;
    shortcuts: string[] | null;
    changed_at: Generated<Date>;
  };
  player_address: {
    player_id: string;
    address: string;
    address_key: string;
    language: Language;
    confirmed_at: Generated<Date>;
  };
  mailed_code: {
    id: string;
    kid: string | null;
    purpose: "address" | "password";
    /** Null: a new password for no player. */
    player_id: string | null;
    address: string;
    language: Language;
    tries: Generated<number>;
    expires_at: Date;
  };
  platform_key: {
    kid: string;
    purpose: "token" | "pin" | "bus" | "still" | "staff" | "person" | "integration" | "mail" | "app";
    secret: Buffer;
    created_at: ColumnType<Date, never, never>;
    retired_at: Date | null;
  };
};

/** A player as stored. Never sent or logged whole: it carries the password hash. */
export type Player = Selectable<PlayersTables["player"]>;

export function findPlayer(db: Kysely<PlayersTables>, id: string): Promise<Player | undefined> {
  return db.selectFrom("player").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function findPlayerByName(db: Kysely<PlayersTables>, username: string): Promise<Player | undefined> {
  if (!isKeepable(username)) return undefined;
  return db.selectFrom("player").selectAll().where("username_key", "=", usernameKey(username)).executeTakeFirst();
}

/**
 * The players with these names or ids, by the text that named them; a text that names no player is missing. An id means its own
 * player, also where another player has chosen that id as a username.
 */
export async function findPlayersNamed(
  db: Kysely<PlayersTables>,
  texts: readonly string[],
): Promise<Map<string, Pick<Player, "id" | "username">>> {
  const keepable = texts.filter(isKeepable);
  const keys = keepable.map(usernameKey);
  const found = await db
    .selectFrom("player")
    .select(["id", "username", "username_key"])
    .where(sql<boolean>`(username_key = any(${keys}::text[]) or id = any(${[...keepable]}::text[]))`)
    .execute();
  const byId = new Map(found.map((one) => [one.id, one]));
  const byKey = new Map(found.map((one) => [one.username_key, one]));
  return new Map(
    keepable.flatMap((text) => {
      const player = byId.get(text) ?? byKey.get(usernameKey(text));
      return player === undefined ? [] : [[text, { id: player.id, username: player.username }] as const];
    }),
  );
}

/** Gives a PIN to a player who has none; answers whether it did. */
export async function fillPin(db: Kysely<PlayersTables>, id: string, sealed: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("player")
    .set({ pin: sealed })
    .where("id", "=", id)
    .where("pin", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Sets another password hash, unless the row has a newer one than `known` by now; answers whether it did. */
export async function replacePassword(db: Kysely<PlayersTables>, known: Player, password: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("player")
    .set({ password, password_changed_at: sql`now()` })
    .where("id", "=", known.id)
    .where("password", "=", known.password)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Sets another password hash, whatever it was. */
export async function storePassword(db: Kysely<PlayersTables>, id: string, password: string): Promise<void> {
  await db.updateTable("player").set({ password, password_changed_at: sql`now()` }).where("id", "=", id).execute();
}

/** Sets another PIN, or none. */
export async function storePin(db: Kysely<PlayersTables>, id: string, sealed: Buffer | null): Promise<void> {
  await db.updateTable("player").set({ pin: sealed }).where("id", "=", id).execute();
}

/** Players by name; `search`: a part of a name. */
export async function listPlayers(
  db: Kysely<PlayersTables>,
  {
    search,
    bannedOnly,
    limit,
  }: { readonly search?: string | undefined; readonly bannedOnly: boolean; readonly limit: number },
): Promise<Player[]> {
  if (search !== undefined && !isKeepable(search)) return [];
  let query = db.selectFrom("player").selectAll().orderBy("username_key").limit(limit);
  if (bannedOnly) query = query.where("banned_at", "is not", null);
  if (search !== undefined) query = query.where(sql<boolean>`strpos(username_key, ${usernameKey(search)}) > 0`);
  return await query.execute();
}

export type PlayersWanted = {
  /** A part of a name, in any spelling. */
  readonly search?: string | undefined;
  /** Only these. */
  readonly ids?: readonly string[] | undefined;
  /** Only those who are banned, or one of these. */
  readonly bannedOr?: readonly string[] | undefined;
  /** Beyond the player of this id. */
  readonly after?: string | undefined;
  readonly limit: number;
};

/** Players by name, by pages. */
export async function searchPlayers(
  db: Kysely<PlayersTables>,
  { search, ids, bannedOr, after, limit }: PlayersWanted,
): Promise<Player[]> {
  if (search !== undefined && !isKeepable(search)) return [];
  return await db
    .selectFrom("player")
    .selectAll()
    .$if(search !== undefined, (query) =>
      query.where(sql<boolean>`strpos(username_key, ${usernameKey(search ?? "")}) > 0`),
    )
    .$if(ids !== undefined, (query) => query.where(sql<boolean>`id = any(${[...(ids ?? [])]}::text[])`))
    .$if(bannedOr !== undefined, (query) =>
      query.where(sql<boolean>`(banned_at is not null or id = any(${[...(bannedOr ?? [])]}::text[]))`),
    )
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`username_key > (select username_key from player where id = ${after ?? ""})`),
    )
    .orderBy("username_key")
    .limit(limit)
    .execute();
}

/** Bans a player or lets it in again; answers whether that changed anything. */
export async function setBanned(db: Kysely<PlayersTables>, id: string, banned: boolean): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("player")
    .set({ banned_at: banned ? sql`now()` : null })
    .where("id", "=", id)
    .where("banned_at", banned ? "is" : "is not", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function noteLogon(db: Kysely<PlayersTables>, id: string, address: string): Promise<void> {
  await db.updateTable("player").set({ last_logon: sql`now()`, last_logon_ip: address }).where("id", "=", id).execute();
}

/** What a player chose in the page; null: nothing yet. */
export type PlayerProfile = {
  readonly settings: AppearanceChoice | null;
  /** Ids of navigation items. */
  readonly shortcuts: readonly string[] | null;
};

const NOTHING: PlayerProfile = { settings: null, shortcuts: null };

export async function findProfile(db: Kysely<PlayersTables>, id: string): Promise<PlayerProfile> {
  const row = await db
    .selectFrom("player_profile")
    .select(["settings", "shortcuts"])
    .where("player_id", "=", id)
    .executeTakeFirst();
  return row ?? NOTHING;
}

/** Keeps what is given, each in place of what was there. */
export async function saveProfile(
  db: Kysely<PlayersTables>,
  id: string,
  { settings, shortcuts }: Partial<PlayerProfile>,
): Promise<PlayerProfile> {
  return await db
    .insertInto("player_profile")
    .values({
      player_id: id,
      settings: settings ? JSON.stringify(settings) : null,
      shortcuts: shortcuts ? [...shortcuts] : null,
    })
    .onConflict((conflict) =>
      conflict.column("player_id").doUpdateSet({
        settings: sql`coalesce(excluded.settings, player_profile.settings)`,
        shortcuts: sql`coalesce(excluded.shortcuts, player_profile.shortcuts)`,
        changed_at: sql`clock_timestamp()`,
      }),
    )
    .returning(["settings", "shortcuts"])
    .executeTakeFirstOrThrow();
}

/** The longest user name, letters. */
export const USERNAME_LENGTH_MAX = 64;

/** The form of a name that signs in: Unicode compatibility form, lower case, single spaces. */
export function usernameKey(username: string): string {
  return username.normalize("NFKC").trim().replaceAll(/\s+/gu, " ").toLowerCase().normalize("NFKC");
}

/** False for text that PostgreSQL cannot keep: the zero character and halves of a surrogate pair. */
export function isKeepable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** For queries of other rooms: the name of the player whose id the column `id` (`s.player_id`) holds, or the expression gives; null where that is null. */
export function usernameOf<Name extends string | null = string>(
  id: string | RawBuilder<string | null>,
): RawBuilder<Name> {
  return sql<Name>`(select username from player where player.id = ${typeof id === "string" ? sql.ref(id) : id})`;
}

/** For queries of other rooms: whether the player of the column `id` is one person: not a demo player, who is everybody that tries the system. */
export function isOnePerson(id: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from player where player.id = ${sql.ref(id)} and not player.demo)`;
}

/** For queries of other rooms: whether the player of the column `id` is banned. */
export function isBanned(id: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from player where player.id = ${sql.ref(id)} and player.banned_at is not null)`;
}

/** When the player was banned; null: not banned; undefined: there is no such player. */
export async function bannedAt(
  db: Pick<Kysely<PlayersTables>, "selectFrom">,
  id: string,
): Promise<Date | null | undefined> {
  const player = await db.selectFrom("player").select("banned_at").where("id", "=", id).executeTakeFirst();
  return player?.banned_at;
}

/** The players of a group, by name. */
export async function playersOfGroup(
  db: Kysely<unknown>,
  group: string,
): Promise<{ id: string; username: string; banned_at: Date | null }[]> {
  return await db
    .withTables<PlayersTables>()
    .selectFrom("player")
    .select(["id", "username", "banned_at"])
    .where("player_group", "=", group)
    .orderBy("username_key")
    .execute();
}

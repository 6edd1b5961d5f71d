import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { AnyDb } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";

const TOKEN_BYTES = 32;
/** Of a token as `addWatchKey` makes it. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Who watches, as a token says. */
export type WatchKey = {
  readonly id: string;
  readonly name: string;
  /** Null: every machine. */
  readonly machines: readonly string[] | null;
  /** Watches at once. */
  readonly watchesMax: number;
};

const isGood = sql<boolean>`k.ends_at > clock_timestamp()`;
const hashOf = (token: string): Buffer => createHash("sha256").update(token).digest();

export type NewWatchKey = Omit<WatchKey, "id"> & {
  readonly endsAt: Date;
  readonly by: string;
  /** One of the same maker ends for it. */
  readonly replaces?: true;
};

/** Makes a key, and answers its token, which can never be read again; undefined: a key of this name is good now. */
export async function addWatchKey(
  trx: AnyDb,
  random: Random,
  { name, machines, watchesMax, endsAt, by, replaces }: NewWatchKey,
): Promise<{ readonly id: string; readonly token: string } | undefined> {
  const [id, token] = [newId(random, "wk"), random.bytes(TOKEN_BYTES).toString("base64url")];
  await sql`select pg_advisory_xact_lock(hashtextextended('longarm watch key ' || ${name}, 0))`.execute(trx);
  if (replaces) await endWatchKey(trx, name, by);
  const { rows } = await sql`insert into watch_key (id, name, token_sha256, machines, watches_max, made_by, ends_at)
    select ${id}, ${name}, ${hashOf(token)}, ${machines === null ? null : [...machines]}::text[], ${watchesMax}, ${by}, ${endsAt}
    where not exists (select from watch_key k where k.name = ${name} and ${isGood}) returning id`.execute(trx);
  return rows.length === 1 ? { id, token } : undefined;
}

/** Ends a key, and what is watched with it within a second; false: none of this name is good. `by`: only one of this maker. */
export async function endWatchKey(trx: AnyDb, name: string, by?: string): Promise<boolean> {
  const { rows } = await sql`update watch_key k set ends_at = clock_timestamp()
    where k.name = ${name} and ${isGood} and ${isOf(by)} returning k.id`.execute(trx);
  return rows.length > 0;
}

const isOf = (by: string | undefined) => (by === undefined ? sql<boolean>`true` : sql<boolean>`k.made_by = ${by}`);

/** Ends every key of a maker. */
export async function endWatchKeysOf(trx: AnyDb, by: string): Promise<void> {
  await sql`update watch_key k set ends_at = clock_timestamp() where ${isOf(by)} and ${isGood}`.execute(trx);
}

export type ListedWatchKey = WatchKey & { readonly madeBy: string; readonly endsAt: Date; readonly watches: number };

/** Keys that are good now, all or those of a maker, and how much is watched with each. */
export async function listWatchKeys(db: AnyDb, by?: string): Promise<ListedWatchKey[]> {
  const { rows } = await sql<ListedWatchKey>`select k.id, k.name, k.machines, k.watches_max as "watchesMax",
      k.made_by as "madeBy", k.ends_at as "endsAt",
      (select count(*)::int from watch w where w.key_id = k.id) as watches
    from watch_key k where ${isGood} and ${isOf(by)} order by k.name limit 1000`.execute(db);
  return rows;
}

/** The good key of a token. */
export async function findWatchKey(db: AnyDb, token: string): Promise<WatchKey | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const { rows } = await sql<WatchKey>`select k.id, k.name, k.machines, k.watches_max as "watchesMax" from watch_key k
    where k.token_sha256 = ${hashOf(token)} and ${isGood}`.execute(db);
  return rows[0];
}

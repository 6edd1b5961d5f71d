import { canonicalJson } from "@longarm/contract/canonical-json";
import type { SettingChange } from "@longarm/contract/staff-settings";
import { VENUE_KEYS } from "@longarm/contract/venue-settings";
import type { ColumnType, Kysely } from "kysely";
import { sql } from "kysely";

type Written<T> = ColumnType<T, never, never>;

/** `migrations/settings`. The table itself says `at`, `before_hash` and `hash`. */
type SettingsTables = {
  settings_version: {
    number: number;
    saved_at: Written<Date>;
    saved_by: string;
    signed_by: string | null;
    reason: string;
    rolled_back_to: number | null;
    content: ColumnType<Record<string, unknown>, string, never>;
    before_hash: Written<string>;
    hash: Written<string>;
  };
};

export type SettingsRow = {
  readonly number: number;
  readonly at: Date;
  readonly by: string;
  readonly signedBy: string | null;
  readonly reason: string;
  readonly rolledBackTo: number | null;
  readonly content: Readonly<Record<string, unknown>>;
  readonly hash: string;
};

export type NewVersion = {
  /** The newest version as its writer knows it: the new one follows it. */
  readonly after: number;
  readonly content: Readonly<Record<string, unknown>>;
  readonly by: string;
  readonly signedBy: string | null;
  readonly reason: string;
  readonly rolledBackTo: number | null;
};

const rows = (db: Kysely<unknown>) =>
  db
    .withTables<SettingsTables>()
    .selectFrom("settings_version")
    .select(["number", "reason", "content", "hash", "saved_at as at", "saved_by as by"])
    .select(["signed_by as signedBy", "rolled_back_to as rolledBackTo"])
    .orderBy("number", "desc");

/** The newest version; undefined: none was saved. */
export async function newestVersion(db: Kysely<unknown>): Promise<SettingsRow | undefined> {
  return await rows(db).limit(1).executeTakeFirst();
}

/** The newest version before this one. */
export async function versionBefore(db: Kysely<unknown>, number: number): Promise<SettingsRow | undefined> {
  return await rows(db).where("number", "<", number).limit(1).executeTakeFirst();
}

/** What the venue had set then; 0: before there were versions. Undefined: there is no such version. */
export async function versionContent(
  db: Kysely<unknown>,
  number: number,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (number === 0) return {};
  return (await rows(db).where("number", "=", number).executeTakeFirst())?.content;
}

/** Versions, the newest first, each with that before it. */
export async function listVersions(
  db: Kysely<unknown>,
  { below, limit }: { readonly below?: number | undefined; readonly limit: number },
): Promise<(SettingsRow & { readonly changes: SettingChange[] })[]> {
  const found = await rows(db)
    .$if(below !== undefined, (query) => query.where("number", "<", below ?? 0))
    .limit(limit + 1)
    .execute();
  return found
    .slice(0, limit)
    .map((row, at) => ({ ...row, changes: changesBetween(found[at + 1]?.content ?? {}, row.content) }));
}

/** The first version that is not what was saved; null: all are. */
export async function firstBreak(db: Kysely<unknown>): Promise<number | null> {
  const { rows: found } = await sql<{ number: number | null }>`select settings_break() as number`.execute(db);
  return found[0]?.number ?? null;
}

/** Adds the next version. @returns its number; undefined: somebody else has added one meanwhile. */
export async function addVersion(db: Kysely<unknown>, version: NewVersion): Promise<number | undefined> {
  // Writers come one after the other: the second one sees what the first one has saved.
  await sql`select pg_advisory_xact_lock(hashtextextended('longarm settings', 0))`.execute(db);
  if (((await newestVersion(db))?.number ?? 0) !== version.after) return undefined;
  const number = version.after + 1;
  await db
    .withTables<SettingsTables>()
    .insertInto("settings_version")
    .values({
      number,
      saved_by: version.by,
      signed_by: version.signedBy,
      reason: version.reason,
      rolled_back_to: version.rolledBackTo,
      content: JSON.stringify(version.content),
    })
    .execute();
  return number;
}

/** Keys that differ, in the console's order, with what they were and are; null: the venue has not set it. */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): SettingChange[] {
  const known: readonly string[] = VENUE_KEYS;
  const others = Object.keys({ ...before, ...after }).filter((key) => !known.includes(key));
  return [...known, ...others]
    .map((key) => ({ key, before: before[key] ?? null, after: after[key] ?? null }))
    .filter((change) => canonicalJson(change.before) !== canonicalJson(change.after));
}

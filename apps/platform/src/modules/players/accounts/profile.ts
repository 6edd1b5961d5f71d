import type { AppearanceChoice } from "@longarm/contract/template/appearance";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { PlayersTables } from "./tables.ts";

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

import { createHash } from "node:crypto";
import type { RawBuilder } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { NodesTables } from "../nodes/index.ts";
import type { PlayDb } from "../tables.ts";

export type KeptStill = { readonly tag: string; readonly webp: Buffer };
/** `ageMs`: since it was put, by the database's clock. */
export type StoredStill = KeptStill & { readonly ageMs: number };

/** The machines' newest pictures, as all nodes have them. */
export interface StillStore {
  put(machineId: string, webp: Buffer): Promise<KeptStill>;
  /** Undefined: there is none, or only one of long ago. */
  read(machineId: string): Promise<StoredStill | undefined>;
}

/** Older pictures show a machine that may look quite different by now. */
const AGE_MAX = sql`interval '1 day'`;

/** The tag of the newest picture of the machine `m` of a query; null: there is none. */
export function stillTag(): RawBuilder<string | null> {
  return sql<
    string | null
  >`(select tag from machine_still t where t.machine_id = m.id and taken_at > clock_timestamp() - ${AGE_MAX})`;
}

/** Pictures in the database; each node keeps those it has read or taken until they change. */
export function stillStore(playDb: PlayDb): StillStore {
  const db = playDb.withTables<NodesTables>();
  const known = new Map<string, KeptStill>();
  return {
    async put(machineId, webp) {
      const tag = createHash("sha256").update(webp).digest("base64url").slice(0, 22);
      const taken_at = databaseNow();
      await db
        .insertInto("machine_still")
        .values({ machine_id: machineId, tag, webp })
        .onConflict((conflict) => conflict.column("machine_id").doUpdateSet({ tag, webp, taken_at }))
        .execute();
      known.set(machineId, { tag, webp });
      return { tag, webp };
    },
    async read(machineId) {
      const kept = known.get(machineId);
      const row = await db
        .selectFrom("machine_still")
        .select([
          "tag",
          sql<number>`(extract(epoch from clock_timestamp() - taken_at) * 1000)::double precision`.as("ageMs"),
          sql<Buffer | null>`case when tag = ${kept?.tag ?? ""} then null else webp end`.as("webp"),
        ])
        .where("machine_id", "=", machineId)
        .where(sql<boolean>`taken_at > clock_timestamp() - ${AGE_MAX}`)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const webp = row.webp ?? kept?.webp;
      if (webp === undefined) return undefined;
      known.set(machineId, { tag: row.tag, webp });
      return { tag: row.tag, webp, ageMs: row.ageMs };
    },
  };
}

import { QUICK_DETAIL_MAX, QUICK_TITLE_MAX } from "@longarm/contract/template/team-chat";
import type { ColumnType, Generated, Kysely, RawBuilder } from "kysely";
import { databaseNow } from "../../../database-time.ts";

/** What staff writes in the quick panel (`migrations/panels/0002-quick-panel`). */
export type QuickPanelTables = {
  quick_panel_entry: {
    id: Generated<number>;
    kind: "event" | "note";
    title: string;
    detail: string;
    added_by: string;
    added_at: ColumnType<Date, never, never>;
    removed_at: ColumnType<Date | null, never, RawBuilder<Date>>;
  };
};

type Db = Kysely<QuickPanelTables>;

export type EntryKind = "event" | "note";
export type QuickEntry = {
  readonly id: number;
  readonly kind: EntryKind;
  readonly title: string;
  readonly detail: string;
  readonly addedBy: string;
  readonly addedAt: Date;
};
export type NewEntry = Pick<QuickEntry, "kind" | "title" | "detail" | "addedBy">;

/** The most entries of a kind that the panel shows at once. */
export const ENTRIES_MAX = 20;

/** What is wrong with an entry, as one sentence; null: nothing. */
export function entryProblem({ title, detail }: Pick<NewEntry, "title" | "detail">): string | null {
  if (title === "" || title.length > QUICK_TITLE_MAX) return `the title must have 1 to ${QUICK_TITLE_MAX} characters`;
  if (detail.length > QUICK_DETAIL_MAX) return `the detail must have at most ${QUICK_DETAIL_MAX} characters`;
  return null;
}

/** What the panel shows now, the newest first. */
export async function listEntries(db: Db, kind?: EntryKind): Promise<QuickEntry[]> {
  const rows = await db
    .selectFrom("quick_panel_entry")
    .selectAll()
    .where("removed_at", "is", null)
    .$if(kind !== undefined, (query) => query.where("kind", "=", kind ?? "event"))
    .orderBy("id", "desc")
    .limit(2 * ENTRIES_MAX)
    .execute();
  return rows.map(({ id, kind, title, detail, added_by, added_at }) => ({
    ...{ id, kind, title, detail },
    ...{ addedBy: added_by, addedAt: added_at },
  }));
}

/** Adds an entry; undefined: there are `ENTRIES_MAX` of its kind already. */
export async function addEntry(db: Db, { addedBy, ...entry }: NewEntry): Promise<number | undefined> {
  if ((await listEntries(db, entry.kind)).length >= ENTRIES_MAX) return undefined;
  const { id } = await db
    .insertInto("quick_panel_entry")
    .values({ ...entry, added_by: addedBy })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Takes an entry out of the panel; undefined: there is no such one. */
export async function removeEntry(db: Db, kind: EntryKind, id: number): Promise<string | undefined> {
  const removed = await db
    .updateTable("quick_panel_entry")
    .set({ removed_at: databaseNow() })
    .where("kind", "=", kind)
    .where("id", "=", id)
    .where("removed_at", "is", null)
    .returning("title")
    .executeTakeFirst();
  return removed?.title;
}

/** Whether the panel ever had an entry: removed ones count. */
export async function hadEntries(db: Db): Promise<boolean> {
  return (await db.selectFrom("quick_panel_entry").select("id").limit(1).executeTakeFirst()) !== undefined;
}

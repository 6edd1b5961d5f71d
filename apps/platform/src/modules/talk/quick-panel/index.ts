import { quickPanelCalls } from "@longarm/contract/template/team-chat";
import type { FastifyInstance } from "fastify";
import type { PlatformDeps } from "../../../deps.ts";
import type { Guard } from "../../players/auth/index.ts";
import type { QuickEntry, QuickPanelTables } from "./entries.ts";
import { listEntries } from "./entries.ts";

export type { EntryKind, NewEntry, QuickEntry, QuickPanelTables } from "./entries.ts";
export { addEntry, ENTRIES_MAX, entryProblem, hadEntries, listEntries, removeEntry } from "./entries.ts";

/** GET /api/quick-panel/data: the events and notes that staff wrote, the same for every player. */
export function createQuickPanel({ db }: Pick<PlatformDeps, "db">, app: FastifyInstance, guard: Guard): void {
  const tables = db.kysely.withTables<QuickPanelTables>();
  app.get(`/${quickPanelCalls.quickPanel.path}`, { onRequest: guard }, async (_request, reply) => {
    const entries = await listEntries(tables);
    const entriesOf = (wanted: QuickEntry["kind"]) =>
      entries.filter(({ kind }) => kind === wanted).map(({ id, title, detail }) => ({ id: String(id), title, detail }));
    return await reply
      .header("cache-control", "no-store")
      .send({ notes: entriesOf("note"), events: entriesOf("event") });
  });
}

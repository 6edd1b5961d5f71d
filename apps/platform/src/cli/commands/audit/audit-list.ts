import type { EntryText } from "../../../modules/records/audit/index.ts";
import { newestEntries } from "../../../modules/records/audit/index.ts";
import type { Command } from "../../command.ts";
import { limitOption, readCut, sayRows } from "../../output/row-list.ts";
import { ENTRY_OPTIONS, readEntryFilter } from "./entry-options.ts";

const ROWS = { most: 10_000, usual: 50 };

/** Lists the newest entries of the audit log. */
export const auditList: Command = {
  words: "audit list",
  about: "list the newest entries of the audit log, oldest of them first",
  more: "  longarm audit list --type loginFail,temporaryBlocked --from 2026-11-01",
  options: { ...ENTRY_OPTIONS, limit: limitOption(ROWS) },
  prepare(given) {
    const filter = readEntryFilter(given);
    const cut = readCut(given, ROWS);
    return async ({ db, say }) => {
      const found = await newestEntries(db, filter, cut.ask);
      const { rows, more } = sayRows(say, cut, found, { word: "entry", columns: columnsOf, newestLast: true });
      return { entries: rows.map(readable), more };
    };
  },
};

function columnsOf({ id, at, type, actor, subject, address, before, after, facts }: EntryText): string[] {
  const change = before === null && after === null ? "" : ` ${before ?? "nothing"} → ${after ?? "nothing"}`;
  const more = facts === "{}" ? "" : ` ${facts}`;
  const to = subject === null || subject === actor ? "" : ` → ${subject}`;
  const from = address === null ? "" : ` from ${address}`;
  return [id, at.slice(0, 19).replace("T", " "), type, `${actor}${to}${from}${change}${more}`];
}

function readable({ id, before, after, facts, ...rest }: EntryText): object {
  const object = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  return { id: Number(id), ...rest, before: object(before), after: object(after), facts: object(facts) };
}

import type { EntryText } from "../../../modules/audit/index.ts";
import { newestEntries } from "../../../modules/audit/index.ts";
import { readWholeNumber } from "../../amount.ts";
import type { Command } from "../../command.ts";
import { printableLine } from "../../printable.ts";
import { ENTRY_OPTIONS, readEntryFilter } from "./entry-options.ts";

const ROWS_MAX = 10_000;
const ROWS_DEFAULT = 50;

/** Lists the newest entries of the audit log. */
export const auditList: Command = {
  words: "audit list",
  about: "list the newest entries of the audit log, oldest of them first",
  more: "  longarm audit list --type loginFail,temporaryBlocked --from 2026-11-01",
  options: {
    ...ENTRY_OPTIONS,
    limit: { type: "string", value: "<rows>", about: `at most so many, 1 to ${ROWS_MAX} (${ROWS_DEFAULT})` },
  },
  prepare(given) {
    const filter = readEntryFilter(given);
    const most = readWholeNumber("limit", given.get("limit")?.toString() ?? String(ROWS_DEFAULT), 1, ROWS_MAX);
    return async ({ db, say }) => {
      const entries = await newestEntries(db, filter, most);
      for (const entry of entries) say(printableLine(lineOf(entry)));
      if (entries.length === 0) say("There are none.");
      return { entries: entries.map(readable) };
    };
  },
};

function lineOf({ id, at, type, actor, subject, address, before, after, facts }: EntryText): string {
  const change = before === null && after === null ? "" : ` ${before ?? "nothing"} → ${after ?? "nothing"}`;
  const more = facts === "{}" ? "" : ` ${facts}`;
  const to = subject === null || subject === actor ? "" : ` → ${subject}`;
  const from = address === null ? "" : ` from ${address}`;
  return `${id.padStart(8)}  ${at.slice(0, 19).replace("T", " ")}  ${type.padEnd(20)} ${actor}${to}${from}${change}${more}`;
}

function readable({ id, before, after, facts, ...rest }: EntryText): object {
  const object = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  return { id: Number(id), ...rest, before: object(before), after: object(after), facts: object(facts) };
}

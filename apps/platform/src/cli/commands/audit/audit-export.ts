import type { EntryText } from "../../../modules/records/audit/index.ts";
import { openAudit, readEntries } from "../../../modules/records/audit/index.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { Command } from "../../command.ts";
import { UsageProblem } from "../../command.ts";
import { csvLine } from "../../output/csv.ts";
import { jsonLine } from "../../output/json-line.ts";
import { ENTRY_OPTIONS, readEntryFilter } from "./entry-options.ts";

const FORMATS = ["csv", "jsonl"] as const;
type Format = (typeof FORMATS)[number];

const COLUMNS = [
  ...(["id", "at", "source", "type", "actor", "subject", "address"] as const),
  ...(["before", "after", "facts"] as const),
] satisfies (keyof EntryText)[];

/** After so many lines it is waited until whoever reads has taken them: a year of entries takes no more memory than a page. */
const LINES_AT_ONCE = 500;

/** Writes entries of the audit log for other programs. */
export const auditExport: Command = {
  words: "audit export",
  about: "write entries of the audit log as CSV or as JSON lines, oldest first",
  more: [
    "  longarm audit export --from 2026-11-01 --to 2026-12-01 --format csv > november.csv",
    "",
    "The export itself is written to the log, with who asked for it.",
  ].join("\n"),
  options: {
    ...ENTRY_OPTIONS,
    format: { type: "string", value: "<format>", about: "csv or jsonl (csv)" },
    by: BY,
  },
  prepare(given) {
    const filter = readEntryFilter(given);
    const format = readFormat(given.get("format")?.toString() ?? "csv");
    const by = readBy(given);
    return async (deps) => {
      const { db, say, flushed } = deps;
      const audit = openAudit(db, "longarm staff");
      await audit.write({ type: "data.exported", actor: `staff:${whoAsks(deps, by)}`, facts: { format, ...filter } });
      if (format === "csv") say(COLUMNS.join(","));
      let entries = 0;
      for await (const entry of readEntries(db, filter)) {
        say(lineOf(format, entry));
        entries += 1;
        if (entries % LINES_AT_ONCE === 0) await flushed?.();
      }
      return { entries };
    };
  },
};

function readFormat(text: string): Format {
  const format = FORMATS.find((one) => one === text);
  if (format === undefined) throw new UsageProblem(`--format must be one of ${FORMATS.join(", ")}.`);
  return format;
}

function lineOf(format: Format, entry: EntryText): string {
  if (format === "csv") return csvLine(COLUMNS.map((column) => entry[column]));
  const { id, before, after, facts, ...rest } = entry;
  const object = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  return jsonLine({ id: Number(id), ...rest, before: object(before), after: object(after), facts: object(facts) });
}

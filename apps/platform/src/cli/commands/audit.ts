import type { AuditText } from "@longarm/contract/evidence/format";
import { csvLine } from "../../csv.ts";
import type { ChainReport, EntryFilter, Witness } from "../../modules/records/audit/index.ts";
import {
  AUDIT_TYPES,
  isAuditType,
  linkWaiting,
  newestEntries,
  openAudit,
  readEntries,
  verifyChain,
} from "../../modules/records/audit/index.ts";
import { rootOf } from "../acting.ts";
import type { CommandDeps } from "../command.ts";
import { actCommand, command, UsageProblem } from "../command.ts";
import { checkPeriod, instant, oneOf, option, plainText, rowLimit, withDefault } from "../fields.ts";
import { count, jsonLine, printableLine, sayRows } from "../output.ts";
import { actorOf, SOURCE } from "../staff.ts";

/** Options that choose entries. */
const FILTER = {
  from: option("<time>", "not before this time, UTC: 2026-11-01 or 2026-11-01T08:00Z", instant),
  to: option("<time>", "before this time, written as --from", instant),
  type: option("<types>", "only these types, separated by commas: loginFail,staff.asked", auditTypes),
  actor: option("<actor>", "only what this one did: staff:eva, player:p_…, agent:ag_…", plainText),
  subject: option("<subject>", "only what was done to this one: player:p_…, machine:nar-01", plainText),
};

/** @throws UsageProblem. */
function auditTypes(text: string): readonly string[] {
  const asked = text.split(",").map((one) => one.trim());
  const unknown = asked.find((one) => !isAuditType(one));
  if (unknown === undefined) return asked;
  const begin = (type: string): string => type.split(".")[0] ?? type;
  const types = Object.keys(AUDIT_TYPES);
  const alike = types.filter((type) => begin(type) === begin(unknown));
  const known = alike.length > 0 ? alike : [...new Set(types.map(begin))];
  throw new UsageProblem(
    `There is no type "${unknown.slice(0, 60)}". Types ${alike.length > 0 ? "like it are" : "begin with"} ${known.join(", ")}.`,
  );
}

type FilterInput = {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly type: readonly string[] | undefined;
  readonly actor: string | undefined;
  readonly subject: string | undefined;
};
const filterOf = ({ from, to, type, actor, subject }: FilterInput): EntryFilter => ({
  from: from?.toISOString(),
  to: to?.toISOString(),
  types: type,
  actor,
  subject,
});

export const auditList = command({
  name: "audit list",
  about: "list the newest entries of the audit log in the order in which they were written",
  more: "  longarm audit list --type loginFail,temporaryBlocked --from 2026-11-01",
  options: { ...FILTER, limit: rowLimit({ max: 10_000, usual: 50 }) },
  check: ({ from, to }) => checkPeriod(from, to),
  async run({ db, say }, { limit, ...filter }) {
    const found = await newestEntries(db, filterOf(filter), limit.query);
    const { rows, more } = sayRows(say, limit, found, { word: "entry", columns: columnsOf, newestLast: true });
    return { entries: rows.map(readable), more };
  },
});

function columnsOf({ id, at, type, actor, subject, address, before, after, facts }: AuditText): string[] {
  const change = before === null && after === null ? "" : ` ${before ?? "nothing"} → ${after ?? "nothing"}`;
  const more = facts === "{}" ? "" : ` ${facts}`;
  const to = subject === null || subject === actor ? "" : ` → ${subject}`;
  const from = address === null ? "" : ` from ${address}`;
  return [id, at.slice(0, 19).replace("T", " "), type, `${actor}${to}${from}${change}${more}`];
}

/** An entry with its JSON texts parsed. */
function readable({ id, before, after, facts, ...rest }: AuditText): object {
  const object = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  return { id: Number(id), ...rest, before: object(before), after: object(after), facts: object(facts) };
}

const COLUMNS = [
  "id",
  "at",
  "source",
  "type",
  "actor",
  "subject",
  "address",
  "before",
  "after",
  "facts",
] as const satisfies (keyof AuditText)[];

/** After so many lines the export waits for the reader of its output: a year of entries needs no more memory than one page. */
const LINES_PER_FLUSH = 500;

export const auditExport = actCommand({
  name: "audit export",
  needs: "audit.see",
  about: "write entries of the audit log as CSV or as JSON lines, oldest first",
  more: [
    "  longarm audit export --from 2026-11-01 --to 2026-12-01 --format csv > november.csv",
    "",
    "The export itself is written to the log, with the person who made it.",
  ].join("\n"),
  options: {
    ...FILTER,
    format: withDefault("<format>", "csv or jsonl (csv)", "csv", oneOf(["csv", "jsonl"])),
  },
  check: ({ from, to }) => checkPeriod(from, to),
  async run({ db, say, flushed }, { format, by, ...input }) {
    const filter = filterOf(input);
    await openAudit(db, SOURCE).write({ type: "data.exported", actor: actorOf(by), facts: { format, ...filter } });
    if (format === "csv") say(COLUMNS.join(","));
    let entries = 0;
    for await (const entry of readEntries(db, filter)) {
      say(format === "csv" ? csvLine(COLUMNS.map((column) => entry[column])) : jsonLine(readable(entry)));
      entries += 1;
      if (entries % LINES_PER_FLUSH === 0) await flushed?.();
    }
    return { entries };
  },
});

const LINKS_PER_STATEMENT = 500;
const WITNESS = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i;

export const auditVerify = command({
  name: "audit verify",
  about: "prove that no entry of the audit log was changed, removed, put in or moved",
  more: [
    "  longarm audit verify",
    "  longarm audit verify --witness 48213:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "",
    "Its last line is a witness: position and hash of the newest entry. Keep it where no person who can write this database can write (on paper, in",
    "a mail to somebody else), and give it with --witness later, several separated by commas: then verify also finds a log whose end was cut off or",
    "that was rebuilt. Exit code 1: something is wrong, and each line says what.",
  ].join("\n"),
  options: {
    witness: option(
      "<witness>",
      "position:hash, as an earlier run printed it; several separated by commas",
      readWitnesses,
    ),
  },
  async run(deps, { witness = [] }) {
    await linkWaiting(deps.db, LINKS_PER_STATEMENT);
    const report = await verifyChain(deps.db, witness);
    if (report.breaches.length > 0) await reportBreaches(deps, report);
    const { links, waiting, tail } = report;
    const more = waiting === 0 ? "" : `, ${waiting} more wait for their link`;
    deps.say(`The audit log is whole: ${count(links, "entry")}${more}.`);
    if (tail !== null) deps.say(`Witness: ${tail.position}:${tail.hash}`);
    return report;
  },
});

async function reportBreaches({ db, say, staff }: CommandDeps, { breaches, tail }: ChainReport): Promise<never> {
  for (const { sentence } of breaches) say(printableLine(sentence));
  await openAudit(db, SOURCE).write({
    type: "data.tampered",
    actor: rootOf({ staff: staff || "unnamed" }).by,
    subject: "audit",
    facts: { breaches: breaches.slice(0, 20), tail },
  });
  throw new Error(`The audit log is not as it was written: ${count(breaches.length, "finding")}.`);
}

/** @throws UsageProblem. */
function readWitnesses(text: string): Witness[] {
  return text.split(",").map((one) => {
    const [, position, hash] = WITNESS.exec(one.trim()) ?? [];
    if (position === undefined || hash === undefined)
      throw new UsageProblem("--witness must be as verify prints it: a position, a colon and 64 letters of a hash.");
    return { position: Number(position), hash };
  });
}

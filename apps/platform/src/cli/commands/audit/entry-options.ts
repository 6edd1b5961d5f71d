import type { EntryFilter } from "../../../modules/records/audit/index.ts";
import { AUDIT_TYPES, isAuditType } from "../../../modules/records/audit/index.ts";
import type { Given, Option } from "../../command.ts";
import { UsageProblem } from "../../command.ts";
import { readPast } from "../../reading/times.ts";

/** Options that say which entries are asked for. */
export const ENTRY_OPTIONS = {
  from: { type: "string", value: "<time>", about: "not before this time, UTC: 2026-11-01 or 2026-11-01T08:00Z" },
  to: { type: "string", value: "<time>", about: "before this time, written as --from" },
  type: { type: "string", value: "<types>", about: "only these types, separated by commas: loginFail,staff.asked" },
  actor: { type: "string", value: "<actor>", about: "only what this one did: staff:eva, player:p_…, agent:ag_…" },
  subject: { type: "string", value: "<subject>", about: "only what was done to this one: player:p_…, machine:nar-01" },
} as const satisfies Readonly<Record<string, Option>>;

/** @throws UsageProblem. */
export function readEntryFilter(given: Given): EntryFilter {
  const text = (name: string) => given.get(name)?.toString();
  const from = readTime("from", text("from"));
  const to = readTime("to", text("to"));
  if (from !== undefined && to !== undefined && from >= to) throw new UsageProblem("--from must be before --to.");
  return { from, to, types: readTypes(text("type")), actor: text("actor"), subject: text("subject") };
}

function readTime(name: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : readPast(name, text).toISOString();
}

function readTypes(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const types = text.split(",").map((one) => one.trim());
  const strange = types.find((one) => !isAuditType(one));
  if (strange === undefined) return types;
  throw new UsageProblem(
    `There is no type "${strange.slice(0, 60)}". There are: ${Object.keys(AUDIT_TYPES).join(", ")}.`,
  );
}

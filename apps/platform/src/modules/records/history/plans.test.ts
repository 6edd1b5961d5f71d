import { LISTED_ROWS_MAX, ListQuery } from "@longarm/contract/http";
import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { writeLongHistory } from "../../../testing/long-history.ts";
import type { PlayVenue } from "../../../testing/play-venue.ts";
import { playVenue } from "../../../testing/play-venue.ts";
import { list } from "./list.ts";
import { sessions } from "./sessions.ts";
import type { HistoryTables } from "./tables.ts";
import { transactions } from "./transactions.ts";

/** The part of an explained plan that is looked at. */
type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Cond"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
};
type Asked = { readonly sql: string; readonly parameters: readonly unknown[] };

const MACHINES = ["rare-01", "nar-02", "nar-03", "nar-04"];
const ROWS = 20_000;
const KINDS_MAX = 20;

let venue: PlayVenue;
let whale: string;
let small: string;
const asked: Asked[] = [];
let db: Kysely<HistoryTables>;

beforeAll(async () => {
  venue = await playVenue();
  for (const id of MACHINES) await venue.machine(id);
  whale = (await venue.player("whale.one")).id;
  small = (await venue.player("small.one")).id;
  const { pool } = venue.database;
  await writeLongHistory(pool, { playerId: small, machineIds: MACHINES, rows: 100 });
  await writeLongHistory(pool, { playerId: whale, machineIds: MACHINES, rows: ROWS });
  db = new Kysely<HistoryTables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  });
});
afterAll(async () => await venue.end());

/** Half of the whale's rows are older. */
const middle = new Date(Date.now() - (ROWS / 2) * 180_000).toISOString();
const questions: Record<string, string>[] = [
  {},
  { limit: "500" },
  { limit: "500", page: "20" },
  { from: middle },
  { to: "2100-01-01T00:00:00Z" },
  { from: middle, to: "2100-01-01T00:00:00Z" },
  { to: middle },
  { to: "2020-01-01T00:00:00Z" },
  { search: "rare" },
  { search: "nar" },
  { search: "nothing at all" },
  { search: "nar", from: middle, limit: "500" },
  { type: "6" },
  { type: "3", limit: "500" },
  { type: "5", search: "rare" },
  { type: "5", search: "rare", from: middle },
];

/** Runs one question and explains everything it asked of the database, in the same way of reading. */
async function plansOf(
  name: "sessions" | "transactions",
  playerId: string,
  query: object,
): Promise<{ plans: Plan[]; next: string | null }> {
  asked.length = 0;
  const read = z.parse(ListQuery, query);
  const listed =
    name === "sessions" ? await list(db, sessions, playerId, read) : await list(db, transactions, playerId, read);
  if (listed.is === "refused") throw new Error(listed.problem.detail);
  const [settings, ...reads] = asked.filter(({ sql: text }) => /^(select|with)\b/i.test(text));
  expect(settings?.sql).toContain("set_config");
  return await venue.db.transaction().execute(async (trx) => {
    const run = (text: string, parameters: readonly unknown[]) =>
      trx.executeQuery<{ "QUERY PLAN": [{ Plan: Plan }] }>(CompiledQuery.raw(text, [...parameters]));
    await run(settings?.sql ?? "", settings?.parameters ?? []);
    const plans: Plan[] = [];
    // Rows that were written just now are not read from the index alone: the plan is right all the same.
    for (const indexOnly of ["on", "off"]) {
      await run(`set local enable_indexonlyscan = ${indexOnly}`, []);
      for (const one of reads) {
        const { rows } = await run(`explain (analyze, format json) ${one.sql}`, one.parameters);
        plans.push(...rows.map((row) => row["QUERY PLAN"][0].Plan));
      }
    }
    return { plans, next: listed.answer.next };
  });
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

function checkPlan(plan: Plan, query: Record<string, string>): void {
  const { limit, page } = z.parse(ListQuery, query);
  for (const node of nodesOf(plan)) {
    const told = JSON.stringify({ query, node }, null, 1);
    const read = node["Actual Rows"] * node["Actual Loops"];
    expect(node["Node Type"], told).not.toMatch(/Seq Scan|Bitmap|Hash Join|Merge Join/);
    // A merge of kinds sorts the first rows of each, never all of them.
    if (node["Node Type"].includes("Sort")) expect(read, told).toBeLessThanOrEqual((limit + 1) * KINDS_MAX);
    if (node["Relation Name"] === undefined) continue;
    expect(node["Node Type"], told).toMatch(/^Index (Only )?Scan$/);
    expect(node["Index Cond"], told).toBeDefined();
    expect(node["Rows Removed by Filter"] ?? 0, told).toBe(0);
    expect(read, told).toBeLessThanOrEqual(Math.max(page * limit, LISTED_ROWS_MAX) + 1);
  }
}

test.each(["sessions", "transactions"] as const)(
  "%s are read by an index in its order, however many rows a player has",
  async (name) => {
    for (const playerId of [whale, small])
      for (const query of questions) {
        const { plans, next } = await plansOf(name, playerId, query);
        const onward = next === null ? { plans: [] } : await plansOf(name, playerId, { ...query, after: next });
        // Rows, count and names of machines at least.
        expect(plans.length, JSON.stringify(query)).toBeGreaterThanOrEqual(6);
        for (const plan of [...plans, ...onward.plans]) checkPlan(plan, query);
      }
  },
);

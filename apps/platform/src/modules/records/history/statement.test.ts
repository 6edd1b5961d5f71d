import type { Statement, StatementFigures } from "@longarm/contract/player-record";
import { recordCalls } from "@longarm/contract/player-record";
import { silentLog } from "@longarm/database/log";
import { testDatabase } from "@longarm/database/testing";
import * as fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { platformMigrations } from "../../../migration-sets.ts";
import { settleBusinessDay } from "../reports/index.ts";
import { readStatement } from "./statement.ts";
import type { HistoryTables } from "./tables.ts";

/* A statement beside what it is made of, for histories in which everything may come at any time. */

let database: Awaited<ReturnType<typeof testDatabase<unknown>>>;
beforeAll(async () => {
  database = await testDatabase<unknown>({ migrations: platformMigrations });
  // The ledger's own clock, as far as a test sets no other.
  await run(`create or replace function ledger.guard_transfer() returns trigger language plpgsql as $$ begin
    new.created_at := coalesce(nullif(current_setting('test.at', true), '')::timestamptz, clock_timestamp()); return new; end $$`);
  await run(`insert into agent (id, name) values ('ag_1', 'floor')`);
  await run(
    `insert into machine (id, agent_id, facts, meters, meters_at) values ('nar-01', 'ag_1', '{}', '{}', now())`,
  );
});
afterAll(() => database.drop());

const run = async (text: string) => (await sql.raw<Record<string, unknown>>(text).execute(database.kysely)).rows;

const ZONES = ["UTC", "Europe/Istanbul", "America/New_York", "Asia/Kathmandu"] as const;
const FIRST_YEAR = 2024;
const YEARS = 3;
/** Around the turn of a year and of a month, where zones disagree, and at any other time of three years. */
const atMs = fc.oneof(
  fc.integer({ min: Date.UTC(FIRST_YEAR, 0, 2), max: Date.UTC(FIRST_YEAR + YEARS, 0, 1) - 86_400_000 }),
  ...[Date.UTC(2025, 0, 1), Date.UTC(2025, 2, 1), Date.UTC(2026, 10, 1)].map((turn) =>
    fc.integer({ min: turn - 50_000_000, max: turn + 50_000_000 }),
  ),
);

type Column = keyof Omit<StatementFigures, "opening" | "closing">;
/** What moves, and in which column of the statement of the player it is. */
const MOVES: readonly (readonly [kind: string, from: string, to: string, column: Column])[] = [
  ["deposit", "cage", "player:P", "deposits"],
  ["deposit", "cage", "player:P", "deposits"],
  ["deposit", "house", "player:P", "handPays"],
  ["withdraw", "player:P", "cage", "withdrawals"],
  ["cashIn", "player:P", "machine:nar-01", "toMachines"],
  ["cashOut", "machine:nar-01", "player:P", "fromMachines"],
  ["handPay", "house", "player:P", "handPays"],
  ["handPay", "machine:nar-01", "player:P", "handPays"],
  ["jackpot", "house", "player:P", "handPays"],
  ["discount", "promotions", "player:P", "discounts"],
  ["bonus", "promotions", "player:P", "bonuses"],
  ["fee", "player:P", "fees", "fees"],
  ["suspense", "suspense", "player:P", "corrections"],
];
const GIVEN: ReadonlySet<Column> = new Set(["withdrawals", "toMachines", "fees"]);

type Step =
  | { is: "move"; move: (typeof MOVES)[number]; amount: number; ms: number }
  | { is: "correct"; of: number; ms: number }
  | { is: "game"; stake: number; win: number; ms: number };
const amount = fc.integer({ min: 1, max: 900_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ is: fc.constant("move" as const), move: fc.constantFrom(...MOVES), amount, ms: atMs }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("correct" as const), of: fc.nat(40), ms: atMs }) },
  {
    weight: 3,
    arbitrary: fc.record({ is: fc.constant("game" as const), stake: amount, win: fc.nat(900_000), ms: atMs }),
  },
);

type Entry = { readonly ms: number; readonly column: Column; readonly amount: number };
let number = 0;

/** Does a step as the platform does, and says what a statement must have of it; nothing of what the ledger refuses. */
async function take(
  player: string,
  one: Step,
  moved: { id: string; into: boolean; amount: number }[],
): Promise<Entry[]> {
  number += 1;
  const at = new Date(one.ms).toISOString();
  if (one.is === "game") {
    await run(`insert into game (machine_id, game_number, play_session_id, stake, win, credit_before, credit_after, hand_paid, started_at, ended_at, taken_at)
      values ('nar-01', ${number}, 's-${player}', ${one.stake}, ${one.win}, 0, 0, 0, now(), now(), '${at}')`);
    const { ms } = one;
    return [
      { ms, column: "games", amount: 1 },
      { ms, column: "wagered", amount: one.stake },
      { ms, column: "won", amount: one.win },
    ];
  }
  await run(`select set_config('test.at', '${at}', false)`);
  if (one.is === "correct") {
    const of = moved[one.of % Math.max(1, moved.length)];
    if (of === undefined) return [];
    const [row] = await run(`select (ledger.correct('c${number}', '${of.id}', null, '{}')).problem`);
    return row?.["problem"] === null
      ? [{ ms: one.ms, column: "corrections", amount: of.into ? -of.amount : of.amount }]
      : [];
  }
  const [kind, from, to, column] = one.move;
  const sides = [from, to].map((side) => `'${side.replace("player:P", `player:${player}`)}'`).join(", ");
  const [row] = await run(`select (ledger.transfer('t${number}', '${kind}', ${sides}, ${one.amount}, '{}')).problem`);
  if (row?.["problem"] !== null) return [];
  moved.push({ id: `t${number}`, into: to === "player:P", amount: one.amount });
  return [{ ms: one.ms, column, amount: one.amount }];
}

function monthOf(ms: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "numeric" }).formatToParts(ms);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  return `${part("year")}-${part("month")}`;
}

const NAMES = [
  "deposits",
  "withdrawals",
  "bonuses",
  "discounts",
  "fees",
  "toMachines",
  "fromMachines",
  "handPays",
  "corrections",
] as const;
const PLAYED = ["games", "wagered", "won"] as const;

/** Month by month and in all, exactly the entries; and the wallet is what the ledger says. */
async function expectExact(player: string, timeZone: string, entries: readonly Entry[]): Promise<void> {
  const sumOf = (column: Column, wanted: (month: string) => boolean) =>
    entries
      .filter((entry) => entry.column === column && wanted(monthOf(entry.ms, timeZone)))
      .reduce((sum, entry) => sum + entry.amount, 0);
  let balance = 0;
  for (let year = FIRST_YEAR; year < FIRST_YEAR + YEARS; year += 1) {
    const statement: Statement = await readStatement(database.kysely.withTables<HistoryTables>(), player, year);
    expect(z.safeParse(recordCalls.statement.answer, statement).error).toBeUndefined();
    expect(statement).toMatchObject({ timeZone, year });
    for (const of of statement.months) {
      for (const column of [...NAMES, ...PLAYED])
        expect([column, of[column]]).toEqual([column, sumOf(column, (month) => month === `${year}-${of.month}`)]);
      expect(of.opening).toBe(balance);
      balance += NAMES.reduce((sum, column) => sum + (GIVEN.has(column) ? -of[column] : of[column]), 0);
      expect(of.closing).toBe(balance);
    }
    for (const column of [...NAMES, ...PLAYED])
      expect([column, statement.total[column]]).toEqual([
        column,
        sumOf(column, (month) => month.startsWith(`${year}-`)),
      ]);
    expect(statement.total.closing).toBe(balance);
    expect(statement.months.map(({ month }) => month)).toEqual(statement.months.map((_, at) => at + 1));
  }
  const [account] = await run(
    `select coalesce((select balance_minor from ledger.accounts where address = 'player:${player}'), 0) as balance`,
  );
  expect(balance).toBe(account?.["balance"]);
}

test("a statement is the ledger and the games exactly, month by month, in whatever order and time zone they came", async () => {
  let players = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 30 }),
      fc.constantFrom(...ZONES),
      async (steps, timeZone) => {
        players += 1;
        const player = `ann${players}`;
        await run(`insert into play_session (id, machine_id, player_id) values ('s-${player}', 'nar-01', '${player}')`);
        const moved: { id: string; into: boolean; amount: number }[] = [];
        const entries: Entry[] = [];
        for (const one of steps.slice(0, steps.length / 2)) entries.push(...(await take(player, one, moved)));
        // A venue that moves to another zone has its statements by the new one, also of what is long over.
        await settleBusinessDay(database.kysely, { timeZone, dayBeginsMinutes: 360 }, silentLog);
        for (const one of steps.slice(steps.length / 2)) entries.push(...(await take(player, one, moved)));
        await expectExact(player, timeZone, entries);
      },
    ),
    { numRuns: 30 },
  );
});

test("a player who never did anything has the present year alone, with figures of 0", async () => {
  const statement = await readStatement(database.kysely.withTables<HistoryTables>(), "never-here", undefined);
  expect(statement.years).toEqual([statement.year]);
  expect(new Set(Object.values(statement.total))).toEqual(new Set([0]));
  expect(statement.months.length).toBeGreaterThan(0);
  // A year to come has no month yet.
  expect(
    await readStatement(database.kysely.withTables<HistoryTables>(), "never-here", statement.year + 1),
  ).toMatchObject({
    months: [],
  });
});

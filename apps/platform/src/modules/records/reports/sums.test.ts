import { silentLog } from "@longarm/database/log";
import { testDatabase } from "@longarm/database/testing";
import * as fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";
import { proveReports, rebuildReports, settleBusinessDay } from "./index.ts";

/* The sums of reports beside what they are made of: games, the ledger and play sessions. */

let database: Awaited<ReturnType<typeof testDatabase<unknown>>>;
beforeAll(async () => {
  database = await testDatabase<unknown>({ migrations: platformMigrations });
  await run(`insert into agent (id, name) values ('ag_1', 'floor')`);
  for (const machine of MACHINES)
    await run(
      `insert into machine (id, agent_id, facts, meters, meters_at) values ('${machine}', 'ag_1', '{}', '{}', now())`,
    );
});
afterAll(() => database.drop());

const run = async (text: string) => (await sql.raw<Record<string, unknown>>(text).execute(database.kysely)).rows;
const MACHINES = ["nar-01", "kuzey-02"] as const;
const ZONES = ["UTC", "Europe/Istanbul", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe"] as const;

type Step =
  | { is: "game"; machine: string; stake: number; win: number; handPaid: number; minutes: number }
  | { is: "move"; kind: string; from: string; to: string; amount: number; machine: string | null }
  | { is: "correct"; of: number; amount: number | null }
  | { is: "session"; machine: string; minutes: number; lasts: number | null };

/** In the nights of 2026 in which clocks are changed, and in any other. */
const minutes = fc.oneof(
  fc.integer({ min: 0, max: 520_000 }),
  ...["2026-03-29", "2026-10-25", "2026-04-05", "2026-10-04"].map((day) => {
    const at = (Date.parse(day) - Date.parse("2026-01-01")) / 60_000;
    return fc.integer({ min: at - 900, max: at + 900 });
  }),
);
const machine = fc.constantFrom(...MACHINES);
const amount = fc.integer({ min: 1, max: 900_000 });
const MOVES: readonly (readonly [kind: string, from: string, to: string])[] = [
  ["deposit", "cage", "player:ann"],
  ["deposit", "house", "player:ann"],
  ["withdraw", "house", "cage"],
  ["cashIn", "house", "machine:nar-01"],
  ["cashOut", "machine:kuzey-02", "player:ann"],
  ["handPay", "house", "player:ann"],
  ["handPay", "machine:nar-01", "player:ann"],
  ["jackpot", "house", "player:ann"],
  ["discount", "promotions", "player:ann"],
  ["bonus", "promotions", "player:ann"],
  ["fee", "player:ann", "fees"],
  ["suspense", "machine:nar-01", "suspense"],
  ["suspense", "suspense", "machine:kuzey-02"],
  ["suspense", "suspense", "house"],
  ["suspense", "house", "player:ann"],
];
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant("game" as const),
      machine,
      stake: amount,
      win: amount,
      handPaid: fc.nat(900_000),
      minutes,
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...MOVES), amount, fc.option(machine))
      .map(([[kind, from, to], minor, of]) => ({ is: "move" as const, kind, from, to, amount: minor, machine: of })),
  },
  {
    weight: 1,
    arbitrary: fc.record({ is: fc.constant("correct" as const), of: fc.nat(40), amount: fc.option(amount) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant("session" as const), machine, minutes, lasts: fc.option(fc.nat(4_000)) }),
  },
);

let number = 0;
const at = (minute: number): string => `timestamptz '2026-01-01 00:00:00.5Z' + make_interval(mins => ${minute})`;

/** Does a step as the platform does: through the ledger's own functions. What the ledger refuses is not done. */
async function take(one: Step, moved: string[]): Promise<void> {
  number += 1;
  if (one.is === "game") {
    const handPaid = Math.min(one.handPaid, one.win);
    await run(`insert into game (machine_id, game_number, stake, win, credit_before, credit_after, hand_paid, started_at, ended_at, taken_at)
      values ('${one.machine}', ${number}, ${one.stake}, ${one.win}, 0, 0, ${handPaid}, now(), now(), ${at(one.minutes)})`);
    const net = one.win - handPaid - one.stake;
    const sides = net > 0 ? `'house', 'machine:${one.machine}'` : `'machine:${one.machine}', 'house'`;
    const about = JSON.stringify({ machineId: one.machine, gameNumber: number });
    if (net !== 0) await run(`select ledger.transfer('g${number}', 'game', ${sides}, ${Math.abs(net)}, '${about}')`);
  } else if (one.is === "move") {
    const about = one.machine === null ? "{}" : JSON.stringify({ machineId: one.machine });
    const id = `t${number}`;
    const [row] = await run(
      `select (ledger.transfer('${id}', '${one.kind}', '${one.from}', '${one.to}', ${one.amount}, '${about}')).problem`,
    );
    if (row?.["problem"] === null) moved.push(id);
  } else if (one.is === "correct") {
    // Corrections of corrections too: they count for what was corrected first.
    const of = moved[one.of % Math.max(1, moved.length)];
    if (of === undefined) return;
    const id = `c${number}`;
    const [row] = await run(`select (ledger.correct('${id}', '${of}', ${one.amount ?? "null"}, '{}')).problem`);
    if (row?.["problem"] === null) moved.push(id);
  } else {
    await run(
      `insert into play_session (id, machine_id, player_id, started_at) values ('s${number}', '${one.machine}', 'p', ${at(one.minutes)})`,
    );
    if (one.lasts !== null)
      await run(
        `update play_session set ended_at = started_at + make_interval(mins => ${one.lasts}, secs => 0.25), end_reason = 'left' where id = 's${number}'`,
      );
  }
}

const sums = () =>
  run(`select 'games' as of, to_jsonb(g) as row from report_games g union all select 'money', to_jsonb(m) from report_money m
    union all select 'seats', to_jsonb(s) from report_seats s order by 1, 2`);

describe("the sums", () => {
  beforeEach(() => settleBusinessDay(database.kysely, { timeZone: "UTC", dayBeginsMinutes: 360 }, silentLog));

  test("are the same step by step and made again, and exactly what they are made of, wherever the day begins", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 25 }),
        fc.constantFrom(...ZONES),
        fc.integer({ min: 0, max: 1_439 }),
        async (steps, timeZone, dayBeginsMinutes) => {
          const moved: string[] = [];
          for (const one of steps.slice(0, steps.length / 2)) await take(one, moved);
          await settleBusinessDay(database.kysely, { timeZone, dayBeginsMinutes }, silentLog);
          for (const one of steps.slice(steps.length / 2)) await take(one, moved);
          const before = await sums();
          const breaches = await proveReports(database.kysely);
          await rebuildReports(database.kysely);
          expect(await sums()).toEqual(before);
          // A corrected game transfer is none of a game: nothing here makes one.
          expect(breaches).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  }, 120_000);

  test("count each millisecond of a stay once, in the day and the hour of the venue's clock", async () => {
    await settleBusinessDay(database.kysely, { timeZone: "Asia/Kathmandu", dayBeginsMinutes: 390 }, silentLog);
    // 06:00:00 to 08:15:00.250 there: the business day begins at 06:30.
    const pieces = await run(
      `select day::text, hour, ms from report_pieces('2026-11-20 00:15Z', '2026-11-20 02:30:00.25Z') order by 1, 2`,
    );
    expect(pieces).toEqual([
      { day: "2026-11-19", hour: 6, ms: 1_800_000 },
      { day: "2026-11-20", hour: 6, ms: 1_800_000 },
      { day: "2026-11-20", hour: 7, ms: 3_600_000 },
      { day: "2026-11-20", hour: 8, ms: 900_250 },
    ]);
  });

  test.each([
    ["update report_games set wagered = wagered + 1", "games"],
    ["update report_games set stake_squares = stake_squares + 1", "games"],
    ["delete from report_money where kind = 'game'", "money"],
    ["update report_money set moves = moves + 1 where kind = 'game'", "money"],
    ["insert into report_seats values ('nar-01', '2026-01-01', 5, 1, 0)", "seats"],
  ])("do not prove when somebody writes %s", async (statement, of) => {
    await run("delete from report_seats where day = '2026-01-01' and hour = 5 and machine_id = 'nar-01'");
    await take({ is: "game", machine: "nar-01", stake: 100, win: 40, handPaid: 0, minutes: 5_000 }, []);
    await run(statement);
    const found = await proveReports(database.kysely);
    expect(new Set(found.map(({ rollUp }) => rollUp))).toContain(of);
    await rebuildReports(database.kysely);
    expect(await proveReports(database.kysely)).toEqual([]);
  });

  test("are not wrong when they are made again while games are booked", async () => {
    const book = async (from: number) => {
      for (let n = from; n < from + 20; n += 1)
        await run(`insert into game (machine_id, game_number, stake, win, credit_before, credit_after, hand_paid, started_at, ended_at)
          values ('kuzey-02', ${n}, 100, 100, 0, 0, 0, now(), now())`);
    };
    await Promise.all([
      book(1_000_000),
      book(2_000_000),
      rebuildReports(database.kysely),
      settleBusinessDay(database.kysely, { timeZone: "Europe/Istanbul", dayBeginsMinutes: 0 }, silentLog),
      rebuildReports(database.kysely),
    ]);
    expect(await proveReports(database.kysely)).toEqual([]);
  });
});

test("a paytable sheet is never changed, and the audit log has what was before", async () => {
  const enter = (hold: number) =>
    run(
      `insert into paytable_sheet (machine_id, from_day, hold, spread, set_by, reason) values ('nar-01', '2026-11-01', ${hold}, 850, 'eva', 'sheet')`,
    );
  await enter(520);
  await enter(540);
  await expect(run("update paytable_sheet set hold = 1")).rejects.toThrow("is never changed");
  await expect(run("delete from paytable_sheet")).rejects.toThrow("is never changed");
  const entries = await run("select before, after from audit.entries where type = 'machine.paytable' order by id");
  expect(entries).toMatchObject([
    { before: null, after: { hold: 520 } },
    { before: { hold: 520 }, after: { hold: 540, spread: 850 } },
  ]);
});

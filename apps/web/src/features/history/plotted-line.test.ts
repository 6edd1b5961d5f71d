import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_FILTERS, passes } from "./filters.ts";
import type { Step } from "./plotted-line.ts";
import { balanceLine, fittedStart, POINTS_MAX, resultLine, roundAmounts, thin, timeTicks } from "./plotted-line.ts";
import type { HistoryRow } from "./row.ts";
import { readRow } from "./row.ts";

const row = (ms: number, balance: number, more: Partial<HistoryRow> = {}): HistoryRow => ({
  ...{ id: `${ms} ${balance}`, operationMs: ms, balance },
  ...more,
});

test("the line goes through every balance, begins with the one before, and sums what came and went", () => {
  const rows = [row(900, 400, { amount: -100 }), row(500, 500, { amount: 300, type: 1 }), row(100, 0)];
  const line = balanceLine(rows, 200);
  expect(line?.steps.map(({ ms, balance }) => [ms, balance])).toEqual([
    [200, 200],
    [500, 500],
    [900, 400],
  ]);
  expect(line).toMatchObject({ lowest: 200, highest: 500, now: 400, gained: 300, given: 100 });
  expect(balanceLine(rows.slice(1), 200)).toBeUndefined();
  expect(balanceLine([row(1, 5), { id: "x", operationMs: 2 }], 0)).toBeUndefined();
});

// player 18
test("money in and out is what came from outside and left: not what went between wallet and machine, nor what was won", () => {
  const rows = [
    row(9, 1_300, { amount: -200, type: 2 }),
    row(8, 1_500, { amount: 300, type: 6 }),
    row(7, 1_200, { amount: 100, type: 5 }),
    row(6, 1_100, { amount: 500, type: 4 }),
    row(5, 600, { amount: -500, type: 3 }),
    row(4, 1_100, { amount: 50, type: 1, from: "Bonus" }),
    row(3, 1_050, { amount: 50, type: 1, from: "Discount" }),
    row(2, 1_000, { amount: 1_000, type: 1, from: "Cage" }),
  ];
  expect(balanceLine(rows, 0)).toMatchObject({ gained: 1_100, given: 200, now: 1_300, jackpot: { ms: 8 } });
});

// player 18
test("player 18: the axis begins shortly before the first row when the period is mostly empty before it", () => {
  const day = 86_400_000;
  const at = (ms: number): Step => ({ ms, balance: 1, row: { id: String(ms) } });
  const start = fittedStart([{ ms: 0, balance: 1 }, at(6.9 * day)], 0, 7 * day);
  expect(start).toBeGreaterThan(6.8 * day);
  expect(start).toBeLessThan(6.9 * day);
  expect(fittedStart([at(day)], 0, 7 * day)).toBe(0);
  expect(7 * day - fittedStart([at(7 * day)], 0, 7 * day)).toBeGreaterThanOrEqual(3_600_000);
});

// player, beside the promised pictures: sessions have a plot.
test("the net result adds up from zero where each session ends, with time and games", () => {
  const session = (id: string, endMs: number, amount: number, more: Partial<HistoryRow> = {}): HistoryRow => ({
    ...{ id, startMs: endMs - 50, operationMs: endMs - 50, endMs, amount, duration: 60, spins: 10 },
    ...more,
  });
  const rows = [session("c", 900, 300), session("b", 500, -700), session("a", 100, 50)];
  const line = resultLine(rows, 200);
  expect(line?.steps.map(({ ms, balance }) => [ms, balance])).toEqual([
    [450, 0],
    [500, -700],
    [900, -400],
  ]);
  expect(line).toMatchObject({ lowest: -700, highest: 0, now: -400, played: 120, spins: 20 });
  expect(resultLine(rows, 1_000)).toBeUndefined();
});

test.each([
  [7 * 24, 7],
  [24, 6],
  [1, 4],
  [30 * 24, 6],
])("an axis of %d hours has %d marks at round times", (hours, count) => {
  const from = new Date(2026, 10, 16).getTime();
  const ticks = timeTicks(from, from + hours * 3_600_000, "en");
  expect(ticks.length).toBe(count);
  expect(new Set(ticks.map(({ text }) => text)).size).toBe(count);
});

test("of two rows of one instant the newer, which stands first, is the later step", () => {
  expect(balanceLine([row(5, 30), row(5, 20), row(1, 10)], 0)?.now).toBe(30);
});

test("thinned, a line has 300 points at most, in order, with its ends and its extremes", () => {
  const steps = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 301, maxLength: 3_000 });
  fc.assert(
    fc.property(steps, (balances) => {
      const points = balances.map((balance, ms): Step => ({ ms, balance }));
      const thinned = thin(points, POINTS_MAX);
      expect(thinned.length).toBeLessThanOrEqual(POINTS_MAX);
      expect([thinned[0], thinned.at(-1)]).toEqual([points[0], points.at(-1)]);
      expect(thinned.every(({ ms }, index) => index === 0 || ms > (thinned[index - 1]?.ms ?? 0))).toBe(true);
      const kept = thinned.map(({ balance }) => balance);
      expect([Math.min(...kept), Math.max(...kept)]).toEqual([Math.min(...balances), Math.max(...balances)]);
    }),
    { numRuns: 20 },
  );
});

test("round amounts lie between lowest and highest, few of them", () => {
  expect(roundAmounts(564_200, 1_540_200)).toEqual([1_000_000, 1_500_000]);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9e12 }), fc.integer({ min: 0, max: 9e12 }), (one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      const marks = roundAmounts(low, high);
      expect(marks.length).toBeLessThanOrEqual(4);
      expect(marks.every((mark) => mark >= low && mark <= high)).toBe(true);
    }),
  );
});

test("a row is read as far as it can be: no wrong value hides the others", () => {
  const hostile = { id: 7, machine: "x".repeat(9_999), amount: "12345", balance: 1.5, type: {}, duration: -1 };
  const read = readRow({ ...hostile, operation_date: "yesterday", start: "2026-11-20T10:00:00Z", spin_count: null }, 0);
  expect(read).toEqual({
    ...{ id: "7", machine: `${"x".repeat(200)}…`, amount: 12_345 },
    ...{ operationMs: Date.UTC(2026, 10, 20, 10), startMs: Date.UTC(2026, 10, 20, 10) },
  });
  const won = [{ name: "MINI", amount: 20_000 }, { name: 7, amount: "1" }, null, { name: "X", amount: -1 }, "GRAND"];
  expect(readRow({ id: 1, jackpots: won }, 0)?.jackpots).toEqual([
    { name: "MINI", amount: 20_000 },
    { name: "7", amount: 1 },
  ]);
  expect([null, 7, "row", []].map((given) => readRow(given, 0))).toEqual([undefined, undefined, undefined, undefined]);
  expect(readRow({}, 3)).toEqual({ id: "row 3" });
  fc.assert(fc.property(fc.object(), (given) => readRow(given, 0) !== undefined));
});

test("a platform that ignores search and type is filtered here", () => {
  const t = (key: string) => key;
  const speech = { language: "tr", t, find: t } as const;
  const one = { id: "1", machine: "İstanbul 07", from: "Wallet", type: 4 };
  const isShown = (search: string, type?: number) => passes(one, { ...NO_FILTERS, search, type }, speech);
  expect(["istanbul", "ISTANBUL 07", "wallet", "cashOut", ""].map((search) => isShown(search))).toEqual(
    Array(5).fill(true),
  );
  expect([isShown("pera"), isShown("", 3), isShown("", 4)]).toEqual([false, false, true]);
});

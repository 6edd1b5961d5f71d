import { expect, test } from "vitest";
import type { MoneyLine } from "../people/tally.ts";
import { addMedia, addTally, count, emptyTally, time } from "../people/tally.ts";
import { figuresOf, judge, tableLines } from "./report.ts";
import type { LoadResult } from "./run-load.ts";

const line = (more: Partial<MoneyLine> = {}): MoneyLine => ({
  ...{ username: "ayla", before: 50_000, after: 49_000, away: 0, net: -1_000, sessions: 2 },
  ...more,
});

function resultOf(change: (tally: ReturnType<typeof emptyTally>) => void = () => {}): LoadResult {
  const tally = emptyTally();
  count(tally, "seats taken");
  change(tally);
  return {
    ...{ tally, present: { seated: 0, watching: 0, seeing: 0 }, effort: { processorShare: 0.2, lateMs: 3 } },
    ...{ waitedMs: 0, problems: [], machines: ["nar-01"], ranMs: 60_000, interrupted: false },
  };
}

test("money adds up when the wallet has what the play sessions left, and nothing is away", () => {
  expect(judge(resultOf((tally) => void tally.money.push(line())))).toEqual({ failures: [], warnings: [] });
  const failuresOf = (more: Partial<MoneyLine>) =>
    judge(resultOf((tally) => void tally.money.push(line(more)))).failures;
  expect(failuresOf({ after: 49_001 })).toEqual([expect.stringContaining("make 49000, but there are 49001")]);
  expect(failuresOf({ away: 500 })).toEqual([expect.stringContaining("500 minor units are still on a machine")]);
});

test.each([
  ["visits without a picture", "no picture at all"],
  ["seats not given back", "were not given back"],
  ["wallets that could not be read", "the money of 1 players could not be read"],
  ["viewers who could not go on", "could not go on"],
])("%s are a failure", (what, sentence) => {
  const { failures } = judge(resultOf((tally) => count(tally, what)));
  expect(failures).toEqual([expect.stringContaining(sentence)]);
});

test("a run without a seat is a failure, a lost video too, and limits are named by their setting", () => {
  const withoutSeat = resultOf((tally) => {
    tally.counts["seats taken"] = 0;
    tally.seen.dark = 2;
    count(tally, "refused: spectators.full", 3);
    count(tally, "not played: the machine may be a real one");
  });
  const { failures, warnings } = judge({
    ...withoutSeat,
    waitedMs: 61_000,
    effort: { processorShare: 0.95, lateMs: 2 },
  });
  expect(failures).toEqual([
    expect.stringContaining("2 times somebody was without a picture"),
    expect.stringContaining("nobody got a seat"),
  ]);
  expect(warnings).toEqual([
    expect.stringContaining("95 % of a core"),
    expect.stringContaining("LOGINS_PER_MINUTE_ADDRESS"),
    expect.stringContaining("SPECTATORS_MAX"),
    expect.stringContaining("--real-money"),
  ]);
});

test("tallies of several processes add up to one table", () => {
  const one = resultOf((tally) => {
    time(tally, "seat", 100);
    tally.money.push(line());
    tally.seen.pictures = 300;
    tally.seen.watchedMs = 10_000;
  });
  const other = emptyTally();
  time(other, "seat", 300);
  const stream = { packets: 97, bytes: 100_000, missed: 5, repaired: 2, reordered: 0, nacks: 3 };
  addMedia(other, { video: stream, sound: { ...stream, missed: 0 } }, undefined);
  addTally(one.tally, JSON.parse(JSON.stringify(other)));
  const figures = figuresOf(one);
  expect(figures.times["seat"]).toMatchObject({ max: 300, n: 2 });
  expect(figures.pictures.aSecond).toBe(30);
  expect([figures.lostShare, figures.repairedShare]).toEqual([0.05, 0.4]);
  const table = tableLines(one).join("\n");
  expect(table).toMatch(/sit until the seat is given +\d+ +\d+ +300 +2/);
  expect(table).toContain(
    "money of 1 players, minor units: 50000 before, -1000 by 2 play sessions, 49000 after, 0 still away",
  );
});

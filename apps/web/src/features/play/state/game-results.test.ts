import type { Meters } from "@longarm/contract/machine";
import { fakeTimers } from "@longarm/link/testing";
import { expect, test } from "vitest";
import type { GameNews } from "./game-results.ts";
import { JACKPOT_MS, MachineNews, NetResult, NO_NEWS, winLevel } from "./game-results.ts";
import { METERS } from "./testing/fake-platform.ts";

function watching() {
  const timers = fakeTimers();
  let news: GameNews = NO_NEWS;
  const changed = (part: Partial<GameNews>): void => {
    news = { ...news, ...part };
  };
  const machine = new MachineNews(timers, changed);
  const update = (meters: Meters): void => changed(machine.update(meters));
  update(METERS);
  return { timers, machine, update, news: () => news };
}

test("shows a jackpot with its name and amount, until its time is over or the next game begins", () => {
  const { timers, machine, update, news } = watching();
  machine.event({ kind: "jackpot", name: "Büyük", amount: 125_000 });
  expect(news().jackpot).toEqual({ name: "Büyük", amount: 125_000 });
  timers.advance(JACKPOT_MS);
  expect(news().jackpot).toBeUndefined();
  machine.event({ kind: "jackpot", name: "Mini", amount: 500 });
  update({ ...METERS, inGame: true });
  expect(news().jackpot).toBeUndefined();
  expect(timers.waiting).toBe(0);
});

test("ignores a jackpot without an amount, and events that are no jackpot", () => {
  const { machine, news } = watching();
  machine.event({ kind: "jackpot", name: "Mini" });
  machine.event({ kind: "handPayPending", amount: 5_000 });
  expect(news().jackpot).toBeUndefined();
});

test("the stake of a game is that of its beginning, whatever is chosen for the next one", () => {
  const { update, news } = watching();
  expect(news().stake).toBe(1_200);
  update({ ...METERS, bet: 500 });
  update({ ...METERS, bet: 500, inGame: true });
  update({ ...METERS, bet: 2_000, gamesPlayed: 41, win: 700 });
  expect(news().stake).toBe(500);
  update({ ...METERS, bet: 2_000, gamesPlayed: 42 });
  expect(news().stake).toBe(2_000);
});

test("a jackpot leaves no timer behind when the game ends", () => {
  const { timers, machine } = watching();
  machine.event({ kind: "jackpot", name: "Mini", amount: 500 });
  machine.end();
  expect(timers.waiting).toBe(0);
});

test("games change the net by what the credit gained or lost, transfers between them do not", () => {
  const net = new NetResult();
  expect(net.update(METERS)).toBeUndefined();
  net.begin(-5_000);
  expect(net.update({ ...METERS, credit: 10_000 })).toBe(-5_000);
  expect(net.update({ ...METERS, credit: 8_800, inGame: true })).toBe(-5_000);
  expect(net.update({ ...METERS, credit: 13_800, gamesPlayed: 41 })).toBe(-1_200);
  expect(net.update({ ...METERS, credit: 63_800, gamesPlayed: 41 })).toBe(-1_200);
  expect(net.update({ ...METERS, credit: 62_600, gamesPlayed: 42 })).toBe(-2_400);
});

test("a seat taken in the middle of a game counts that game's stake, which the platform has not booked yet", () => {
  const net = new NetResult();
  net.begin(0);
  net.update({ ...METERS, credit: 8_800, bet: 1_200, inGame: true });
  expect(net.update({ ...METERS, credit: 8_800, gamesPlayed: 41 })).toBe(-1_200);
});

test("a win that is paid by hand is won with its game, and not again when it is paid", () => {
  const net = new NetResult();
  net.begin(0);
  net.update({ ...METERS, credit: 10_000 });
  const handPay = { id: "HP1", amount: 60_000, kind: "win" as const };
  expect(net.update({ ...METERS, credit: 8_800, gamesPlayed: 41, lockup: "handPay", handPay })).toBe(58_800);
  expect(net.update({ ...METERS, credit: 8_800, gamesPlayed: 41 })).toBe(58_800);
  const credits = { id: "HP2", amount: 8_800, kind: "cancelledCredits" as const };
  expect(net.update({ ...METERS, credit: 0, gamesPlayed: 41, lockup: "handPay", handPay: credits })).toBe(58_800);
});

// player 8
test.each([
  ["no win", 0, 1_200, 0],
  ["less than the stake", 1_000, 1_200, 0],
  ["the stake itself", 1_200, 1_200, 0],
  ["more than the stake", 1_201, 1_200, 1],
  ["below ten times", 11_999, 1_200, 1],
  ["ten times", 12_000, 1_200, 2],
  ["fifty times", 60_000, 1_200, 3],
  ["a win of a machine that told no stake", 5, 0, 3],
] as const)("player 8: a win is celebrated by its size: %s", (_what, win, stake, level) => {
  expect(winLevel(win, stake)).toBe(level);
});

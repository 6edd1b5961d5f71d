import { fakeTimers } from "@longarm/link/testing";
import { expect, test } from "vitest";
import { METERS } from "../testing/fake-platform.ts";
import type { News } from "./machine-news.ts";
import { JACKPOT_MS, MachineNews, NO_NEWS } from "./machine-news.ts";

function hear() {
  const timers = fakeTimers();
  let news: News = NO_NEWS;
  const machine = new MachineNews(timers, (part) => {
    news = { ...news, ...part };
  });
  machine.meters(METERS);
  return { timers, machine, news: () => news };
}

test("a jackpot is said with its name and amount, until its time is over or the next game begins", () => {
  const { timers, machine, news } = hear();
  machine.event({ kind: "jackpot", name: "Büyük", amount: 125_000 });
  expect(news().jackpot).toEqual({ name: "Büyük", amount: 125_000 });
  timers.advance(JACKPOT_MS);
  expect(news().jackpot).toBeUndefined();
  machine.event({ kind: "jackpot", name: "Mini", amount: 500 });
  machine.meters({ ...METERS, inGame: true });
  expect(news().jackpot).toBeUndefined();
  expect(timers.waiting).toBe(0);
});

test("a jackpot of nothing, and what is no jackpot, is none", () => {
  const { machine, news } = hear();
  machine.event({ kind: "jackpot", name: "Mini" });
  machine.event({ kind: "handPayPending", amount: 5_000 });
  expect(news().jackpot).toBeUndefined();
});

test("the stake of a game is that of its beginning, whatever is chosen for the next one", () => {
  const { machine, news } = hear();
  expect(news().stake).toBe(1_200);
  machine.meters({ ...METERS, bet: 500 });
  machine.meters({ ...METERS, bet: 500, inGame: true });
  machine.meters({ ...METERS, bet: 2_000, gamesPlayed: 41, win: 700 });
  expect(news().stake).toBe(500);
  machine.meters({ ...METERS, bet: 2_000, gamesPlayed: 42 });
  expect(news().stake).toBe(2_000);
});

test("a jackpot leaves no timer behind when the game ends", () => {
  const { timers, machine } = hear();
  machine.event({ kind: "jackpot", name: "Mini", amount: 500 });
  machine.end();
  expect(timers.waiting).toBe(0);
});

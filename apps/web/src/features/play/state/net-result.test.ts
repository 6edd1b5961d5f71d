import { expect, test } from "vitest";
import { NetResult } from "./net-result.ts";
import { METERS } from "./testing/fake-platform.ts";

test("games change the net by what the credit gained or lost, transfers between them do not", () => {
  const net = new NetResult();
  expect(net.heard(METERS)).toBeUndefined();
  net.begin(-5_000);
  expect(net.heard({ ...METERS, credit: 10_000 })).toBe(-5_000);
  expect(net.heard({ ...METERS, credit: 8_800, inGame: true })).toBe(-5_000);
  expect(net.heard({ ...METERS, credit: 13_800, gamesPlayed: 41 })).toBe(-1_200);
  expect(net.heard({ ...METERS, credit: 63_800, gamesPlayed: 41 })).toBe(-1_200);
  expect(net.heard({ ...METERS, credit: 62_600, gamesPlayed: 42 })).toBe(-2_400);
});

test("a seat taken in the middle of a game counts that game's stake, which the platform has not booked yet", () => {
  const net = new NetResult();
  net.begin(0);
  net.heard({ ...METERS, credit: 8_800, bet: 1_200, inGame: true });
  expect(net.heard({ ...METERS, credit: 8_800, gamesPlayed: 41 })).toBe(-1_200);
});

test("a win that is paid by hand is won with its game, and not again when it is paid", () => {
  const net = new NetResult();
  net.begin(0);
  net.heard({ ...METERS, credit: 10_000 });
  const handPay = { id: "HP1", amount: 60_000, kind: "win" as const };
  expect(net.heard({ ...METERS, credit: 8_800, gamesPlayed: 41, lockup: "handPay", handPay })).toBe(58_800);
  expect(net.heard({ ...METERS, credit: 8_800, gamesPlayed: 41 })).toBe(58_800);
  const credits = { id: "HP2", amount: 8_800, kind: "cancelledCredits" as const };
  expect(net.heard({ ...METERS, credit: 0, gamesPlayed: 41, lockup: "handPay", handPay: credits })).toBe(58_800);
});

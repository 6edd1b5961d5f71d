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

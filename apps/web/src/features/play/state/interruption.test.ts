import type { Meters } from "@longarm/contract/machine";
import { LOCKUP_REASONS } from "@longarm/contract/machine";
import { expect, test } from "vitest";
import { interruptionOf, specialPlayOf } from "./interruption.ts";
import type { PlayState } from "./play-state.ts";
import { FIRST_STATE } from "./play-state.ts";
import { METERS } from "./testing/fake-platform.ts";

const playing = (meters: Partial<Meters> = {}, more: Partial<PlayState> = {}): PlayState => ({
  ...FIRST_STATE,
  ...{ phase: "playing", online: true, live: true, started: true, stake: 1_200 },
  meters: { ...METERS, ...meters },
  ...more,
});

test("an ordinary game needs no word", () => {
  expect(interruptionOf(playing())).toBeUndefined();
  expect(specialPlayOf(playing())).toBeUndefined();
});

test.each(LOCKUP_REASONS)("a machine locked for %s is shown with that reason", (lockup) => {
  expect(interruptionOf(playing({ lockup }))).toEqual({ is: lockup, lamp: "fault", owed: undefined });
});

test("a hand pay shows the amount owed, whatever else locks the machine", () => {
  const handPay = { id: "hp-1", amount: 900_000, kind: "win" } as const;
  expect(interruptionOf(playing({ handPay, lockup: "door" }))).toEqual({ is: "handPay", lamp: "fault", owed: 900_000 });
  const handPays = [handPay, { ...handPay, id: "hp-2" }];
  expect(interruptionOf(playing({ handPay, handPays }))).toMatchObject({ owed: 1_800_000 });
});

test.each([
  ["the socket before the machine", { online: false, agentAway: true }, "connectionLost"],
  ["an agent that is away before the lock", { agentAway: true }, "machineAway"],
  ["the lock before the picture", { live: false }, "door"],
  ["getting up before all", { phase: "leaving", online: false }, "leaving"],
] as const)("says %s", (_, more, is) => {
  expect(interruptionOf(playing({ lockup: "door" }, more))).toMatchObject({ is });
});

test("free spins with those left, a bonus, and a jackpot before both", () => {
  expect(specialPlayOf(playing({ freeSpins: 7 }))).toEqual({ is: "freeSpins", left: 7 });
  expect(specialPlayOf(playing({ freeSpins: 7, bonus: true }))).toEqual({ is: "bonus" });
  const jackpot = { name: "Büyük", amount: 125_000 };
  expect(specialPlayOf(playing({ bonus: true }, { jackpot }))).toEqual({ is: "jackpot", ...jackpot });
  expect(specialPlayOf(playing({}, { jackpot, online: false }))).toBeUndefined();
});

test("what is not more than the stake is celebrated by nothing", () => {
  expect(specialPlayOf(playing({}, { jackpot: { name: "Mini", amount: 1_200 } }))).toBeUndefined();
  expect(specialPlayOf(playing({}, { jackpot: { name: "Mini", amount: 1_201 } }))).toMatchObject({ is: "jackpot" });
});

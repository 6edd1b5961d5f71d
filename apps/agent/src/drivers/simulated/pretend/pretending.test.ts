import { expect, test } from "vitest";
import { expectBalanced } from "../../../ports/egm.conformance.ts";
import type { Egm, EgmEvent } from "../../../ports/egm.ts";
import type { Trial } from "../trial.ts";
import { trial } from "../trial.ts";
import type { Pretending } from "./pretending.ts";
import { pretending } from "./pretending.ts";

const STAKE = 1_200;
const CREDIT = 5_000_000;

type Pretender = { it: Trial; pretender: Pretending<{ egm: Egm; close(): Promise<void> }>; egm: Egm };

async function pretender(): Promise<Pretender> {
  const it = await trial();
  const made = pretending(async () => ({ ...it.machine(), close: async () => {} }));
  const { egm } = await made.open();
  expect(await egm.cashIn({ transferId: "in", amount: CREDIT })).toMatchObject({ outcome: "done" });
  return { it, pretender: made, egm };
}

/** Plays one game and returns what the machine reported of it. Meters add up at every look. */
async function play({ it, egm }: Pretender): Promise<EgmEvent[]> {
  await egm.ackEvents((await egm.nextEvents(100)).events.map(({ seq }) => seq));
  await it.until(async () => (await egm.press({ button: "spin", stakeMinor: STAKE })).outcome === "started");
  await it.until(async () => {
    const meters = await egm.meters();
    expectBalanced(meters);
    return !meters.inGame;
  });
  return [...(await egm.nextEvents(100)).events].sort((one, other) => one.seq - other.seq);
}

const whats = (events: readonly EgmEvent[]): string[] => events.map(({ what }) => what);

test.each([
  ["door", "door", "doorOpened", "doorClosed"],
  ["tilt", "tilt", "tilt", "tiltCleared"],
] as const)("%s locks the machine, repair ends it, and both are reported", async (what, lockup, begins, ends) => {
  const it = await pretender();
  await it.pretender.simulate(what);
  // Again is the same.
  await it.pretender.simulate(what);
  expect((await it.egm.meters()).lockup).toBe(lockup);
  expect(await it.egm.press({ button: "spin", stakeMinor: STAKE })).toMatchObject({ outcome: "refused" });
  expect(await it.pretender.simulate("repair")).toBe("Repaired.");
  expect((await it.egm.meters()).lockup).toBeUndefined();
  expect(await it.pretender.simulate("repair")).toBe("There was nothing to repair.");
  const reported = whats((await it.egm.nextEvents(100)).events);
  expect(reported.filter((one) => one === begins || one === ends)).toEqual([begins, ends]);
  expect(whats(await play(it))).toContain("gameEnded");
  await it.it.end();
});

test("bonus: the next game brings it, the one after is the machine's own again", async () => {
  const it = await pretender();
  expect(await it.pretender.simulate("bonus")).toBe("The next game brings the bonus.");
  const events = await play(it);
  expect(whats(events)).toEqual(["gameStarted", "bonusStarted", "bonusEnded", "gameEnded"]);
  expect(events.at(-1)).toMatchObject({ bonus: true, freeSpins: 0, handPaid: 0, before: CREDIT });
  const own = await trial();
  await own.egm.cashIn({ transferId: "in", amount: CREDIT });
  const plays = { it: own, egm: own.egm, pretender: it.pretender };
  await play(plays);
  const [second, ownSecond] = [(await play(it)).at(-1), (await play(plays)).at(-1)];
  // Its own second game, as if nothing had been forced at the first one.
  expect(second).toMatchObject({ what: "gameEnded", gameNumber: 2 });
  if (second?.what !== "gameEnded" || ownSecond?.what !== "gameEnded") throw new Error("no second game");
  expect(second.win).toBe(ownSecond.win);
  await own.end();
  await it.it.end();
});

test("free spins: the next game brings them", async () => {
  const it = await pretender();
  await it.pretender.simulate("freespins");
  const game = (await play(it)).at(-1);
  if (game?.what !== "gameEnded") throw new Error("the last event of a game is its end");
  expect(game.freeSpins).toBeGreaterThanOrEqual(8);
  expect(game.bonus).toBe(false);
  await it.it.end();
});

test("jackpot: the next game wins the largest, which starts again; the credit has the reported amount", async () => {
  const it = await pretender();
  const before = (await it.egm.meters()).jackpots?.find(({ name }) => name === "GRAND")?.amount ?? 0;
  await it.pretender.simulate("jackpot");
  const events = await play(it);
  const won = events.find(({ what }) => what === "jackpot");
  if (won?.what !== "jackpot") throw new Error("no jackpot");
  expect(won).toMatchObject({ jackpot: "GRAND" });
  expect(won.amount).toBeGreaterThanOrEqual(before);
  const game = events.at(-1);
  if (game?.what !== "gameEnded") throw new Error("no end");
  expect(game.win).toBeGreaterThanOrEqual(won.amount);
  const meters = await it.egm.meters();
  expect(meters.credit).toBe(CREDIT - STAKE + game.win);
  expect(meters.jackpots?.find(({ name }) => name === "GRAND")?.amount).toBeLessThan(before);
  await it.it.end();
});

test("hand pay: the next game is owed by hand; no repair takes it away, and nothing else can be wished meanwhile", async () => {
  const it = await pretender();
  await it.pretender.simulate("handpay");
  const events = await play(it);
  const owed = events.at(-1);
  if (owed?.what !== "handPay") throw new Error("no hand pay");
  expect(owed.handPay).toMatchObject({ kind: "win" });
  expect(owed.handPay.amount).toBeGreaterThanOrEqual(5 * STAKE);
  expect((await it.egm.meters()).credit).toBe(CREDIT - STAKE);
  await expect(it.pretender.simulate("bonus")).rejects.toThrow("A hand pay is owed");
  await it.pretender.simulate("door");
  expect(await it.pretender.simulate("repair")).toMatch(/^Repaired, but a hand pay is owed/);
  const meters = await it.egm.meters();
  expect(meters).toMatchObject({ lockup: "handPay", handPays: [owed.handPay] });
  expectBalanced(meters);
  expect(await it.egm.resetHandPay(owed.handPay.id)).toBe("reset");
  expect(whats(await play(it))).toContain("gameEnded");
  await it.it.end();
});

test("a wished game is durable from its start: a power cut in it changes nothing of it", async () => {
  const it = await pretender();
  await it.pretender.simulate("handpay");
  await it.egm.press({ button: "spin", stakeMinor: STAKE });
  const after = await it.it.powerCycle();
  const meters = await after.meters();
  expect(meters).toMatchObject({ inGame: false, lockup: "handPay", credit: CREDIT - STAKE });
  expectBalanced(meters);
  await it.it.end();
});

test("repair takes a wish back", async () => {
  const it = await pretender();
  await it.pretender.simulate("bonus");
  await it.pretender.simulate("repair");
  expect(whats(await play(it))).not.toContain("bonusStarted");
  await it.it.end();
});

test("offline: nothing gets through the line, the machine itself loses nothing, and it opens again once repaired", async () => {
  const it = await pretender();
  await it.egm.press({ button: "spin", stakeMinor: STAKE });
  expect(await it.pretender.simulate("offline")).toMatch(/^The line to the machine is cut/);
  for (const call of [
    () => it.egm.meters(),
    () => it.egm.nextEvents(),
    () => it.egm.press({ button: "spin" }),
    () => it.egm.cashIn({ transferId: "lost", amount: 5 }),
  ])
    await expect(call()).rejects.toThrow("the line to the machine is dead");
  await expect(it.pretender.open()).rejects.toThrow("the line to the machine is dead");
  await expect(it.pretender.simulate("door")).rejects.toThrow("repair it first");
  expect(await it.pretender.simulate("repair")).toBe("Repaired.");
  const { egm } = await it.pretender.open();
  await it.it.until(async () => !(await egm.meters()).inGame);
  expectBalanced(await egm.meters());
  // What did not get through was never done.
  expect(await egm.transfer("lost")).toMatchObject({ state: "neverSeen" });
  await it.it.end();
});

test("an answer that was on its way when the line was cut is lost, and what it was about was done", async () => {
  const it = await pretender();
  const answer = it.egm.cashIn({ transferId: "half", amount: 500 });
  await it.pretender.simulate("offline").catch(() => {});
  await expect(answer).rejects.toThrow("the line to the machine is dead");
  await it.pretender.simulate("repair");
  const { egm } = await it.pretender.open();
  expect(await egm.transfer("half")).toMatchObject({ state: "done", amount: 500 });
  await it.it.end();
});

test("a machine that is not open can only be repaired", async () => {
  const closed = pretending<never>(() => Promise.reject(new Error("no power")));
  await expect(closed.simulate("tilt")).rejects.toThrow("repair it first");
  expect(await closed.simulate("repair")).toBe("The machine comes back.");
});

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulatedFloor } from "@longarm/reels/brands";
import { drawGame, outcomeWin } from "@longarm/reels/game/draw";
import { stripsOf } from "@longarm/reels/game/strips";
import { readMeters } from "@longarm/reels/picture/reading/meters";
import { readTimeCode } from "@longarm/reels/picture/reading/time-code";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectBalanced } from "../../ports/egm.conformance.ts";
import type { SoundBlock, VideoFrame } from "../../ports/source.ts";
import { createSimulatedFloor, createSimulatedMachine } from "./index.ts";
import { paintedPictures } from "./painter.ts";
import type { Trial } from "./trial.ts";
import { trial, trialClock } from "./trial.ts";

/** A seed whose first game at the default stake is of the wanted kind. */
function seedWhere(wanted: (outcome: ReturnType<typeof drawGame>) => boolean): string {
  const strips = stripsOf("nar");
  for (let n = 0; n < 20_000; n += 1) {
    if (wanted(drawGame(`seed ${n}`, strips, 1, 1_200))) return `seed ${n}`;
  }
  throw new Error("no such seed in 20000");
}

async function spin(it: Trial): Promise<void> {
  await it.egm.cashIn({ transferId: "in", amount: 100_000 });
  expect(await it.egm.press({ button: "spin", stakeMinor: 1_200 })).toMatchObject({ outcome: "started" });
}

const ended = (it: Trial) => it.until(async () => !(await it.egm.meters()).inGame);
const kinds = async (it: Trial): Promise<string[]> => (await it.egm.nextEvents(100)).events.map((event) => event.what);

describe("a game", () => {
  test("with free spins plays them one by one and pays once", async () => {
    const seed = seedWhere((outcome) => outcome.spins.length > 1 && outcome.picks.length === 0);
    const it = await trial({ seed });
    await spin(it);
    const left = new Set<number>();
    await it.until(async () => {
      const meters = await it.egm.meters();
      expectBalanced(meters);
      if (meters.inGame) left.add(meters.freeSpins);
      return !meters.inGame;
    });
    const outcome = drawGame(seed, stripsOf("nar"), 1, 1_200);
    expect([...left]).toEqual(
      [0, ...Array.from({ length: outcome.spins.length - 1 }, (_, n) => outcome.spins.length - 1 - n), 0].filter(
        (n, at, all) => all.indexOf(n) === at,
      ),
    );
    const meters = await it.egm.meters();
    expect(meters.win).toBe(outcomeWin(outcome));
    expect(meters.credit).toBe(100_000 - 1_200 + outcomeWin(outcome));
    const game = (await it.egm.nextEvents(50)).events.find((event) => event.what === "gameEnded");
    expect(game).toMatchObject({ freeSpins: outcome.spins.length - 1, win: outcomeWin(outcome), bonus: false });
    await it.end();
  });
  test("player 8: names the lines that pay, once the reels have stopped, and no line before", async () => {
    const seed = seedWhere(
      ({ spins, picks }) => spins.length === 1 && picks.length === 0 && spins[0]?.lines.length === 2,
    );
    const it = await trial({ seed });
    await spin(it);
    expect(await it.egm.meters()).toMatchObject({ inGame: true, winLines: [] });
    await ended(it);
    const [turn] = drawGame(seed, stripsOf("nar"), 1, 1_200).spins;
    expect((await it.egm.meters()).winLines).toEqual(turn?.lines.map(({ line }) => line + 1));
    await it.end();
  });
  test("with a bonus waits for picks, and picks by itself when the player does not", async () => {
    const seed = seedWhere((outcome) => outcome.picks.length > 0 && outcome.spins.length === 1);
    for (const helps of [true, false]) {
      const it = await trial({ seed });
      await spin(it);
      await it.until(async () => (await it.egm.meters()).bonus);
      if (helps)
        for (let n = 0; n < 3; n += 1) expect(await it.egm.press({ button: "spin" })).toEqual({ outcome: "done" });
      if (helps) expect(await it.egm.press({ button: "spin" })).toMatchObject({ outcome: "refused", reason: "inGame" });
      await ended(it);
      expect(await kinds(it)).toEqual(expect.arrayContaining(["bonusStarted", "bonusEnded", "gameEnded"]));
      expect((await it.egm.meters()).win).toBe(outcomeWin(drawGame(seed, stripsOf("nar"), 1, 1_200)));
      await it.end();
    }
  });
  test("RTS 13B: a press that may only finish what runs makes the picks of a bonus, and starts nothing", async () => {
    const it = await trial({ seed: seedWhere((outcome) => outcome.picks.length > 0 && outcome.spins.length === 1) });
    const held = { button: "spin", stakeMinor: 1_200, finishOnly: true };
    await it.egm.cashIn({ transferId: "in", amount: 100_000 });
    expect(await it.egm.press(held)).toEqual({ outcome: "refused", reason: "held" });
    expect(await it.egm.press({ button: "spin", stakeMinor: 1_200 })).toMatchObject({ outcome: "started" });
    expect(await it.egm.press(held)).toEqual({ outcome: "refused", reason: "inGame" });
    await it.until(async () => (await it.egm.meters()).bonus);
    for (let n = 0; n < 3; n += 1) expect(await it.egm.press(held)).toEqual({ outcome: "done" });
    await ended(it);
    it.clock.advance(10_000);
    expect(await it.egm.press(held)).toEqual({ outcome: "refused", reason: "held" });
    expect((await it.egm.meters()).gamesPlayed).toBe(1);
    await it.end();
  });
  test("power lost in a bonus: it ends once and says so", async () => {
    const it = await trial({ seed: seedWhere((outcome) => outcome.picks.length > 0) });
    await spin(it);
    await it.until(async () => (await kinds(it)).includes("bonusStarted"));
    const egm = await it.powerCycle();
    const reported = (await egm.nextEvents(100)).events.map((event) => event.what);
    for (const what of ["bonusStarted", "bonusEnded", "gameEnded"])
      expect(reported.filter((one) => one === what)).toHaveLength(1);
    await it.end();
  });
  test("a tilt holds it, and it continues when cleared", async () => {
    const it = await trial();
    await spin(it);
    await it.tilt();
    it.clock.advance(60_000);
    expect((await it.egm.meters()).inGame).toBe(true);
    await it.clearTilt();
    await ended(it);
    expect((await it.egm.meters()).gamesPlayed).toBe(1);
    await it.end();
  });
  test("the jackpots grow with every stake and a hit starts them again", async () => {
    const it = await trial();
    const before = (await it.egm.meters()).jackpots;
    await spin(it);
    const after = (await it.egm.meters()).jackpots;
    const grown = after.map((jackpot, n) => jackpot.amount - (before[n]?.amount ?? 0));
    expect(grown.every((amount) => amount >= 2 && amount <= 4)).toBe(true);
    await it.end();
  });
  test.each([
    ["nar", true],
    ["kuzey", false],
    ["pera", true],
    ["mercan", false],
  ])("delivered, %s's largest jackpot is above the lobby's limit for hot: %s", async (brand, hot) => {
    for (let n = 0; n < 5; n += 1) {
      const it = await trial({ brand, seed: `floor/${brand}-0${n}` });
      const largest = Math.max(...(await it.egm.meters()).jackpots.map(({ amount }) => amount));
      expect(largest > 2_000_000).toBe(hot);
      await it.end();
    }
  });
  test.each(["", "spin ", "band:", "band:7", "__proto__", "x".repeat(5_000)])(
    "the button %j is refused",
    async (button) => {
      const it = await trial();
      expect(await it.egm.press({ button })).toEqual({ outcome: "refused", reason: "unknownButton" });
      await it.end();
    },
  );
  test("the bet never goes above the limit of the venue", async () => {
    const it = await trial({ maxStake: 2_000 });
    for (const button of ["maxBet", "band:500", "betUp", "band:100", "maxBet"]) await it.egm.press({ button });
    expect((await it.egm.meters()).bet).toBe(2_000);
    await it.end();
  });
});

const step = fc.oneof(
  fc.record({
    do: fc.constant("in" as const),
    id: fc.integer({ min: 0, max: 9 }),
    amount: fc.integer({ min: -10, max: 90_000 }),
  }),
  fc.record({
    do: fc.constant("out" as const),
    id: fc.integer({ min: 0, max: 9 }),
    amount: fc.integer({ min: 1, max: 50_000 }),
  }),
  fc.record({
    do: fc.constant("press" as const),
    button: fc.constantFrom("spin", "spin", "spin", "betUp", "betDown", "maxBet", "band:10", "attendant"),
  }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 400 }) }),
  fc.record({
    do: fc.constantFrom("power" as const, "door" as const, "tilt" as const, "clear" as const, "reset" as const),
  }),
);

async function take(it: Trial, todo: typeof step extends fc.Arbitrary<infer Step> ? Step : never): Promise<void> {
  const { egm } = it.machine();
  if (todo.do === "in") await egm.cashIn({ transferId: `t${todo.id}`, amount: todo.amount });
  else if (todo.do === "out") await egm.cashOut({ transferId: `t${todo.id}`, amount: todo.amount });
  else if (todo.do === "press") await egm.press({ button: todo.button });
  else if (todo.do === "wait") it.clock.advance(todo.ms);
  else if (todo.do === "power") await it.powerCycle();
  else if (todo.do === "door") await it.openDoor();
  else if (todo.do === "tilt") await it.tilt();
  else if (todo.do === "reset") await egm.resetHandPay((await egm.meters()).handPays[0]?.id ?? "none");
  else await it.closeDoor().then(() => it.clearTilt());
}

describe("whatever happens", () => {
  test("meters never fall and always balance, and an id moves money once at most", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const it = await trial({ handPayFrom: 3_000 });
        try {
          let before = await it.egm.meters();
          for (const todo of steps) {
            await take(it, todo);
            const meters = await it.machine().egm.meters();
            for (const [name, value] of Object.entries(before.totals)) {
              expect(meters.totals[name as keyof typeof meters.totals]).toBeGreaterThanOrEqual(value);
            }
            expect(meters.gamesPlayed).toBeGreaterThanOrEqual(before.gamesPlayed);
            expect(meters.credit).toBeGreaterThanOrEqual(0);
            expectBalanced(meters);
            before = meters;
          }
          let moved = 0;
          for (let id = 0; id < 10; id += 1) {
            const record = await it.machine().egm.transfer(`t${id}`);
            if (record.state === "done") moved += record.direction === "cashIn" ? record.amount : -record.amount;
          }
          expect(moved).toBe(before.totals.cashInTotal - before.totals.cashOutTotal);
        } finally {
          await it.machine().egm.close();
          await rm(it.folder, { recursive: true, force: true });
        }
      }),
      { numRuns: 40, seed: 20_261_121 },
    );
  });
});

describe("picture and sound", () => {
  test("come only while open, with the machine's meters, capture times and sound of the reels", {
    timeout: 30_000,
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "longarm-source-"));
    const clock = trialClock();
    const machine = await createSimulatedMachine({
      id: "m",
      name: "Nar 01",
      brand: "nar",
      folder,
      seed: "s",
      clock,
    });
    const { source } = paintedPictures({ brand: "nar", minCycleMs: 2_500, timeCode: true }, machine.glass, clock);
    const pictures: VideoFrame[] = [];
    const blocks: { at: number; loud: number }[] = [];
    const sink = {
      video: (picture: VideoFrame) => void pictures.push({ ...picture, data: Uint8Array.from(picture.data) }),
      audio: (block: SoundBlock) =>
        void blocks.push({ at: block.capturedAtMs, loud: Math.max(...block.samples.map(Math.abs)) }),
      ended: () => undefined,
    };
    const open = await source.open(sink);
    await expect(source.open(sink)).rejects.toThrow(/open already/);
    clock.advance(500);
    expect(pictures).toHaveLength(15);
    expect(blocks.every((block) => block.loud === 0)).toBe(true);
    expect(
      blocks
        .map((block) => block.at)
        .slice(1)
        .every((at, n) => at - blocks[n]!.at === 20),
    ).toBe(true);
    await machine.egm.cashIn({ transferId: "in", amount: 50_000 });
    await machine.egm.press({ button: "spin" });
    blocks.length = 0;
    clock.advance(15);
    // What a press changes is not left to the next picture in turn.
    expect(pictures.map(({ outOfTurn }) => outOfTurn)).toEqual([...new Array(15).fill(false), true]);
    clock.advance(385);
    const picture = pictures.at(-1)!;
    const pixels = { data: picture.data, width: picture.width, height: picture.height, layout: "i420" as const };
    expect(readMeters(pixels)).toEqual({ credit: 48_800, bet: 1_200, win: 0 });
    expect(readTimeCode(pixels)).toEqual({ time: Math.floor(picture.capturedAtMs) & 0xffff, marker: true });
    expect(Math.max(...blocks.map((block) => block.loud))).toBeGreaterThan(1_000);
    await open.close();
    const count = pictures.length;
    clock.advance(1_000);
    expect(pictures).toHaveLength(count);
    const still = await source.still();
    expect(still.data).toHaveLength((1_280 * 720 * 3) / 2);
    await machine.close();
    await rm(folder, { recursive: true, force: true });
  });
});

describe("the floor", () => {
  test("has a dozen machines of four brands with names of their own", () => {
    const floor = simulatedFloor();
    expect(floor.map((machine) => machine.name).slice(0, 4)).toEqual(["Nar 01", "Nar 02", "Nar 03", "Kuzey 01"]);
    expect(new Set(floor.map((machine) => machine.id)).size).toBe(12);
    for (const count of [1, 5, 7, 40])
      expect(new Set(simulatedFloor(count).map((machine) => machine.id)).size).toBe(count);
  });
  test("keeps each machine's memory in a folder of its own", async () => {
    const folder = await mkdtemp(join(tmpdir(), "longarm-floor-"));
    const floor = await createSimulatedFloor({ folder, seed: "s", clock: trialClock(), machines: simulatedFloor(4) });
    expect(new Set(floor.map((machine) => machine.egm.description.brand)).size).toBe(4);
    for (const machine of floor) {
      expect((await readFile(join(folder, machine.egm.description.id, "log-0"), "utf8")).length).toBeGreaterThan(0);
      await machine.close();
    }
    await rm(folder, { recursive: true, force: true });
  });
});

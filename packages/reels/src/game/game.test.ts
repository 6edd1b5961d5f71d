import { describe, expect, test } from "vitest";
import { drawGame, outcomeWin } from "./draw.ts";
import { evaluate, linePrize, windowAt } from "./evaluate.ts";
import { randomOf } from "./random.ts";
import { returnsOf } from "./returns.ts";
import type { Role } from "./rules.ts";
import { BONUS_REELS, FREE_SPINS, LINES, REELS, ROWS, SCATTER_PRIZES } from "./rules.ts";
import type { Strip } from "./strips.ts";
import { stripsOf } from "./strips.ts";

const BRANDS = ["nar", "kuzey", "pera", "mercan"];

/** Every combination of stops, the slow and certain way. */
function countAll(strips: readonly Strip[]): { lines: number; scatters: number; spins: number; bonus: number } {
  const sum = { lines: 0, scatters: 0, spins: 0, bonus: 0 };
  let games = 0;
  const walk = (stops: number[]): void => {
    const strip = strips[stops.length];
    if (strip !== undefined) {
      for (let stop = 0; stop < strip.length; stop += 1) walk([...stops, stop]);
      return;
    }
    const result = evaluate(windowAt(strips, stops));
    games += 1;
    sum.lines += result.lineUnits / LINES.length;
    sum.scatters += result.scatterUnits;
    sum.spins += FREE_SPINS[result.scatters - 3] ?? 0;
    sum.bonus += result.bonus ? 1 : 0;
  };
  walk([]);
  return {
    lines: sum.lines / games,
    scatters: sum.scatters / games,
    spins: sum.spins / games,
    bonus: sum.bonus / games,
  };
}

describe("return to player", () => {
  test.each(BRANDS)("of %s is between 94 and 96 %, exactly", (brand) => {
    const returns = returnsOf(stripsOf(brand));
    expect(returns.total).toBeGreaterThan(0.94);
    expect(returns.total).toBeLessThan(0.96);
    expect(returns.total).toBeCloseTo(returnsOf(stripsOf("nar")).total, 12);
  });

  test("agrees with counting every stop of short strips", () => {
    const strips: Strip[] = Array.from({ length: REELS }, (_, reel) => {
      const middle: Role[] = BONUS_REELS.includes(reel) ? ["bonus", "low"] : ["low", "high"];
      return ["scatter", "top", "lowest", ...middle, "lowest"];
    });
    const all = countAll(strips);
    const returns = returnsOf(strips);
    expect(returns.lines).toBeCloseTo(all.lines, 9);
    expect(returns.scatters).toBeCloseTo(all.scatters, 9);
    expect(returns.freeSpins).toBeCloseTo(all.spins * 2 * (all.lines + all.scatters), 9);
    expect(returns.bonus).toBeCloseTo(all.bonus * 3 * 4.25, 9);
  });

  test("is what drawn games pay, within the spread of a fixed seed", () => {
    const strips = stripsOf("nar");
    const { jackpots, total } = returnsOf(strips);
    const games = 60_000;
    let paid = 0;
    for (let game = 1; game <= games; game += 1) paid += outcomeWin(drawGame("fixed", strips, game, 400));
    expect(Math.abs(paid / (games * 400) - (total - jackpots))).toBeLessThan(0.1);
  });
});

describe("lines", () => {
  test("top stands for paying symbols and the best prize counts", () => {
    expect(linePrize(["top", "top", "top", "low", "high"])).toEqual({ count: 3, prize: 40 });
    expect(linePrize(["top", "high", "high", "top", "low"])).toEqual({ count: 4, prize: 50 });
    expect(linePrize(["low", "top", "low", "low", "low"])).toEqual({ count: 5, prize: 40 });
  });
  test("scatter and bonus break a line", () => {
    expect(linePrize(["low", "low", "scatter", "low", "low"]).prize).toBe(0);
    expect(linePrize(["bonus", "bonus", "bonus", "bonus", "bonus"]).prize).toBe(0);
  });
  test("each line has one row per reel and no two are alike", () => {
    expect(new Set(LINES.map((line) => line.join(""))).size).toBe(LINES.length);
    for (const line of LINES) expect(line.every((row) => row >= 0 && row < ROWS)).toBe(true);
  });
});

describe("draws", () => {
  test("repeat for the same seed and number, and differ for others", () => {
    const strips = stripsOf("pera");
    expect(drawGame("a", strips, 7, 400)).toEqual(drawGame("a", strips, 7, 400));
    const others = [drawGame("b", strips, 7, 400), drawGame("a", strips, 8, 400)];
    for (const other of others)
      expect(other.spins[0]?.stops).not.toEqual(drawGame("a", strips, 7, 400).spins[0]?.stops);
  });
  test("bring whole minor units, and as many free spins as the scatters say", () => {
    const strips = stripsOf("kuzey");
    for (let game = 0; game < 3_000; game += 1) {
      const outcome = drawGame("free", strips, game, 200);
      const scatters = outcome.spins[0]?.scatters ?? 0;
      expect(Number.isSafeInteger(outcomeWin(outcome))).toBe(true);
      expect(outcome.spins.length - 1).toBe(scatters >= 3 ? FREE_SPINS[scatters - 3] : 0);
    }
    expect(SCATTER_PRIZES.length).toBe(FREE_SPINS.length);
  });
  test("are even over a range and refuse a bad one", () => {
    const random = randomOf("even", "test");
    const counts = [0, 0, 0, 0, 0, 0, 0];
    for (let n = 0; n < 7_000; n += 1) counts[random.whole(7)]! += 1;
    expect(Math.min(...counts)).toBeGreaterThan(880);
    expect(() => random.whole(0)).toThrow(RangeError);
  });
  test("strips never show two scatters or two bonus symbols at once", () => {
    for (const strip of BRANDS.flatMap((brand) => stripsOf(brand))) {
      for (let stop = 0; stop < strip.length; stop += 1) {
        const shown = [0, 1, 2].map((row) => strip[(stop + row) % strip.length]);
        expect(shown.filter((role) => role === "scatter").length).toBeLessThan(2);
        expect(shown.filter((role) => role === "bonus").length).toBeLessThan(2);
      }
    }
  });
});

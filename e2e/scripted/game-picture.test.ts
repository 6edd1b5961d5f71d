import { expect, test } from "vitest";
import { setUpGameStage } from "./game-stage.ts";

const stage = setUpGameStage();
const SOON = { timeout: 30_000 };

test("R-9-09: the page asks for 30 pictures a second, and pictures, presses and meters come", async () => {
  const { page, playing, methods, presses, finish, complaints } = await stage.openGame();
  await playing();
  expect(methods("init")).toMatchObject([{ framesPerSecond: 30 }]);
  const game = page.locator("main[data-phase]");
  await expect.poll(() => game.getAttribute("data-fps").then(Number), SOON).toBeGreaterThan(0);
  await page.keyboard.press("Space");
  await expect.poll(() => presses.length, SOON).toBe(1);
  finish(500);
  await expect.poll(() => game.getAttribute("data-win"), SOON).toBe("500");
  expect(complaints).toEqual([]);
});

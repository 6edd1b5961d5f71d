import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { setUpGameStage } from "./game-stage.ts";

const stage = setUpGameStage();
const SOON = { timeout: 30_000 };
const DESK = { width: 1440, height: 900 };
const PHONE_ON_ITS_SIDE = { width: 844, height: 390 };

/** Red, green and blue of the middle of an element's first quarter, where the test's camera paints the machine red and the room violet. */
async function colourOf(page: Page, selector: string): Promise<string> {
  return await page.evaluate((found) => {
    const drawn = document.querySelector<HTMLVideoElement | HTMLCanvasElement>(found);
    const pen = new OffscreenCanvas(4, 4).getContext("2d");
    if (drawn === null || pen === null) return "nothing";
    pen.drawImage(drawn, 0, 0, 4, 4);
    const [red = 0, green = 0, blue = 0] = pen.getImageData(0, 0, 1, 1).data;
    if (red > green + 40 && blue > green + 40) return "violet";
    return red > green + 80 && red > blue + 80 ? "red" : "another";
  }, selector);
}

test("players 13 and 14: without frames the last ones stay, darkened, and the room camera says so; a smaller window and back shows it again", {
  tags: ["long"],
}, async () => {
  const game = await stage.openGame({
    window: { ...DESK, language: "en" },
    init: (answer) => {
      answer.webcam = true;
    },
  });
  const { page, camera } = game;
  const room = page.locator("figure[data-corner]");
  await game.playing();
  await expect.poll(() => colourOf(page, "figure video"), SOON).toBe("violet");
  await expect.poll(() => colourOf(page, "main canvas[width='640']"), SOON).toBe("red");

  await camera.hush(true);
  await room.getByText("Camera picture away").waitFor(SOON);
  const kept = page.locator("main canvas[width='640']");
  await expect.poll(() => kept.evaluate((canvas) => getComputedStyle(canvas).opacity), SOON).toBe("0.35");
  expect(await colourOf(page, "main canvas[width='640']")).toBe("red");
  await camera.hush(false);
  await room.getByText("Room camera", { exact: true }).waitFor(SOON);
  await expect.poll(() => kept.evaluate((canvas) => getComputedStyle(canvas).opacity), SOON).toBe("0");

  await page.setViewportSize(PHONE_ON_ITS_SIDE);
  await expect.poll(() => room.count(), SOON).toBe(0);
  await page.setViewportSize(DESK);
  await room.waitFor(SOON);
  await expect.poll(() => colourOf(page, "figure video"), SOON).toBe("violet");
});

test("players 23, 24 and 26: Autoplay's focus ring is round, the stake's plus is at its end, the connection panel fits the window", {
  tags: ["long"],
}, async () => {
  const game = await stage.openGame({ window: { ...DESK, language: "en" } });
  const { page } = game;
  await game.playing();
  const autoplay = page.getByRole("button", { name: "Autoplay" });
  await page.keyboard.press("Tab");
  await autoplay.focus();
  expect(
    await autoplay.evaluate((button) => {
      const face = getComputedStyle(button.querySelector("span") as Element);
      return [getComputedStyle(button).outlineStyle, face.outlineStyle, face.borderRadius];
    }),
  ).toEqual(["none", "solid", "50%"]);

  await page.locator("button[aria-haspopup=dialog][data-quality]").click();
  const sheet = page.getByRole("dialog", { name: "Connection" });
  await sheet.getByText("Picture delay", { exact: true }).first().waitFor(SOON);
  const within = await sheet.evaluate((panel) => {
    const { top, bottom, left, right } = panel.getBoundingClientRect();
    return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
  });
  expect(within).toBe(true);
  await sheet.getByRole("button", { name: "Save for support" }).click({ trial: true });
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached", ...SOON });

  await page.setViewportSize({ width: 390, height: 844 });
  const distance = async (): Promise<number> =>
    await page.getByRole("button", { name: "More", exact: true }).evaluate((plus) => {
      const last = plus.parentElement?.lastElementChild ?? plus;
      const well = plus.parentElement?.getBoundingClientRect();
      return Math.abs((well?.right ?? 0) - last.getBoundingClientRect().right);
    });
  await expect.poll(distance, SOON).toBeLessThan(8);
});

/* No headless browser opens a small window for a video, so the style sheet itself is read. */
test("player 25: while the video is in a small window the browser's own text on it is not shown", {
  tags: ["long"],
}, async () => {
  const sheet = new URL("../../apps/web/src/features/play/view/stage.module.css", import.meta.url);
  expect(await readFile(sheet, "utf8")).toMatch(/\.video:picture-in-picture \{\s*opacity: 0;\s*\}/);
});

/** @module-tag long */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { DESK, PHONE, setUpGameStage } from "./game-stage.ts";

const stage = setUpGameStage();
const SOON = { timeout: 60_000 };
const WIDE = [1_280, 720] as const;

type Box = { x: number; y: number; width: number; height: number };

async function boxOf(place: Locator): Promise<Box> {
  await place.waitFor(SOON);
  const box = await place.boundingBox();
  if (box === null) throw new Error("It is not drawn");
  return box;
}

/** Where the glass begins below the sign of a simulated machine, as a share of its picture (geometry.json: screen.y of 900). */
const SIGN_SHARE = 176 / 900;
/** Left edge of the cabinet in that picture. */
const CABINET_SHARE = 0.16;

async function signEnds(page: Page): Promise<number> {
  const { y, height } = await boxOf(page.locator("[data-started]"));
  return y + height * SIGN_SHARE;
}

/** From now on no press is taken: each brings a message. */
async function refusedPress({ page, script }: Pick<Awaited<ReturnType<typeof stage.openGame>>, "page" | "script">) {
  script("press", ({ seq }: { seq: number }) => ({ ok: { seq, outcome: "refused", at: 0, reason: "broken" } }));
  await page.keyboard.press("Space");
}

test.each(["tr", "en", "ar"] as const)(
  "players 10 and 34: on a phone in %s no message during the game covers the glass or the name",
  async (language) => {
    const game = await stage.openGame({ size: WIDE, window: { ...PHONE, language } });
    const { page, playing, meters, notify, script, close } = game;
    await playing();
    const end = (await signEnds(page)) + 1;
    const bottom = async (place: Locator): Promise<number> => {
      const { y, height } = await boxOf(place);
      return y + height;
    };
    const name = await boxOf(page.locator("h1"));
    await refusedPress(game);
    const message = await boxOf(page.locator("[data-kind]"));
    expect(message.y).toBeGreaterThanOrEqual(name.y + name.height);
    expect(message.y + message.height).toBeLessThanOrEqual(end);
    await page.locator("[data-kind]").waitFor({ state: "detached", ...SOON });
    meters({ freeSpins: 8 });
    expect(await bottom(page.locator("[data-doing=freeSpins]"))).toBeLessThanOrEqual(end);
    meters({ freeSpins: 0 });
    notify("countdown", { code: "CODE_18802", count: 30 });
    expect(await bottom(page.getByRole("timer"))).toBeLessThanOrEqual(end);
    notify("countdown", { code: "CODE_18802", count: 0 });
    script("init", () => undefined);
    close(1012, "restart");
    expect(await bottom(page.locator("[data-missing=connectionLost]"))).toBeLessThanOrEqual(end);
  },
);

test("players 10 and 34: on a desktop messages are beside the machine, below its name", async () => {
  const game = await stage.openGame({ size: WIDE, window: DESK });
  const { page, playing } = game;
  await playing();
  await refusedPress(game);
  const message = await boxOf(page.locator("[data-kind]"));
  const { x, width, height } = await boxOf(page.locator("[data-started]"));
  const picture = (height * 16) / 9;
  const cabinet = x + (width - picture) / 2 + picture * CABINET_SHARE;
  expect(message.x + message.width).toBeLessThanOrEqual(cabinet);
  const name = await boxOf(page.locator("h1"));
  expect(message.y).toBeGreaterThanOrEqual(name.y + name.height);
});

test("player 28: a countdown for a deposit lights the money button, and SPIN stays the one of brass", async () => {
  const { page, playing, notify } = await stage.openGame({ window: DESK });
  await playing();
  notify("countdown", { code: "CODE_18800", count: 42 });
  const money = page.locator("section [data-attention]");
  await money.waitFor(SOON);
  const fill = (place: Locator) => place.evaluate((button) => getComputedStyle(button).backgroundImage);
  // The two shades of brass.
  expect(await fill(money)).not.toMatch(/251, 231, 184|227, 185, 98/);
});

test("player 27: all four edges of rotated video fade", async () => {
  const { page, playing } = await stage.openGame({
    size: WIDE,
    window: DESK,
    init: (answer) => void Object.assign(answer.machine, { showRotateScreenMenu: true }),
  });
  await playing();
  await page.getByRole("button", { name: "Turn the picture" }).click();
  const video = page.locator("[data-turned=true] video");
  await video.waitFor(SOON);
  const { masks, shape } = await video.evaluate((element: HTMLVideoElement) => ({
    masks: getComputedStyle(element).maskImage.split("linear-gradient(").length - 1,
    shape: element.offsetWidth / element.offsetHeight,
  }));
  expect(masks).toBe(2);
  // The element is as large as its picture: it is the picture's own edge that fades.
  expect(shape).toBeCloseTo(16 / 9, 1);
});

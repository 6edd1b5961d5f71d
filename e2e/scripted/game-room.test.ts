import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { GameScene, PlayedGame } from "./game-scene.ts";
import { holdBack } from "./game-scene.ts";
import { PHONE, setUpGameStage } from "./game-stage.ts";

const stage = setUpGameStage();
const SOON = { timeout: 30_000 };
const SHORT = { width: 844, height: 390, language: "en" } as const;
const withRoom: NonNullable<GameScene["init"]> = (answer) => {
  answer.webcam = true;
};
const room = (page: Page) => page.locator("figure[data-corner]");
const CORNERS = ["topStart", "topEnd", "bottomEnd", "bottomStart"];
const corner = (page: Page) => room(page).getAttribute("data-corner");
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** What the newest connection sends, in the order of the offer. */
const sent = async ({ camera }: PlayedGame) => (await camera.connections()).at(-1)?.sends;

/** Every offer of the page, in order. */
const offers = ({ requested }: PlayedGame): string[] =>
  requested.map(({ data }) => data as { offer?: string; sdp?: string }).flatMap(({ offer, sdp }) => offer ?? sdp ?? []);
/** The second video section of an offer, where it has one. */
const roomOf = (sdp: string): string | undefined => sdp.split("\nm=").filter((part) => part.startsWith("video"))[1];

/** The room camera's picture is painted violet. */
async function violet(page: Page): Promise<boolean> {
  return await page.evaluate(() => {
    const video = document.querySelector<HTMLVideoElement>("figure video");
    if (video === null || video.videoWidth === 0) return false;
    const pen = new OffscreenCanvas(4, 4).getContext("2d");
    pen?.drawImage(video, 0, 0, 4, 4);
    const [red = 0, green = 0, blue = 0] = pen?.getImageData(0, 0, 1, 1).data ?? [];
    return red > green + 40 && blue > green + 40;
  });
}

test("R-2.5-15, R-9-22: the room camera is shown beside the machine by default, and follows its video", async () => {
  const game = await stage.openGame({ init: withRoom });
  await game.playing();
  await expect.poll(() => violet(game.page), SOON).toBe(true);
  await expect.poll(() => sent(game)).toEqual(["video", "audio", "video"]);
  // The machine came first: the room rested in the first offer and was asked for afterwards.
  const [first = "", ...later] = offers(game);
  expect(roomOf(first)).toContain("a=inactive");
  expect(later.map(roomOf).join()).toContain("a=recvonly");
  expect(game.complaints).toEqual([]);
});

test("R-2.5-15: with the flag off, or on a machine without one, it is neither requested nor offered", {
  tags: ["long"],
}, async () => {
  const off = await stage.openGame({
    init: withRoom,
    world: ({ settings }) => Object.assign(settings, { showWebcam: false }),
  });
  await off.playing();
  expect(await room(off.page).count()).toBe(0);
  expect(await button(off.page, "Room camera").count()).toBe(0);
  await expect.poll(() => sent(off)).toEqual(["video", "audio"]);
  expect(offers(off).map(roomOf)).not.toContainEqual(expect.anything());
  const without = await stage.openGame();
  await without.playing();
  await button(without.page, "Side bar").waitFor();
  expect(await room(without.page).count()).toBe(0);
  for (const sdp of offers(without)) expect(roomOf(sdp)).toContain("a=inactive");
});

test("closed, it is not sent or decoded any more while the machine plays on; its button opens it again, also on the next visit", {
  tags: ["long"],
}, async () => {
  const game = await stage.openGame({ init: withRoom });
  const { page } = game;
  await game.playing();
  await expect.poll(() => violet(page), SOON).toBe(true);
  await button(page, "Close the room camera").click();
  await expect.poll(() => sent(game), SOON).toEqual(["video", "audio", "inactive"]);
  await expect.poll(() => room(page).count()).toBe(0);
  await page.reload();
  await game.playing();
  await button(page, "Room camera").waitFor();
  expect(await room(page).count()).toBe(0);
  await button(page, "Room camera").click();
  await expect.poll(() => violet(page), SOON).toBe(true);
  await expect.poll(() => page.locator("main").getAttribute("data-live")).toBe("true");
});

describe("in one of four corners", () => {
  test("moves by keyboard and by a tap, in reading direction, and keeps its corner for the next visit", {
    tags: ["long"],
  }, async () => {
    const game = await stage.openGame({ init: withRoom });
    const { page } = game;
    await game.playing();
    await expect.poll(() => corner(page), SOON).toBe("bottomStart");
    await page.getByRole("button", { name: /^Move the room camera, now bottom left$/ }).focus();
    for (const [key, at] of [
      ["ArrowUp", "topStart"],
      ["ArrowRight", "topEnd"],
      ["ArrowDown", "bottomEnd"],
      ["ArrowLeft", "bottomStart"],
      ["Enter", "topStart"],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => corner(page), SOON).toBe(at);
    }
    await room(page).click({ position: { x: 60, y: 60 } });
    await expect.poll(() => corner(page), SOON).toBe("topEnd");
    expect(game.presses).toEqual([]);
    await page.reload();
    await expect.poll(() => corner(page), SOON).toBe("topEnd");
  });

  test.each([
    ["en", 0.9, "bottomEnd"],
    ["ar", 0.05, "bottomEnd"],
    ["ar", 0.9, "bottomStart"],
  ] as const)("dragged in %s to %s of the width it snaps to %s", { tags: ["long"] }, async (language, x, at) => {
    const window = { width: 1440, height: 900, language };
    const { page, playing } = await stage.openGame({ window, init: withRoom });
    await playing();
    const box = (await room(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(box.x + 60, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(window.width * 0.5, window.height * 0.5, { steps: 3 });
    await expect.poll(() => room(page).getAttribute("data-dragging"), SOON).toBe("true");
    await page.mouse.move(window.width * x, window.height * 0.7, { steps: 3 });
    await page.mouse.up();
    await expect.poll(() => corner(page), SOON).toBe(at);
  });
});

/** Pairs of these elements that lie over each other. */
const overlaps = (page: Page, selectors: Readonly<Record<string, string>>) =>
  page.evaluate((wanted) => {
    const found = Object.entries(wanted).flatMap(([name, selector]) => {
      const box = document.querySelector(selector)?.getBoundingClientRect();
      return box === undefined || box.width === 0 ? [] : [{ name, box }];
    });
    return found.flatMap(({ name, box: a }, at) =>
      found.slice(at + 1).flatMap(({ name: other, box: b }) => {
        const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        return apart ? [] : [`${name} and ${other}`];
      }),
    );
  }, selectors);

test.each([
  { width: 1440, height: 900, language: "en" },
  { width: 1440, height: 900, language: "ar" },
  { width: 1024, height: 768, language: "tr" },
  { ...PHONE, language: "en" },
] as const)(
  "at $width x $height in $language no corner lies over the panel of the play session or the key for sound",
  async (window) => {
    const { page, playing } = await stage.openGame({
      ...{ window, init: withRoom },
      prepare: (_, it) => holdBack(it, ["audio"]),
    });
    await playing();
    await page.locator("main [role=status] button").waitFor();
    await room(page).waitFor({ state: "attached" });
    const seen = { panel: "[data-panel]", sound: "[data-middle=false][role=status] button" };
    for (const at of CORNERS) {
      const isHidden = await room(page).evaluate((one, where) => {
        one.dataset["corner"] = where;
        return getComputedStyle(one).visibility === "hidden";
      }, at);
      expect({ at, pairs: await overlaps(page, isHidden ? seen : { ...seen, room: "figure[data-corner]" }) }).toEqual({
        at,
        pairs: [],
      });
    }
  },
);

test("in the hand it is small and touchable; lying down there is no room for it, and nothing of it is sent", {
  tags: ["long"],
}, async () => {
  const upright = await stage.openGame({ window: PHONE, init: withRoom });
  await upright.playing();
  await expect.poll(() => violet(upright.page), SOON).toBe(true);
  const { width, height } = (await room(upright.page).boundingBox()) ?? { width: 0, height: 0 };
  expect([width >= 44, height >= 44, width < 80]).toEqual([true, true, true]);
  await upright.page.setViewportSize(SHORT);
  await expect.poll(() => sent(upright), SOON).toEqual(["video", "audio", "inactive"]);
  await expect.poll(() => room(upright.page).count()).toBe(0);
  await expect.poll(() => button(upright.page, "Room camera").count()).toBe(0);
});

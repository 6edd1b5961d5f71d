import { someOf } from "@longarm/link/testing/whole-run";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { GameScene, PlayedGame } from "./game-scene.ts";
import { DESK, PHONE, setUpGameStage } from "./game-stage.ts";

const stage = setUpGameStage();
const SHORT = { ...PHONE, width: 844, height: 390 } as const;
const SOON = { timeout: 30_000 };
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1";
const IPAD =
  "Mozilla/5.0 (iPad; CPU OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/604.1";
const MAC =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/604.1";

const machineVideo = (page: Page) => page.locator("main video").first();
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const asCamera: NonNullable<GameScene["init"]> = ({ machine }) => Object.assign(machine, { videoType: "camera" });

/** What stands in the middle of a share of the window: the letter of the machine's quarter that the camera page paints. */
async function colourAt({ page, camera }: PlayedGame, x: number, y: number): Promise<string> {
  const { width, height } = page.viewportSize() ?? DESK;
  const clip = { x: Math.round(x * width), y: Math.round(y * height), width: 4, height: 4 };
  const shot = (await page.screenshot({ clip })).toString("base64");
  // The game's own page may fetch nothing but its own.
  return await camera.page.evaluate(async (png) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const pen = new OffscreenCanvas(4, 4).getContext("2d");
    pen?.drawImage(image, 0, 0);
    const [red = 0, green = 0, blue = 0] = pen?.getImageData(1, 1, 1, 1).data ?? [];
    const most = Math.max(red, green, blue);
    if (Math.min(red, green, blue) > most * 0.8) return most > 60 ? "white" : "dark";
    if (most === red) return "red";
    return most === green ? "green" : "blue";
  }, shot);
}

test("R-9-09: the page requests 30 frames a second, and video, presses and meters work", async () => {
  const { page, playing, methods, presses, finish, complaints } = await stage.openGame({
    world: ({ settings }) => void Reflect.deleteProperty(settings, "framesPerSecond"),
  });
  await playing();
  await expect.poll(() => methods("init")).toMatchObject([{ framesPerSecond: 30 }]);
  const game = page.locator("main[data-phase]");
  await expect.poll(() => game.getAttribute("data-fps").then(Number), SOON).toBeGreaterThan(0);
  await page.keyboard.press("Space");
  await expect.poll(() => presses.length, SOON).toBe(1);
  finish(500);
  await expect.poll(() => game.getAttribute("data-win"), SOON).toBe("500");
  expect(complaints).toEqual([]);
});

describe("the screen's own buttons", () => {
  test("R-2.5-01: one button enters and leaves full screen", async () => {
    const { page, playing } = await stage.openGame();
    await playing();
    const whole = () => page.evaluate(() => document.fullscreenElement !== null);
    await button(page, "Full screen").click();
    await expect.poll(whole, SOON).toBe(true);
    await expect.poll(() => button(page, "Full screen").getAttribute("aria-pressed"), SOON).toBe("true");
    await expect
      .poll(async () => {
        // A second press within the throttle's time does nothing.
        if (await whole()) await button(page, "Full screen").click();
        return await whole();
      }, SOON)
      .toBe(false);
  });

  test.each(
    someOf(1, [
      ["an iPhone", IPHONE, 5],
      ["an iPad", IPAD, 5],
      ["an iPad that says it is a Mac", MAC, 5],
    ] as const),
  )("R-2.5-02: %s has no button for full screen", async (_name, userAgent, touchPoints) => {
    const { page, playing } = await stage.openGame({
      window: PHONE,
      prepare: (_, it) => pretend(it, userAgent, touchPoints),
    });
    await playing();
    await button(page, "Side bar").waitFor();
    expect(await button(page, "Full screen").count()).toBe(0);
  });

  test("R-2.5-02: a Mac without a touch screen has it", { tags: ["long"] }, async () => {
    const { page, playing } = await stage.openGame({ prepare: (_, it) => pretend(it, MAC, 0) });
    await playing();
    await button(page, "Full screen").waitFor();
  });

  test("R-2.5-03: the video rotates by a quarter and back, where the flag is on", async () => {
    const game = await stage.openGame({
      init: ({ machine }) => Object.assign(machine, { showRotateScreenMenu: true }),
    });
    const { page, playing } = game;
    await playing();
    const corners = async () => [await colourAt(game, 0.42, 0.3), await colourAt(game, 0.58, 0.3)];
    await expect.poll(corners, SOON).toEqual(["red", "green"]);
    await button(page, "Turn the picture").click();
    // Clockwise: what was on the left below stands on the left above.
    await expect.poll(corners, SOON).toEqual(["blue", "red"]);
    await expect.poll(() => button(page, "Turn the picture").getAttribute("aria-pressed"), SOON).toBe("true");
    await expect
      .poll(async () => {
        if ((await button(page, "Turn the picture").getAttribute("aria-pressed")) === "true")
          await button(page, "Turn the picture").click();
        return await corners();
      }, SOON)
      .toEqual(["red", "green"]);
  });

  test.each(
    someOf(1, [
      ["R-2.5-04: no flag at all", undefined, false, 0],
      ["R-2.5-04: the setting alone offers it", undefined, true, 1],
      ["R-2.5-04: the machine's own word is above the setting", false, true, 0],
      ["R-2.5-04: the machine alone offers it", true, false, 1],
    ] as const),
  )("%s", async (_title, ofMachine, ofSettings, count) => {
    const { page, playing } = await stage.openGame({
      world: ({ settings }) => Object.assign(settings, ofSettings ? { showRotateScreenMenu: true } : {}),
      init: ({ machine }) => Object.assign(machine, ofMachine === undefined ? {} : { showRotateScreenMenu: ofMachine }),
    });
    await playing();
    await expect.poll(() => button(page, "Turn the picture").count()).toBe(count);
  });

  test("R-2.5-05: a camera's video never rotates, with any flag", async () => {
    const { page, playing } = await stage.openGame({
      world: ({ settings }) => Object.assign(settings, { showRotateScreenMenu: true }),
      init: (answer) => {
        asCamera(answer);
        Object.assign(answer.machine, { showRotateScreenMenu: true });
      },
    });
    await playing();
    await button(page, "Full screen").waitFor();
    expect(await button(page, "Turn the picture").count()).toBe(0);
  });
});

test("R-2.5-08: the volume is full at first; slider and button change the audible sound", async () => {
  const { page, playing } = await stage.openGame();
  await playing();
  const sound = () => page.locator("audio").evaluate((audio: HTMLAudioElement) => [audio.volume, audio.muted]);
  await expect.poll(sound, SOON).toEqual([1, false]);
  await button(page, "Side bar").click();
  const slider = page.getByRole("slider", { name: "Volume" });
  await expect.poll(() => slider.inputValue()).toBe("1");
  await slider.fill("0.25");
  await expect.poll(sound, SOON).toEqual([0.25, false]);
  await page.getByRole("complementary").getByRole("button", { name: "Close" }).click();
  await button(page, "Mute").click();
  await expect.poll(sound, SOON).toEqual([0.25, true]);
});

describe("the part of the video that shows the machine", () => {
  test("replaces the whole, undistorted", { tags: ["long"] }, async () => {
    const game = await stage.openGame({
      init: ({ machine }) => Object.assign(machine, { cutScreen: { x: 0.5, y: 0, width: 0.5, height: 0.5 } }),
    });
    await game.playing();
    await expect.poll(() => colourAt(game, 0.4, 0.3), SOON).toBe("green");
    await expect.poll(() => colourAt(game, 0.6, 0.7)).toBe("green");
    const { width, height } = (await machineVideo(game.page).boundingBox()) ?? { width: 0, height: 1 };
    expect(width / height).toBeCloseTo(16 / 9, 1);
  });

  test("on a phone the machine fills the width, and a camera's video is shown whole", { tags: ["long"] }, async () => {
    const fitting = (page: Page) => machineVideo(page).evaluate((video) => getComputedStyle(video).objectFit);
    const screen = await stage.openGame({ window: PHONE });
    await screen.playing();
    await expect.poll(() => fitting(screen.page)).toBe("cover");
    const camera = await stage.openGame({ window: PHONE, init: asCamera });
    await camera.playing();
    await expect.poll(() => fitting(camera.page)).toBe("contain");
    const desk = await stage.openGame();
    await desk.playing();
    await expect.poll(() => fitting(desk.page)).toBe("contain");
  });
});

/** Runs in the page: what of the game's screen the browser has to compute anew with each frame of the video. */
function costsWithEachFrame(): string[] {
  return [...document.querySelectorAll("main, main *")].flatMap((element) => {
    const { backdropFilter, filter, maskImage, opacity } = getComputedStyle(element);
    const holdsFrames = element.matches("video, canvas, :has(video, canvas)");
    const costs = [
      ...(backdropFilter === "none" ? [] : ["backdrop-filter"]),
      ...(holdsFrames && filter !== "none" ? ["filter"] : []),
      ...(holdsFrames && maskImage !== "none" ? ["mask"] : []),
      // 0 is not drawn at all.
      ...(holdsFrames && Number(opacity) > 0 && Number(opacity) < 1 ? ["opacity"] : []),
    ];
    return costs.map((cost) => `${element.tagName} ${element.className}: ${cost}`);
  });
}

describe("the room around the video", () => {
  test.each([DESK, PHONE, SHORT])(
    "at $width x $height nothing of it is computed anew with each frame",
    async (window) => {
      const { page, playing } = await stage.openGame({ window });
      await playing();
      await expect.poll(() => page.evaluate(costsWithEachFrame), SOON).toEqual([]);
    },
  );

  test("has the light of the video's own edges, and is dark without it", async () => {
    const { page, playing } = await stage.openGame();
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await playing();
    const light = (side: string): Promise<string> =>
      machineVideo(page).evaluate((video, name) => getComputedStyle(video).getPropertyValue(name), `--light-${side}`);
    await expect.poll(() => light("left"), SOON).toMatch(/^rgb/);
    await expect.poll(() => light("right"), SOON).toMatch(/^rgb/);
    expect(await light("left")).not.toBe(await light("right"));
    await page.emulateMedia({ reducedMotion: "reduce" });
    await expect.poll(() => light("left"), SOON).toBe("");
  });
});

async function pretend(page: Page, userAgent: string, touchPoints: number): Promise<void> {
  await page.addInitScript(
    ([agent, points]) => {
      Object.defineProperty(Navigator.prototype, "userAgent", { get: () => agent });
      Object.defineProperty(Navigator.prototype, "maxTouchPoints", { get: () => points });
    },
    [userAgent, touchPoints] as const,
  );
}

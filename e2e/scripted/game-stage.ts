import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import type { Browser, Page } from "playwright-core";
import { afterEach, beforeAll, inject } from "vitest";
import type { ScriptedBackEnd } from "./back-end.ts";
import type { Window } from "./browser.ts";
import { closeVisitors, sharedBrowser } from "./browser.ts";
import type { GameScene, PlayedGame } from "./game-scene.ts";
import { GAME_ARGS, openGameScene } from "./game-scene.ts";
import { keptVisitors } from "./kept-visitor.ts";
import type { Place, Played, Scene } from "./scene.ts";
import { DESK as AT_A_DESK, LANGUAGES, openScene, SIZES } from "./scene.ts";

/** Players get 30: without a graphics card most of the time goes into drawing the frames. */
const FRAMES_PER_SECOND = WHOLE_RUN ? 15 : 5;

/** A page that lives for seconds gains nothing from a compiler that pays off in minutes: it took a tenth of the time. */
const SHORT_LIVES = "--js-flags=--no-opt --no-maglev";

/** The game screen on the scripted back end. Once at the top of a file: `const stage = setUpGameStage();`. */
export function setUpGameStage() {
  const stage = setUpStage();
  return {
    ...stage,
    /** Opens one machine at its own address, or another page from where it is entered (`from: "/lobby"`). */
    openGame: (scene: GameScene = {}): Promise<PlayedGame> =>
      openGameScene(stage.place(), {
        ...scene,
        world(opened) {
          opened.settings["framesPerSecond"] = FRAMES_PER_SECOND;
          scene.world?.(opened);
        },
      }),
  };
}

export const DESK = AT_A_DESK;
export const PHONE = { width: 390, height: 844, language: "en" } as const satisfies Window;
/** What a screen is looked at in by the short run: together each size and each language. */
const ONE_WINDOW = {
  desk: { width: 1440, height: 900, language: "en" },
  phone: { width: 390, height: 844, language: "ar" },
  lying: { width: 844, height: 390, language: "tr" },
} as const satisfies Record<string, Window>;

/** Every size in every language by `npm test -- all`; else `short` alone (decision 0129). */
export const everyWindow = (short: keyof typeof ONE_WINDOW): readonly Window[] =>
  WHOLE_RUN
    ? SIZES.flatMap(([width, height]) => LANGUAGES.map((language) => ({ width, height, language })))
    : [ONE_WINDOW[short]];

/**
 * Every `open` is a new visitor with a scripted back end of their own, in a page that was cleared of the visitor before.
 * Call it once at the top of the file: `const stage = setUpStage();`
 */
export function setUpStage(ofAll?: Scene["world"]): {
  open(path: string, scene?: Scene): Promise<Played>;
  /** Where scenes are opened now. */
  place(): Place;
} {
  let browser: Browser;
  const backEnds: ScriptedBackEnd[] = [];
  beforeAll(async () => {
    browser = await sharedBrowser([SHORT_LIVES, ...GAME_ARGS]);
  });
  afterEach(async ({ task }) => {
    await keptVisitors.giveBack(task.result?.state !== "fail");
    await closeVisitors(browser, keptVisitors.isKept);
    for (const backEnd of backEnds.splice(0)) await backEnd.close();
  });

  const place = (): Place => ({
    browser,
    builtWeb: inject("builtWeb"),
    // Drawing what moves took a third of the time, and waiting for its end as much.
    still: !WHOLE_RUN,
    opened: (backEnd) => void backEnds.push(backEnd),
    keptVisitor: () => keptVisitors.take(browser),
  });
  return {
    place,
    open: (path, { world, ...scene } = {}) =>
      openScene(place(), path, {
        ...scene,
        world(opened) {
          ofAll?.(opened);
          world?.(opened);
        },
      }),
  };
}

/** A stage whose operator shows the keys and links that lead to the template (off for players by default), and a footer. */
export const setUpTemplateStage = () =>
  setUpStage(({ settings }) => Object.assign(settings, { showTemplateKeys: true, footerInfo: "Longarm" }));

/** Fills the login form and sends it. */
export async function logIn(page: Page, password = "longarm-demo"): Promise<void> {
  await page.locator("main button").first().click();
  await page.fill("input[name=username]", "deniz.aydin");
  await page.fill("input[name=password]", password);
  await page.click("button[type=submit]");
}

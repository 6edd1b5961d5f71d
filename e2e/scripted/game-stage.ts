import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, inject } from "vitest";
import { WHOLE_RUN } from "../whole-run.ts";
import type { ScriptedBackEnd } from "./back-end.ts";
import type { Window } from "./browser.ts";
import { openBrowser } from "./browser.ts";
import type { GameScene, PlayedGame } from "./game-scene.ts";
import { GAME_ARGS, openGameScene } from "./game-scene.ts";
import type { Place, Played, Scene } from "./scene.ts";
import { DESK as AT_A_DESK, LANGUAGES, openScene, SIZES } from "./scene.ts";

/** The game screen on the scripted back end. Once at the top of a file: `const stage = setUpGameStage();`. */
export function setUpGameStage() {
  const stage = setUpStage(GAME_ARGS);
  return {
    ...stage,
    /** Opens one machine at its own address, or another page from where it is entered (`from: "/lobby"`). */
    openGame: (scene: GameScene = {}): Promise<PlayedGame> => openGameScene(stage.place(), scene),
  };
}

export const DESK = AT_A_DESK;
export const PHONE = { width: 390, height: 844, language: "en" } as const satisfies Window;
/**
 * What each screen is looked at in. By `npm test -- all` every size in every language; else three windows in which each size and each
 * language comes up once (decision 0118).
 */
export const EVERY_WINDOW: readonly Window[] = SIZES.flatMap(([width, height], size) =>
  LANGUAGES.filter((_, language) => WHOLE_RUN || language === (size + 1) % LANGUAGES.length).map((language) => ({
    ...{ width, height, language },
  })),
);

/** A page that lives for seconds gains nothing from a compiler that pays off in minutes: it took a tenth of the time. */
const SHORT_LIVES = ["--js-flags=--no-opt --no-maglev"];

/**
 * A browser for the tests of a file; every `open` is a fresh visitor with a scripted back end of their own.
 * Call it once at the top of the file: `const stage = setUpStage();`
 */
export function setUpStage(
  browserArgs: readonly string[] = [],
  ofAll?: Scene["world"],
): {
  open(path: string, scene?: Scene): Promise<Played>;
  /** Where scenes are opened now. */
  place(): Place;
} {
  let browser: Browser;
  const backEnds: ScriptedBackEnd[] = [];
  beforeAll(async () => {
    browser = await openBrowser([...SHORT_LIVES, ...browserArgs]);
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    for (const backEnd of backEnds.splice(0)) await backEnd.close();
  });
  afterAll(() => browser?.close());

  const place = (): Place => ({
    browser,
    builtWeb: inject("builtWeb"),
    opened: (backEnd) => void backEnds.push(backEnd),
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
  setUpStage([], ({ settings }) => Object.assign(settings, { showTemplateKeys: true, footerInfo: "Longarm" }));

/** Fills the login form and sends it. */
export async function logIn(page: Page, password = "longarm-demo"): Promise<void> {
  await page.locator("main button").first().click();
  await page.fill("input[name=username]", "deniz.aydin");
  await page.fill("input[name=password]", password);
  await page.click("button[type=submit]");
}

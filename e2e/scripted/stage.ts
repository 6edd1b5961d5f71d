import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, inject } from "vitest";
import type { ScriptedBackEnd } from "./back-end.ts";
import type { Window } from "./browser.ts";
import { openBrowser } from "./browser.ts";
import type { Place, Played, Scene } from "./scene.ts";
import { DESK as AT_A_DESK, LANGUAGES, openScene, SIZES } from "./scene.ts";

export const DESK = AT_A_DESK;
export const PHONE = { width: 390, height: 844, language: "en" } as const satisfies Window;
/** Every size in every language: what each screen is looked at in. */
export const EVERY_WINDOW: readonly Window[] = SIZES.flatMap(([width, height]) =>
  LANGUAGES.map((language) => ({ width, height, language })),
);

/**
 * A browser for the tests of a file; every `open` is a fresh visitor with a scripted back end of their own.
 * Call it once at the top of the file: `const stage = setUpStage();`
 */
export function setUpStage(browserArgs: readonly string[] = []): {
  open(path: string, scene?: Scene): Promise<Played>;
  /** Where scenes are opened now. */
  place(): Place;
} {
  let browser: Browser;
  const backEnds: ScriptedBackEnd[] = [];
  beforeAll(async () => {
    browser = await openBrowser(browserArgs);
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
  return { place, open: (path, scene = {}) => openScene(place(), path, scene) };
}

/** Fills the login form and sends it. */
export async function logIn(page: Page, password = "longarm-demo"): Promise<void> {
  await page.locator("main button").first().click();
  await page.fill("input[name=username]", "deniz.aydin");
  await page.fill("input[name=password]", password);
  await page.click("button[type=submit]");
}

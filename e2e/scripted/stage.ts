import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, inject } from "vitest";
import type { ScriptedBackEnd } from "./back-end.ts";
import { startScriptedBackEnd } from "./back-end.ts";
import type { Window } from "./browser.ts";
import { openBrowser, visit } from "./browser.ts";
import type { World } from "./world.ts";
import { scriptedWorld } from "./world.ts";

export const DESK = { width: 1440, height: 900, language: "en" } as const satisfies Window;
export const PHONE = { width: 390, height: 844, language: "en" } as const satisfies Window;
const SIZES = [
  [1440, 900],
  [390, 844],
  [844, 390],
] as const;
/** Every size in every language: what each screen is looked at in. */
export const EVERY_WINDOW: readonly Window[] = SIZES.flatMap(([width, height]) =>
  (["tr", "en", "ar"] as const).map((language) => ({ width, height, language })),
);

export type Scene = {
  readonly window?: Window;
  /** Changes the world before the page is opened. */
  readonly world?: (world: World) => void;
  /** Opens as a guest; without it the page is signed in by the token in its address. */
  readonly guest?: true;
  /** A fake clock that starts now: move it with `page.clock`. */
  readonly clock?: true;
  /** Before the page loads: routes, init scripts, scripted answers. */
  readonly before?: (page: Page, backEnd: ScriptedBackEnd) => unknown;
};
export type Played = {
  readonly page: Page;
  readonly backEnd: ScriptedBackEnd;
  /** Whatever the page wrote to its console or threw. */
  readonly complaints: string[];
  /** Path and query of the page now. */
  path(): string;
};

/**
 * A browser for the tests of a file; every `open` is a fresh visitor with a scripted back end of their own.
 * Call it once at the top of the file: `const stage = setUpStage();`
 */
export function setUpStage(browserArgs: readonly string[] = []): {
  open(path: string, scene?: Scene): Promise<Played>;
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

  return {
    async open(path, { window = DESK, world: change, guest, clock, before } = {}) {
      const world = scriptedWorld(Date.now() + 600_000);
      change?.(world);
      const backEnd = await startScriptedBackEnd(world, inject("builtWeb"), Math.floor(Date.now() / 1000) + 36_000);
      backEnds.push(backEnd);
      const { page, complaints } = await visit(browser, window);
      if (clock) await page.clock.install({ time: Date.now() });
      await before?.(page, backEnd);
      const address = new URL(path, backEnd.url);
      if (!guest) address.searchParams.set("token", backEnd.token);
      await page.goto(address.href);
      return { page, backEnd, complaints, path: () => page.url().slice(backEnd.url.length) };
    },
  };
}

/** Fills the login form and sends it. */
export async function logIn(page: Page, password = "longarm-demo"): Promise<void> {
  await page.locator("main button").first().click();
  await page.fill("input[name=username]", "deniz.aydin");
  await page.fill("input[name=password]", password);
  await page.click("button[type=submit]");
}

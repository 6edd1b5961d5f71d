import type { Browser, Page } from "playwright-core";
import type { ScriptedBackEnd } from "./back-end.ts";
import { startScriptedBackEnd } from "./back-end.ts";
import type { Window } from "./browser.ts";
import { arrive, openContext } from "./browser.ts";
import type { KeptVisitor } from "./kept-visitor.ts";
import type { World } from "./world.ts";
import { scriptedWorld } from "./world.ts";

/** The sizes that each screen is looked at in: a desk, a phone upright and lying. */
export const SIZES = [
  [1440, 900],
  [390, 844],
  [844, 390],
] as const;
export const LANGUAGES = ["tr", "en", "ar"] as const;
export const DESK = { width: 1440, height: 900, language: "en" } as const satisfies Window;

export type Scene = {
  readonly window?: Window;
  /** Changes the world before the page is opened. */
  readonly world?: (world: World) => void;
  /** Opens as a guest; without it the page is signed in by the token in its address. */
  readonly guest?: true;
  /** A fake clock that starts now: move it with `page.clock`. */
  readonly clock?: true;
  /** A browser that was never here, for a test of how the page loads. */
  readonly fresh?: true;
  /** Motion is part of the test, on a stage that is still otherwise. */
  readonly moves?: boolean;
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

/** A new visitor with a scripted back end of their own. `opened` gets the back end: the caller closes it, and the page's context. */
export async function openScene(
  { browser, builtWeb, still = false, opened, keptVisitor }: Place,
  path: string,
  { window = DESK, world: change, guest, clock, fresh, moves = false, before }: Scene,
): Promise<Played> {
  const world = scriptedWorld(Date.now() + 600_000);
  change?.(world);
  // A browser's fake clock cannot be taken away again.
  const kept = clock || fresh ? undefined : await keptVisitor?.();
  const backEnd = await startScriptedBackEnd(world, builtWeb, Math.floor(Date.now() / 1000) + 36_000, kept?.door);
  opened(backEnd);
  const page = kept?.page ?? (await (await openContext(browser)).newPage());
  const complaints = await arrive(page, window, still && !moves);
  if (clock) await page.clock.install({ time: Date.now() });
  await before?.(page, backEnd);
  const address = new URL(path, backEnd.url);
  if (!guest) address.searchParams.set("token", backEnd.token);
  await page.goto(address.href);
  return { page, backEnd, complaints, path: () => page.url().slice(backEnd.url.length) };
}

/** Where a scene is opened. */
export type Place = {
  readonly browser: Browser;
  /** The folder of the built web. */
  readonly builtWeb: string;
  /** Its visitors want nothing to move. Default false. */
  readonly still?: boolean;
  readonly opened: (backEnd: ScriptedBackEnd) => void;
  /** A page for a visitor who need not be the browser's first one. Default: every visitor is. */
  readonly keptVisitor?: () => Promise<KeptVisitor>;
};

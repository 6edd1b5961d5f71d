import type { Browser, BrowserContext, Page } from "playwright-core";
import { DEMO_PLAYERS } from "../../../launcher/seed.ts";
import type { TextLanguage } from "../../../rig/page/game-page.ts";
import { logIn, playing } from "../../../rig/page/game-page.ts";
import { runLongarm } from "../../../rig/venue/staff.ts";
import type { TestVenue } from "../../../rig/venue/test-venue.ts";
import { DESK } from "../../scripted/scene.ts";
import type { addHold } from "../hold.ts";

export const MACHINE = "nar-01";

/** A browser at a real venue. */
export type RealGame = {
  readonly page: Page;
  readonly venue: TestVenue;
  /** Runs staff's command line; throws what it complains of. */
  staff(...args: string[]): Promise<void>;
  /** Takes the seat, and waits for the picture. */
  sitDown(): Promise<void>;
  end(): Promise<void>;
};

/** `watching`: the second player, who looks on while the first one plays on a page of their own. */
export type RealScene = { readonly watching?: true };

type Wanted = { readonly browser: Browser; readonly venue: TestVenue; readonly language: TextLanguage };

export async function openRealGame(
  { browser, venue, language }: Wanted,
  { watching }: RealScene,
  prepare: typeof addHold,
): Promise<RealGame> {
  const contexts: BrowserContext[] = [];
  const end = async (): Promise<void> => {
    for (const context of contexts.splice(0)) await context.close();
  };
  const [first, second] = DEMO_PLAYERS as [(typeof DEMO_PLAYERS)[0], (typeof DEMO_PLAYERS)[0]];

  async function arrive(player: typeof first): Promise<Page> {
    const { width, height } = DESK;
    const context = await browser.newContext({ viewport: { width, height } });
    contexts.push(context);
    await context.addInitScript((spoken) => {
      if (location.protocol.startsWith("http")) localStorage.setItem("longarm.language", spoken);
    }, language);
    const page = await context.newPage();
    await prepare(page);
    await logIn(page, venue.href, player);
    return page;
  }

  async function sitDown(page: Page): Promise<void> {
    await page.goto(`${venue.href}/game/${MACHINE}/-`);
    await playing(page);
    await page.locator("h1").first().click();
  }

  try {
    const player = await arrive(first);
    if (watching) await sitDown(player);
    const page = watching ? await arrive(second) : player;
    return {
      page,
      venue,
      async staff(...args) {
        const { code, complained } = await runLongarm(venue, args);
        if (code !== 0) throw new Error(complained.join(" "));
      },
      sitDown: () => sitDown(page),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** @module-tag long */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { cashIn, GAME, gameOver, leave, logIn, metersOnPage, playTexts, sitDown } from "../../rig/page/game-page.ts";
import type { Visitor } from "../../rig/page/visitor.ts";
import { arrive, PHONE } from "../../rig/page/visitor.ts";
import { DENIZ } from "../../rig/player.ts";
import { longarm } from "../../rig/venue/staff.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { openTestVenue } from "../../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "../scripted/browser.ts";

/* A machine that fails under its player: the player stays, sees why, and plays on once it is repaired. */

const SLOW = { timeout: 120_000 };
const SOON = { timeout: 60_000, interval: 100 };
const MACHINE = "nar-01";
let venue: TestVenue;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 1 });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});
beforeEach(async () => {
  visitor = await arrive(browser, PHONE, "tr");
  ({ page } = visitor);
  await logIn(page, venue.href, DENIZ);
  await sitDown(page, MACHINE);
  await cashIn(page, 500, "tr");
});
afterEach(async () => {
  await leave(page, "tr");
  await visitor.context.close();
  await expect.poll(() => venue.ledger.verify(), SOON).toEqual([]);
  expect(await venue.ask("select count(*)::int as answer from discrepancy")).toBe(0);
});

const simulate = (what: string) => longarm(venue, "simulate", MACHINE, what);
const missing = (is: string) => page.locator(`[data-missing="${is}"]`);

async function plays(): Promise<void> {
  const { gamesPlayed } = await metersOnPage(page);
  await expect
    .poll(async () => {
      const key = page.locator("[data-spin][data-state=ready]");
      await key.click({ timeout: 1_000 }).catch(() => undefined);
      return (await metersOnPage(page)).gamesPlayed;
    }, SOON)
    .toBeGreaterThan(gamesPlayed);
  await gameOver(page, gamesPlayed);
}

test.each([
  ["door", "door", "door"],
  ["tilt", "tilt", "tilt"],
  ["offline", "machineAway", "machineAway"],
] as const)(
  "%s under a player: the game stays with its sentence and every credit, and continues after the repair",
  async (what, is, text) => {
    await plays();
    const { credit } = await metersOnPage(page);
    await simulate(what);
    await missing(is)
      .getByText(playTexts("tr")[text] ?? "", { exact: true })
      .waitFor(SLOW);
    await simulate("repair");
    await missing(is).waitFor({ ...SLOW, state: "detached" });
    expect(new URL(page.url()).pathname).toMatch(/^\/game\//);
    await page.locator(`${GAME}[data-online=true][data-live=true]`).waitFor(SLOW);
    expect(await metersOnPage(page)).toMatchObject({ credit });
    await plays();
  },
);

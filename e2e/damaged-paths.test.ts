/** @module-tag long */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../rig/chance.ts";
import type { DamagedPath, MediaPath } from "../rig/faults/media-path.ts";
import { damagePath } from "../rig/faults/media-path.ts";
import { CLEAN, LOSSY, NARROW } from "../rig/faults/udp-relay.ts";
import { cashIn, GAME, leave, logIn, metersOnPage, playGame, sitDown } from "../rig/page/game-page.ts";
import { metersInPicture } from "../rig/page/machine-frame.ts";
import type { Visitor } from "../rig/page/visitor.ts";
import { arrive, DESK, frameGaps, mediaFacts } from "../rig/page/visitor.ts";
import { DENIZ } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* The way between browser and agent is damaged by a relay of the tests' own; the player plays on. */

const SOON = { timeout: 60_000, interval: 200 };
const MACHINE = "nar-01";
let venue: TestVenue;
let browser: Browser;
let visitor: Visitor | undefined;
let path: DamagedPath | undefined;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, everyPicture: true, machines: 1 });
  browser = await sharedBrowser();
});
afterEach(async () => {
  await visitor?.context.close();
  path?.close();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

/** Sits down over a damaged way, with credit. */
async function sitOver(damage: MediaPath): Promise<Page> {
  visitor = await arrive(browser, DESK, "tr");
  const { page } = visitor;
  path = await damagePath(page, damage, seededRandom("damage"));
  await logIn(page, venue.href, DENIZ);
  await sitDown(page, MACHINE);
  await cashIn(page, 500, "tr");
  return page;
}

/** Games are played, and the picture shows what they came to. */
async function playsGames(page: Page, games: number): Promise<void> {
  for (let game = 0; game < games; game += 1) {
    await playGame(page);
    await frameGaps(page, 30);
  }
  await expect
    .poll(async () => (await metersInPicture(page)).credit === (await metersOnPage(page)).credit, SOON)
    .toBe(true);
  await expect.poll(() => page.locator(GAME).getAttribute("data-live"), SOON).toBe("true");
}

async function damageOf(): Promise<{ passed: number; lost: number; overflowed: number }> {
  const counts = (await path!.relays()).map(({ toBrowser }) => toBrowser);
  const sum = (of: "passed" | "lost" | "overflowed") => counts.reduce((all, count) => all + count[of], 0);
  return { passed: sum("passed"), lost: sum("lost"), overflowed: sum("overflowed") };
}

test("with UDP blocked the picture comes over TCP", async () => {
  const page = await sitOver("tcp only");
  await expect.poll(async () => (await mediaFacts(page)).protocol, SOON).toBe("tcp");
  await playsGames(page, 2);
  await leave(page, "tr");
});

test("with 3 % lost and 40 ms each way it plays on", async () => {
  const page = await sitOver(LOSSY);
  await expect.poll(async () => (await mediaFacts(page)).protocol, SOON).toBe("udp");
  await playsGames(page, 3);
  const { passed, lost } = await damageOf();
  expect(lost).toBeGreaterThan(passed * 0.01);
  await leave(page, "tr");
});

test("after a cut of some seconds the picture comes back to the same seat, with every credit", async () => {
  const page = await sitOver(CLEAN);
  await playsGames(page, 1);
  const before = await metersOnPage(page);
  await path!.cut(true);
  await page.locator(`${GAME}[data-live=false]`).waitFor({ timeout: 60_000 });
  await page.locator("[data-missing=connectionLost]").waitFor({ timeout: 60_000 });
  await page.locator('[data-spin][data-state="unfair"]').waitFor({ timeout: 60_000 });
  await path!.cut(false);
  await page.locator(`${GAME}[data-live=true]`).waitFor({ timeout: 60_000 });
  expect(await metersOnPage(page)).toMatchObject({ credit: before.credit, gamesPlayed: before.gamesPlayed });
  await playsGames(page, 2);
  await leave(page, "tr");
});

test("UDP that is closed in the middle of a game is left for TCP, and taken again once it is open", {}, async () => {
  const page = await sitOver("tcp too");
  await expect.poll(async () => (await mediaFacts(page)).protocol, SOON).toBe("udp");
  await path!.cut(true);
  await page.locator(`${GAME}[data-live=false]`).waitFor({ timeout: 60_000 });
  await expect.poll(async () => (await mediaFacts(page)).protocol, SOON).toBe("tcp");
  await page.locator(`${GAME}[data-live=true]`).waitFor({ timeout: 60_000 });
  await playsGames(page, 1);
  await path!.cut(false);
  // The page gets the event that its network changed; by itself it would try UDP after half a minute.
  await expect
    .poll(
      async () => {
        await page.evaluate(() => dispatchEvent(new Event("online")));
        return (await mediaFacts(page)).protocol;
      },
      { timeout: 60_000, interval: 4_000 },
    )
    .toBe("udp");
  await playsGames(page, 1);
  await leave(page, "tr");
});

test("at 1.5 Mbit/s it settles and plays on", async () => {
  const page = await sitOver(NARROW);
  await playsGames(page, 2);
  // Settled: for two seconds of pictures nearly everything that is sent fits.
  await expect
    .poll(async () => {
      const before = await damageOf();
      await frameGaps(page, 60);
      const after = await damageOf();
      return (after.overflowed - before.overflowed) / (after.passed - before.passed);
    }, SOON)
    .toBeLessThan(0.02);
  await playsGames(page, 2);
  await leave(page, "tr");
});

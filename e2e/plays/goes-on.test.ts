/** @module-tag long */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { seededRandom } from "../../rig/chance.ts";
import type { DamagedPath } from "../../rig/faults/media-path.ts";
import { damagePath } from "../../rig/faults/media-path.ts";
import { CLEAN } from "../../rig/faults/udp-relay.ts";
import {
  cashIn,
  GAME,
  gameOver,
  leave,
  logIn,
  metersOnPage,
  playGame,
  playing,
  sitDown,
} from "../../rig/page/game-page.ts";
import { metersInPicture } from "../../rig/page/machine-frame.ts";
import type { Visitor } from "../../rig/page/visitor.ts";
import { arrive, DESK, dropGameSocket, frameGaps } from "../../rig/page/visitor.ts";
import { DENIZ } from "../../rig/player.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { openTestVenue } from "../../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "../scripted/browser.ts";

/* What happens around a game must not end it: another network, a reload in the middle of a spin, a platform that is killed. */

const SOON = { timeout: 60_000, interval: 100 };
const MACHINE = "nar-01";
let venue: TestVenue;
let browser: Browser;
let visitor: Visitor;
let page: Page;
let path: DamagedPath;
/** The play session that the test began with. */
let sat: unknown;

const openSession = () => venue.ask("select id as answer from play_session where ended_at is null");
/** Games that the venue has booked for the play session. */
const booked = () => venue.ask(`select games as answer from play_session where id = '${sat}'`);

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 1 });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});
beforeEach(async () => {
  visitor = await arrive(browser, DESK, "tr");
  ({ page } = visitor);
  path = await damagePath(page, CLEAN, seededRandom("goes on"));
  await logIn(page, venue.href, DENIZ);
  await sitDown(page, MACHINE);
  await cashIn(page, 500, "tr");
  sat = await openSession();
});
afterEach(async () => {
  await visitor.context.close();
  path.close();
});

/** The same seat, the same play session, and glass and page agree on the money. */
async function playsOn(): Promise<void> {
  await playing(page);
  await frameGaps(page, 10);
  expect(new URL(page.url()).pathname).toMatch(/^\/game\//);
  expect(await openSession()).toBe(sat);
  await playGame(page);
  await expect
    .poll(async () => (await metersInPicture(page)).credit === (await metersOnPage(page)).credit, SOON)
    .toBe(true);
}

test("another network: the way to the agent dies and the socket drops; the picture comes by a new way to the same seat", async () => {
  await playGame(page);
  const { credit, gamesPlayed } = await metersOnPage(page);
  await path.move();
  await dropGameSocket(page);
  await page.locator(`${GAME}[data-online=true][data-live=true]`).waitFor({ timeout: 60_000 });
  await frameGaps(page, 10);
  expect(await metersOnPage(page)).toMatchObject({ credit, gamesPlayed });
  expect((await path.relays()).some(({ toBrowser }) => toBrowser.passed > 0)).toBe(true);
  await playsOn();
  await leave(page, "tr");
});

test("a reload in the middle of a spin: its result is in the meters and in the history", async () => {
  const { credit, bet, gamesPlayed } = await metersOnPage(page);
  const key = page.locator("main[data-turning=false] [data-spin][data-state=ready]");
  // The machine has taken the press: a page that is gone before has pressed nothing. One that came too late is made again.
  await expect
    .poll(async () => {
      const now = await metersOnPage(page);
      if (now.credit !== credit || now.gamesPlayed > gamesPlayed) return true;
      if ((await key.count()) > 0) await key.click({ timeout: 1_000 }).catch(() => {});
      return false;
    }, SOON)
    .toBe(true);
  await page.reload();
  await playing(page);
  await gameOver(page, gamesPlayed);
  const { credit: after, win } = await metersOnPage(page);
  expect(after).toBe(credit - bet + win);
  await expect.poll(booked, SOON).toBe(1);
  expect(await venue.ask(`select net::int as answer from play_session where id = '${sat}'`)).toBe(win - bet);
  await playsOn();
  await leave(page, "tr");
});

test("the platform is killed: picture and presses continue meanwhile, and their games are in the history afterwards", async () => {
  const { gamesPlayed } = await metersOnPage(page);
  await venue.platform.kill();
  await page.locator(`${GAME}[data-online=false]`).waitFor();
  await frameGaps(page, 30);
  await expect.poll(async () => (await metersInPicture(page)).credit, SOON).not.toBe(null);
  const { credit } = await metersInPicture(page);
  // The meters cannot be read; the glass shows the game. On a busy computer a press may come too late, and is made again.
  await expect
    .poll(async () => {
      const now = (await metersInPicture(page)).credit;
      if (now === credit && (await page.locator(`${GAME}[data-turning=false]`).count()) > 0)
        await page.locator("[data-spin]").click();
      return now !== null && now !== credit;
    }, SOON)
    .toBe(true);
  expect(await page.locator(GAME).getAttribute("data-online")).toBe("false");
  expect((await metersOnPage(page)).gamesPlayed).toBe(gamesPlayed);

  await venue.platform.restart();
  await page.locator(`${GAME}[data-online=true]`).waitFor({ timeout: 60_000 });
  await gameOver(page, gamesPlayed);
  // A press that was made again may have begun a second game: the page and the history count the same games in the end.
  const played = async () => (await metersOnPage(page)).gamesPlayed - gamesPlayed;
  await expect.poll(async () => (await booked()) === (await played()), SOON).toBe(true);
  expect(await played()).toBeGreaterThan(0);
  await playsOn();
  await leave(page, "tr");
  expect(await venue.ledger.verify()).toEqual([]);
});

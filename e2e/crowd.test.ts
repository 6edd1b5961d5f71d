import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WhepServer } from "../rig/media-server/whep-server.ts";
import { openWhepServer } from "../rig/media-server/whep-server.ts";
import { playing } from "../rig/page/game-page.ts";
import { arrive, DESK, PHONE } from "../rig/page/visitor.ts";
import { DENIZ, ELIF, signIn } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* More watch than the agent has places for: the page watches at the operator's media server, and at the agent again when that fails. */

const SOON = { timeout: 60_000, interval: 100 };
const MACHINE = "nar-01";
let mediaServer: WhepServer;
let venue: TestVenue;
let browser: Browser;

beforeAll(async () => {
  mediaServer = await openWhepServer();
  const platformEnv = { NO_DEPOSIT_MS: "900000", CROWD_WHEP: mediaServer.whep, SPECTATORS_MAX: "1" };
  venue = await openTestVenue({ web: true, machines: 1, platformEnv });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
  await mediaServer?.close();
});

const rows = (where: string) => venue.ask(`select count(*)::int as answer from watcher where ${where}`);
const shown = (page: Page) =>
  page
    .locator("video")
    .first()
    .evaluate((video: HTMLVideoElement) => video.getVideoPlaybackQuality().totalVideoFrames);
const plays = async (page: Page): Promise<void> => {
  const before = await shown(page);
  await expect.poll(() => shown(page), SOON).toBeGreaterThan(before + 5);
};

test("the second spectator watches at the media server, comes to the agent when that fails, and leaves no watch behind", async () => {
  const [deniz, elif] = [await signIn(venue.href, DENIZ), await signIn(venue.href, ELIF)];
  const [third] = await venue.addPlayers("third", 1, 100);
  if (third === undefined) throw new Error("the venue added no player");
  const other = await signIn(venue.href, third);
  const player = await arrive(browser, DESK, "en");
  await player.page.goto(`${venue.href}/game/${MACHINE}/-?token=${deniz.token}`);
  await playing(player.page);

  const watch = async (token: string) => {
    const visitor = await arrive(browser, PHONE, "en");
    await visitor.page.goto(`${venue.href}/watch/${MACHINE}/-?token=${token}`);
    await visitor.page
      .locator("main[data-phase=playing][data-live=true] [data-started=true]")
      .waitFor({ timeout: 60_000 });
    await plays(visitor.page);
    return visitor;
  };
  const first = await watch(elif.token);
  expect(mediaServer.requests).toEqual([]);
  const second = await watch(other.token);
  expect(mediaServer.requests).toEqual([`POST /${MACHINE}/whep`]);
  expect([mediaServer.watching(), await rows("crowd"), await rows("not crowd")]).toEqual([1, 1, 1]);
  // The player sees both.
  await player.page.getByRole("img", { name: "2 watching" }).waitFor(SOON);

  // The agent's place is taken: the page keeps trying.
  await mediaServer.fail(true);
  await second.page.locator("main[data-live=false]").waitFor({ timeout: 60_000 });
  await first.context.close();
  await second.page.locator("main[data-live=true]").waitFor({ timeout: 60_000 });
  await plays(second.page);
  await expect.poll(() => rows("not crowd"), SOON).toBe(1);
  expect(await rows("crowd")).toBe(0);

  // The agent's place is taken again, and the media server is back: the next one watches there, and ends it.
  await mediaServer.fail(false);
  const next = await watch(elif.token);
  expect(mediaServer.watching()).toBe(1);
  await next.page.getByRole("button", { name: "Back to lobby" }).first().click(SOON);
  await expect.poll(() => mediaServer.requests.at(-1), SOON).toMatch(/^DELETE /);
  await expect.poll(() => mediaServer.watching(), SOON).toBe(0);
  // What the browser itself writes about the server that failed is no complaint of the page.
  expect(next.complaints).toEqual([]);
  expect(player.complaints).toEqual([]);
});

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cashIn, GAME, leave, playGame, playing } from "../rig/page/game-page.ts";
import { arrive, DESK, PHONE } from "../rig/page/visitor.ts";
import type { Player } from "../rig/player.ts";
import { DENIZ, ELIF, signIn } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* Somebody watches a machine while another plays it, on the real venue: from the lobby to the free seat. */

const SOON = { timeout: 60_000, interval: 100 };
const MACHINE = "nar-01";
let venue: TestVenue;
let browser: Browser;
let deniz: Player;
let elif: Player;

beforeAll(async () => {
  // No viewer is refused because the computer of the test is slow.
  const platformEnv = { NO_DEPOSIT_MS: "900000", IDLE_MS: "900000" };
  venue = await openTestVenue({ web: true, machines: 1, platformEnv });
  deniz = await signIn(venue.href, DENIZ);
  elif = await signIn(venue.href, ELIF);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

const watched = (page: Page) =>
  page.locator("main[data-phase=playing][data-live=true] [data-started=true]").waitFor({ timeout: 60_000 });
const shown = (page: Page) =>
  page
    .locator("video")
    .first()
    .evaluate((video: HTMLVideoElement) => video.getVideoPlaybackQuality().totalVideoFrames);

test("a spectator sees the game that another plays, and takes the seat when it is free", async () => {
  const player = await arrive(browser, DESK, "en");
  await player.page.goto(`${venue.href}/game/${MACHINE}/-?token=${deniz.token}`);
  await playing(player.page);
  await cashIn(player.page, 500, "en");

  const spectator = await arrive(browser, PHONE, "en");
  await spectator.page.goto(`${venue.href}/lobby?token=${elif.token}`);
  await spectator.page.locator(`[data-machine="${MACHINE}"][data-lamp=playing] a`).click(SOON);
  // On a phone the card opens a sheet with the queue and the way to watch, once that has loaded; before it leads to the game at once.
  const watch = spectator.page.getByRole("dialog").getByRole("button", { name: "Watch" });
  await watch.or(spectator.page.locator(GAME)).first().waitFor(SOON);
  if (await watch.isVisible()) await watch.click(SOON);
  await watched(spectator.page);
  await player.page.getByRole("img", { name: "1 watching" }).waitFor(SOON);
  await spectator.page.getByRole("img", { name: "1 watching" }).waitFor(SOON);
  expect(await spectator.page.getByText("₺").count()).toBe(0);

  // Both see the same game; the player's is not affected.
  const game = player.page.locator(GAME);
  await playGame(player.page, () => player.page.keyboard.press("Space"));
  const before = await shown(spectator.page);
  await expect.poll(() => shown(spectator.page), SOON).toBeGreaterThan(before + 10);
  await expect.poll(async () => Number(await game.getAttribute("data-fps")), SOON).toBeGreaterThan(0);
  // The player's page reports the delay that it measures, and the floor has the newest.
  await expect.poll(() => venue.ask("select max(delay_ms) as answer from seat_delay"), SOON).toBeGreaterThanOrEqual(0);

  await leave(player.page, "en");
  await spectator.page.getByRole("heading", { name: "The play session you watched has ended" }).waitFor(SOON);
  await spectator.page.getByRole("button", { name: "Take a seat" }).click(SOON);
  await playing(spectator.page);
  await expect.poll(() => elif.statusOf(MACHINE), SOON).toBe(3);
  // What was counted goes into the reports when its page is gone.
  const counted = "select sum((select sum(reports) from unnest(delays) reports)) as answer from report_viewing";
  await expect.poll(async () => Number(await venue.ask(counted)), SOON).toBeGreaterThan(0);
  expect(await venue.ask("select max(watchers_most) as answer from report_viewing")).toBe(1);
  await leave(spectator.page, "en");
  expect([...player.complaints, ...spectator.complaints]).toEqual([]);
  await player.context.close();
  await spectator.context.close();
});

test("the address of a machine without a player says so, and offers the seat", { tags: ["long"] }, async () => {
  await expect.poll(() => elif.statusOf(MACHINE), SOON).toBe(1);
  const { page, context, complaints } = await arrive(browser, DESK, "en");
  await page.goto(`${venue.href}/watch/${MACHINE}/-?token=${elif.token}`);
  await page.getByRole("heading", { name: "Nobody plays this machine now" }).waitFor(SOON);
  await page.getByRole("button", { name: "Back to lobby" }).click();
  await page.waitForURL("**/lobby");
  expect(complaints).toEqual([]);
  await context.close();
});

/** @module-tag long */
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cashIn, GAME, leave, logIn, metersOnPage, playTexts, sitDown } from "../../rig/page/game-page.ts";
import { arrive, DESK } from "../../rig/page/visitor.ts";
import { DENIZ, ELIF } from "../../rig/player.ts";
import { longarm } from "../../rig/venue/staff.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { openTestVenue } from "../../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "../scripted/browser.ts";

/* The strictest market at a real machine: what it holds back, what it lets through, and its reality check. */

const SOON = { timeout: 60_000, interval: 100 };
const MACHINE = "nar-01";
const words = playTexts("en");
let venue: TestVenue;
let browser: Browser;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "longarm-rules-"));
  const settings = join(folder, "Settings.json");
  // The market wants help organisations to be listed.
  const helpList = [{ name: "GamCare", phone: "0808 8020 133" }];
  await writeFile(settings, JSON.stringify({ framesPerSecond: 5, helpList }));
  // Grants are renewed each two seconds.
  const platformEnv = { SEAT_LEASE_MS: "6000", SETTINGS_FILE: settings };
  venue = await openTestVenue({ web: true, machines: 1, platformEnv });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
  await rm(folder, { recursive: true, force: true });
});

const gamesPlayed = async (page: Page) => (await metersOnPage(page)).gamesPlayed;
const spinIs = (page: Page, state: string) => page.locator(`[data-spin][data-state=${state}]`).waitFor(SOON);

test("RTS 13B, 14D, SI 2025: a market that is chosen during play holds at the machine and on the page, and its check gives the game back", async () => {
  const { page, context } = await arrive(browser, DESK, "en");
  await logIn(page, venue.href, DENIZ);
  await sitDown(page, MACHINE);
  await cashIn(page, 3_000, "en");
  const before = await gamesPlayed(page);
  await longarm(venue, "markets", "choose", "lab", "--player", DENIZ.username, "--reason", "a test");
  // The stake of the machine is above the highest one.
  await spinIs(page, "above");
  await page.keyboard.press("Space");
  await page.getByText("The stake is above ₺2.").waitFor(SOON);
  await page.getByRole("button", { name: "₺0.10", exact: true }).click();
  const less = page.getByRole("button", { name: words["lessBet"] ?? "-", exact: true });
  await expect
    .poll(async () => {
      if ((await page.locator(`${GAME}[data-bet="200"]`).count()) === 0) await less.click({ force: true });
      return (await metersOnPage(page)).bet;
    }, SOON)
    .toBe(200);
  // It is played: the agent knows that the picture is fresh.
  await spinIs(page, "ready");
  await page.keyboard.press("Space");
  await expect.poll(() => gamesPlayed(page), SOON).toBe(before + 1);
  await spinIs(page, "ready");

  await venue.ask(
    "with moved as (update play_session set started_at = started_at - interval '16 minutes' where ended_at is null returning 1) select count(*)::int as answer from moved",
  );
  const check = page.getByRole("alertdialog");
  await check.waitFor(SOON);
  const keep = check.getByRole("button", { name: words["checkKeep"] ?? "-", exact: true });
  await expect.poll(() => keep.getAttribute("aria-disabled"), SOON).toBeNull();
  await keep.click();
  await check.waitFor({ state: "detached", ...SOON });
  await expect
    .poll(async () => {
      await page.keyboard.press("Space");
      return await gamesPlayed(page);
    }, SOON)
    .toBeGreaterThan(before + 1);
  await page.locator(`${GAME}[data-turning=false]`).waitFor(SOON);
  await leave(page, "en");
  await expect
    .poll(() => venue.ask("select count(*)::int as answer from reality_check where answer = 'continue'"), SOON)
    .toBe(1);
  expect(await venue.ledger.verify()).toEqual([]);
  await context.close();
});

test("where play must be recorded, a disk that takes no record lets the game in progress end, starts no further one, and hinders no cash-out", async () => {
  const { page, context } = await arrive(browser, DESK, "en");
  await logIn(page, venue.href, ELIF);
  await sitDown(page, MACHINE);
  await cashIn(page, 3_000, "en");
  await longarm(venue, "markets", "choose", "lab", "--player", ELIF.username, "--reason", "a test");
  await page.getByRole("button", { name: "₺0.10", exact: true }).click();
  await expect
    .poll(async () => {
      const less = page.getByRole("button", { name: words["lessBet"] ?? "-", exact: true });
      if ((await page.locator(`${GAME}[data-bet="200"]`).count()) === 0) await less.click({ force: true });
      return (await metersOnPage(page)).bet;
    }, SOON)
    .toBe(200);
  await spinIs(page, "ready");
  const before = await gamesPlayed(page);
  await page.keyboard.press("Space");
  // The folder of the records is a file from now on: no segment can be begun.
  const records = join(venue.dataFolder, "agent", "records", MACHINE);
  await rename(records, `${records}.away`);
  await writeFile(records, "");
  await expect.poll(() => gamesPlayed(page), SOON).toBe(before + 1);
  const note = page.getByText("No game starts while play is not recorded.");
  await expect
    .poll(async () => {
      await page.keyboard.press("Space");
      return await note.count();
    }, SOON)
    .toBeGreaterThan(0);
  const refused = await gamesPlayed(page);
  await page.keyboard.press("Space");
  await leave(page, "en");
  expect(await venue.ask("select sum(games)::int as answer from play_session where ended_at is not null")).toBe(
    refused,
  );
  expect(await venue.ledger.verify()).toEqual([]);
  await context.close();
});

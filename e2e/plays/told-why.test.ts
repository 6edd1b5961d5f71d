/** @module-tag long */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  cashIn,
  codeTexts,
  GAME,
  leave,
  logIn,
  metersOnPage,
  playGame,
  playing,
  playTexts,
  sitDown,
  texts,
} from "../../rig/page/game-page.ts";
import type { Visitor } from "../../rig/page/visitor.ts";
import { arrive, DESK, frameGaps, PHONE } from "../../rig/page/visitor.ts";
import type { Player } from "../../rig/player.ts";
import { allOf, DENIZ, signIn } from "../../rig/player.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { openTestVenue } from "../../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "../scripted/browser.ts";

/* A game that ends for a reason: the player is taken to the lobby, the reason is said there, and the money is where it belongs. */

const SOON = { timeout: 60_000, interval: 100 };
const MACHINE = "nar-01";
const WAIT = { timeout: 60_000 };
let venue: TestVenue;
let browser: Browser;
let player: Player;
let all: number;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 1 });
  browser = await sharedBrowser();
  player = await signIn(venue.href, DENIZ);
});
beforeEach(async () => {
  all = allOf(await player.balance());
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

async function sits(): Promise<Visitor> {
  const visitor = await arrive(browser, DESK, "tr");
  await logIn(visitor.page, venue.href, DENIZ);
  await sitDown(visitor.page, MACHINE);
  await cashIn(visitor.page, 500, "tr");
  return visitor;
}

/** The page is in the lobby, with the sentence. */
async function lobbySays(page: Page, sentence: string | undefined): Promise<void> {
  await page.waitForURL("**/lobby**", WAIT);
  await page
    .getByText(sentence ?? "", { exact: true })
    .first()
    .waitFor({ ...WAIT, state: "attached" });
}

test("a second tab takes over: the first shows it, and does not fight for the seat", async () => {
  const { page: first, context } = await sits();
  const second = await context.newPage();
  await second.goto(first.url());
  await playing(second);
  await lobbySays(first, playTexts("tr")["closedTakenOver"]);
  await frameGaps(second, 30);
  expect(await metersOnPage(second)).toMatchObject({ credit: 50_000 });
  expect(await second.locator(GAME).getAttribute("data-online")).toBe("true");
  await leave(second, "tr");
  await context.close();
});

test("kicked from a phone: the game stops here and says so; the phone plays on with the same credits", {}, async () => {
  const { page, context } = await sits();
  const phone = await arrive(browser, PHONE, "tr");
  await phone.page.goto(`${venue.href}/lobby?token=${player.token}`);
  const kick = phone.page.getByRole("dialog").getByRole("button", { name: texts("tr", "reconnect")["kick"] ?? "" });
  await kick.click(WAIT);
  await lobbySays(page, playTexts("tr")["closedKicked"]);
  await playing(phone.page);
  await expect.poll(async () => (await metersOnPage(phone.page)).credit, SOON).toBe(50_000);
  await leave(phone.page, "tr");
  await expect.poll(() => player.balance(), SOON).toEqual({ balance: all });
  await context.close();
  await phone.context.close();
});

test("idle: 18802 counts on the screen, 18801 ends the game, the lobby says so and what came back, and all credits are in the wallet", {}, async () => {
  await venue.platform.kill();
  // Together longer than a busy computer takes from the cash-in to the press.
  await venue.platform.restart({ IDLE_MS: "5000", IDLE_COUNT_MS: "8000" });
  const { page, context } = await sits();
  await playGame(page);
  const { credit } = await metersOnPage(page);
  await page.locator('[data-code="CODE_18802"]').waitFor(WAIT);
  // Both sentences go after a while: they are waited for side by side.
  const [before, after] = playTexts("tr")["withdrawDone"]!.split("{amount}");
  const returned = page.getByText(new RegExp(`^${before}.*\\d${after}$`)).waitFor({ ...WAIT, state: "attached" });
  await Promise.all([lobbySays(page, codeTexts("tr")["18801"]), returned]);
  await expect.poll(() => player.balance(), SOON).toEqual({ balance: all - 50_000 + credit });
  await expect.poll(() => player.statusOf(MACHINE), SOON).toBe(1);
  expect(await venue.ledger.verify()).toEqual([]);
  await context.close();
});

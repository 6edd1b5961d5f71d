/** @module-tag long */
import { silentLog } from "@longarm/database/log";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { firstAdministrator } from "../../launcher/seed.ts";
import { acceptInvitation, goTo, openDesk, press } from "../../rig/page/console-desk.ts";
import { cashIn, leave, logIn, metersOnPage, playGame, sitDown } from "../../rig/page/game-page.ts";
import { arrive, DESK } from "../../rig/page/visitor.ts";
import { longarm } from "../../rig/venue/staff.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { openTestVenue } from "../../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "../scripted/browser.ts";

/* A question about a game, from the player's page to the verdict: the running platform, the player's browser and staff's. */

const SOON = { timeout: 90_000, interval: 250 };
const NAME = "asks.player";
let venue: TestVenue;
let browser: Browser;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 1, staffPort: 0 });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

test("GLI-19 4.14: a player asks about the last game, staff looks at what was kept and decides, and the player reads it", async () => {
  const added = await longarm(venue, "players", "add", NAME, "--generate", "--json");
  const { password } = JSON.parse(added) as { password: string };
  await longarm(venue, "wallets", "deposit", NAME, "5000.00", "--reason", "a test");
  const { page, context, complaints } = await arrive(browser, DESK, "en");
  await logIn(page, venue.href, { username: NAME, password });
  await sitDown(page, "nar-01");
  await cashIn(page, 500, "en");
  const { gamesPlayed } = await metersOnPage(page);
  await playGame(page);
  await expect.poll(async () => (await metersOnPage(page)).gamesPlayed, SOON).toBe(gamesPlayed + 1);
  await expect.poll(() => venue.ask("select count(*)::int as answer from game"), SOON).toBe(1);
  await leave(page, "en");

  await page.goto(`${venue.href}/slot-sessions?game=last`);
  await page.getByRole("dialog").getByRole("listitem").getByRole("link").first().click();
  await page.getByRole("link", { name: "Something was wrong with this game" }).click();
  await page.getByLabel("What happened?").selectOption({ label: "My win was not counted" });
  await page.getByLabel("In your words, if you like").fill("The glass said 384.");
  await page.getByRole("button", { name: "Send the question" }).click();
  await page.getByText("Your question is with us").waitFor();

  const token = await firstAdministrator(venue.databaseUrl, silentLog);
  const desk = await openDesk(browser);
  await acceptInvitation(desk.page, `${venue.staffHref}/invitation#${token}`);
  await venue.ask(`insert into staff_has_role select s.id, 'supervisor' from staff s returning role as answer`);
  await desk.page.reload();
  await desk.page.locator("#page").waitFor();
  await goTo(desk.page, "/questions");
  await desk.page.getByRole("row").nth(1).getByRole("link").click();
  await desk.page.getByText("The glass said 384.").waitFor();
  await desk.page.getByText("It adds up").waitFor();
  await desk.page.getByText("game:nar-01:", { exact: false }).first().waitFor();
  await press(desk.page, "Take the question");
  await desk.page.getByRole("dialog").getByRole("button", { name: "Take the question" }).click();
  await press(desk.page, "Decide");
  const sheet = desk.page.getByRole("dialog");
  await sheet.getByLabel("Verdict").selectOption("paidRight");
  await sheet.getByLabel("Sentence").fill("This game was paid right");
  await sheet.getByLabel("Letter").fill("The machine counted no win, and the ledger says the same.");
  await sheet.getByRole("button", { name: "Decide" }).click();
  await press(desk.page, "Use your passkey");
  await desk.page.getByText("The question is decided").waitFor();

  await page.getByRole("heading", { level: 2, name: "This game was paid right" }).waitFor(SOON);
  await page.getByText("The machine counted no win", { exact: false }).waitFor();
  const acts = `select string_agg(facts ->> 'is', ' ' order by id) as answer from audit.entries where type = 'player.dispute'`;
  await expect.poll(() => venue.ask(acts), SOON).toBe("opened read taken decided verdict");
  await page.goto(`${venue.href}/lobby`);
  await page.locator("[data-machine]").first().waitFor();
  expect(await venue.ledger.verify()).toEqual([]);
  expect([...complaints, ...desk.complaints]).toEqual([]);
  await context.close();
});

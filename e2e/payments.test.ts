/** @module-tag long */

import { runTransaction } from "@longarm/database/run-transaction";
import type { StaffTables } from "@longarm/platform/modules/staff/accounts/index";
import { addPerson, invite, seedRoles } from "@longarm/platform/modules/staff/accounts/index";
import { systemRandom } from "@longarm/platform/random";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { paths as desk } from "../apps/console/src/shared/paths.ts";
import { acceptInvitation, goTo, openDesk, press } from "../rig/page/console-desk.ts";
import { arrive, launchBrowser, PHONE } from "../rig/page/visitor.ts";
import type { Venue, VenuePlayer } from "../rig/venue/venue.ts";
import { NO_RATE_LIMITS, openVenue } from "../rig/venue/venue.ts";

/*
 * Money at the cashier's desk from the player's phone to the drawer and back, in two real browsers, while the platform is killed with -9
 * between the steps: what was requested is there again, and each payment moves money once.
 */

const WALLET = 100_000;
let venue: Venue;
let browser: Browser;
let cashier: Page;
let player: VenuePlayer;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  [venue, browser] = await Promise.all([
    openVenue({
      ...{ floor: { machines: 1, timeCode: false }, staffPort: 0, web: true, fastDatabase: true },
      platformEnv: { ...NO_RATE_LIMITS, STAFF_IDLE_MS: "3600000" },
    }),
    launchBrowser(() => {}),
  ]);
  const db = venue.db.kysely.withTables<StaffTables>();
  await seedRoles(db);
  const token = await runTransaction(db, async (trx) => {
    const wish = { username: "selin", name: "Selin Er", roles: ["cashier"], addedBy: "the venue" } as const;
    const added = await addPerson(trx, systemRandom, wish);
    if (added.is !== "added") throw new Error(added.is);
    return (await invite(trx, systemRandom, added.id)).token;
  });
  cashier = (await openDesk(browser)).page;
  await acceptInvitation(cashier, `${venue.staffHref}/invitation#${token}`);
  await goTo(cashier, desk.cashier);
  await cashier.getByLabel("Desk").fill("Cage 1");
  await cashier.getByLabel("Float").fill("5000");
  await press(cashier, "Open the shift");
  [player] = (await venue.addPlayers("pays", 1, WALLET)) as [VenuePlayer];
  const visitor = await arrive(browser, PHONE, "en");
  ({ page, complaints } = visitor);
  visitor.context.setDefaultTimeout(60_000);
  await page.goto(`${venue.href}/login`);
  await page.getByRole("button", { name: "Pull the arm" }).click();
  await page.getByLabel("User name or e-mail").fill(player.username);
  await page.getByLabel("Password", { exact: true }).fill(player.password);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.waitForURL(/:\d+\/(?!login)/);
});
afterAll(async () => {
  await browser?.close();
  await venue?.close();
});

const inLedger = async () => (await venue.ledger.account(`player:${player.id}`)).balanceMinor;
/** The platform dies without a word and comes back. */
async function killPlatform(): Promise<void> {
  await venue.platform.kill();
  await venue.platform.restart();
  await expect
    .poll(async () => (await fetch(`${venue.href}/readyz`).catch(() => undefined))?.status, { timeout: 60_000 })
    .toBe(200);
}
/** What the wheels of the open sheet show. */
async function codeShown(): Promise<string> {
  const said =
    (await page
      .getByRole("dialog")
      .getByText(/^Code: /)
      .textContent()) ?? "";
  return said.replace(/^Code: /, "").replaceAll(" ", "");
}
async function paysAtDesk(code: string, act: "Deposit" | "Withdrawal"): Promise<void> {
  await goTo(cashier, desk.today);
  await goTo(cashier, desk.cashier);
  await cashier.getByLabel("Code of a player").fill(` ${code.toLowerCase().slice(0, 3)} ${code.slice(3)}`);
  await cashier.getByRole("button", { name: new RegExp(`pays\\.1 · ${act}`) }).click();
  await press(cashier, act);
  await press(cashier, "Use your passkey");
  await cashier.getByRole("region", { name: "Done", exact: true }).getByText("Receipt").waitFor();
}

test("a withdrawal: the code outlives a kill of the platform, the cashier pays it, and the page shows it by itself", async () => {
  await page.goto(`${venue.href}/wallet?tab=withdraw`);
  await page.getByRole("textbox", { name: "Amount" }).fill("600");
  await page.getByRole("button", { name: "Withdraw ₺600" }).click();
  const code = await codeShown();
  await killPlatform();
  await page.reload();
  await page.getByRole("button", { name: /^Show the code/ }).click();
  expect(await codeShown()).toBe(code);
  expect(await inLedger(), "held, not moved").toBe(WALLET);
  await paysAtDesk(code, "Withdrawal");
  await page.getByRole("dialog").getByText("₺600.00 was paid to you").first().waitFor();
  expect(await inLedger()).toBe(WALLET - 60_000);
  await killPlatform();
  await page.reload();
  await page.getByRole("button", { name: /Withdrawal at the cash desk.*Paid/ }).waitFor();
  expect(await page.getByRole("button", { name: /^Show the code/ }).count()).toBe(0);
});

test("a deposit: the cash is taken once, over a kill, and the code is used", async () => {
  await page.goto(`${venue.href}/wallet`);
  await page.getByRole("button", { name: "250", exact: true }).click();
  await page.getByRole("button", { name: "Get a code for ₺250" }).click();
  const code = await codeShown();
  await killPlatform();
  await paysAtDesk(code, "Deposit");
  await page.getByRole("dialog").getByText("₺250.00 was added to your wallet").first().waitFor();
  await killPlatform();
  await goTo(cashier, desk.today);
  await goTo(cashier, desk.cashier);
  await cashier.getByLabel("Code of a player").fill(code);
  await cashier.getByText("This is no code that can be paid now.").waitFor();
  expect(await inLedger()).toBe(WALLET - 60_000 + 25_000);
  expect(await venue.ledger.verify()).toEqual([]);
  expect(
    complaints.filter((one) => !/Failed to load resource|WebSocket|net::ERR|notification socket is away/.test(one)),
  ).toEqual([]);
});

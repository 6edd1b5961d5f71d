/** @module-tag long */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { logIn } from "../rig/page/game-page.ts";
import { arrive, DESK } from "../rig/page/visitor.ts";
import { DENIZ, ELIF } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* A player's own account in a real browser against the real platform: bonus, discount, password. */

const NEW_PASSWORD = "a-longer-one-2";
let venue: TestVenue;
let browser: Browser;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 1 });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

/** A visitor of their own, signed in, at the profile. */
async function atProfile(player: typeof DENIZ): Promise<Page> {
  const { page } = await arrive(browser, DESK, "en");
  await logIn(page, venue.href, player);
  await page.getByRole("link", { name: "Profile" }).click();
  await page.locator("input[name=old_password]").waitFor();
  return page;
}

const says = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();

async function changePassword(page: Page, oldPassword: string, newPassword: string): Promise<void> {
  await page.fill("input[name=old_password]", oldPassword);
  await page.fill("input[name=new_password]", newPassword);
  await page.getByRole("button", { name: "Change password" }).click();
}

test("R-1-09: a bonus is given once, arrives in the wallet, and another browser finds nothing left", async () => {
  const page = await atProfile(DENIZ);
  await page.getByRole("button", { name: "Claim bonus" }).click();
  await says(page, "A bonus of ₺250 was added to your balance.");
  await page.locator("header", { hasText: "₺12,700.75" }).waitFor();
  const other = await atProfile(DENIZ);
  await other.getByRole("button", { name: "Claim bonus" }).click();
  await says(other, "There is nothing to claim now");
});

test("R-4.7-13, R-7-19, R-7-20, R-7-22, R-7-23: two browsers talk in Team Chat, live, and a reload keeps the dialog", async () => {
  const [deniz, elif] = [await arrive(browser, DESK, "en"), await arrive(browser, DESK, "en")];
  await logIn(deniz.page, venue.href, DENIZ);
  await logIn(elif.page, venue.href, ELIF);
  const keyOf = (page: Page) => page.locator("header [data-chat-key]");
  const open = async (page: Page, name: string) => {
    await keyOf(page).click();
    await page.locator("[data-chat-panel]").getByRole("button", { name }).click();
    await page.getByRole("textbox", { name: "Type your message" }).waitFor();
  };
  const write = async (page: Page, text: string) => {
    await page.getByRole("textbox", { name: "Type your message" }).fill(text);
    await page.keyboard.press("Enter");
  };
  const dialogOf = (page: Page) => page.getByRole("log").locator("[dir=auto]").allInnerTexts();
  await open(deniz.page, "Elif Kaya");
  await write(deniz.page, "Nar 01 boş mu?");
  await expect.poll(() => dialogOf(deniz.page)).toEqual(["Nar 01 boş mu?"]);
  // She has not opened it yet, and sees it without a reload.
  await elif.page.getByRole("button", { name: "Team Chat, 1 not read" }).waitFor();
  await open(elif.page, "Deniz Aydın");
  await expect.poll(() => dialogOf(elif.page)).toEqual(["Nar 01 boş mu?"]);
  await write(elif.page, "Boş, gel.");
  const both = ["Nar 01 boş mu?", "Boş, gel."];
  await expect.poll(() => dialogOf(deniz.page)).toEqual(both);
  for (const { page } of [deniz, elif]) {
    await page.reload();
    await keyOf(page).waitFor();
    // What was read stays read.
    await open(page, page === deniz.page ? "Elif Kaya, Online" : "Deniz Aydın, Online");
    await expect.poll(() => dialogOf(page)).toEqual(both);
  }
  expect([...deniz.complaints, ...elif.complaints]).toEqual([]);
  for (const { context } of [deniz, elif]) await context.close();
});

test("R-1-08: a password is changed: the old one is refused, the new one opens, and other sign-ins end", async () => {
  const page = await atProfile(ELIF);
  const elsewhere = await atProfile(ELIF);
  await changePassword(page, "not-this-one", NEW_PASSWORD);
  await says(page, "Old password is wrong");
  await changePassword(page, ELIF.password, "short");
  await says(page, "Password is too short");
  await changePassword(page, ELIF.password, NEW_PASSWORD);
  await says(page, "Your password is changed.");
  await elsewhere.waitForURL("**/login");
  // This sign-in stays valid.
  await page.getByRole("link", { name: "Home" }).click();
  await page.locator("[data-machine]").first().waitFor();
  await atProfile({ ...ELIF, password: NEW_PASSWORD });
});

test("R-7-16, R-7-17: a visitor opens an account and is in the lobby; another browser finds the palette that was chosen", async () => {
  const selin = { username: "selin@example.test", password: "sunfish over the reef" };
  const { page, complaints } = await arrive(browser, DESK, "en");
  await page.goto(`${venue.href}/pages/auth/register`);
  await page.fill("input[name=name]", "Selin Ak");
  await page.fill("input[name=email]", selin.username);
  for (const name of ["password", "confirm"]) await page.fill(`input[name=${name}]`, selin.password);
  await page.check("input[name=terms]");
  await page.locator("#page button[type=submit]").click();
  await page.locator("[data-machine]").first().waitFor();
  await page.locator("header", { hasText: "₺0.00" }).waitFor();
  // An operator who shows the template's keys: without them a player has none.
  await page.route("**/Settings.json", (route) => route.fulfill({ json: { showTemplateKeys: true } }));
  await page.reload();
  await page.getByRole("button", { name: "Theme Color Schemes", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pine", exact: true }).click();
  await says(page, "User data saved with api");
  expect(complaints).toEqual([]);

  const elsewhere = await arrive(browser, DESK, "en");
  await logIn(elsewhere.page, venue.href, selin);
  await elsewhere.page.locator("html[data-main=pine]").waitFor();
  await elsewhere.page.goto(`${venue.href}/logout`);
  await elsewhere.page.waitForURL("**/login");
  await elsewhere.page.locator("html[data-main=pine]").waitFor({ state: "detached" });
});

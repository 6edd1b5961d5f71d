import type { Page } from "playwright-core";
import { expect } from "vitest";
import { metersOnPage } from "./game-page.ts";
import type { TextLanguage } from "./texts.ts";
import { playTexts } from "./texts.ts";

const SOON = { timeout: 30_000, interval: 50 };
const LONG = { timeout: 60_000, interval: 100 };

/** Moves whole currency units to the machine by the money sheet, and waits until the meters show them. */
export async function cashIn(page: Page, units: number, language: TextLanguage): Promise<void> {
  const words = playTexts(language);
  const { credit } = await metersOnPage(page);
  await page.getByRole("button", { name: words["transfer"] ?? "", exact: true }).click();
  await page.getByRole("textbox", { name: words["amount"] ?? "" }).fill(String(units));
  await page.locator("form button[type=submit]").click();
  await expect.poll(async () => (await metersOnPage(page)).credit, SOON).toBe(credit + units * 100);
  await page.locator("form button[type=submit]").waitFor({ state: "detached" });
}

/** Moves everything back to the wallet. */
export async function cashOut(page: Page, language: TextLanguage): Promise<void> {
  const words = playTexts(language);
  await page.getByRole("button", { name: words["transfer"] ?? "", exact: true }).click();
  await page.getByRole("radio", { name: words["toWallet"] ?? "", exact: true }).check();
  await page.locator("form fieldset button").last().click();
  await page.locator("form button[type=submit]").click();
  await expect.poll(async () => (await metersOnPage(page)).credit, SOON).toBe(0);
  await page.locator("form button[type=submit]").waitFor({ state: "detached" });
}

/** Gets up, and waits for the lobby. Asks again while a game still ends: nobody leaves in the middle of one. */
export async function leave(page: Page, language: TextLanguage): Promise<void> {
  const key = page.getByRole("button", { name: playTexts(language)["toLobby"] ?? "" });
  const toLobby = async (timeout: number): Promise<boolean> => {
    await page.waitForURL("**/lobby**", { timeout }).catch(() => undefined);
    return new URL(page.url()).pathname === "/lobby";
  };
  await expect
    .poll(async () => {
      await key.click({ timeout: 5_000 }).catch(() => undefined);
      await confirmLeave(page);
      return await toLobby(5_000);
    }, LONG)
    .toBe(true);
}

/** Answers the question that the page asks where credit is on the machine, or others watch; else it asks none. */
export async function confirmLeave(page: Page): Promise<void> {
  const key = page.locator("[data-leave]");
  // The question, or the way to the lobby that needs none.
  const gone = page.locator("main[data-phase=leaving], main[data-phase=gone], [data-machine]");
  await key
    .or(gone)
    .first()
    .waitFor({ timeout: 5_000 })
    .catch(() => undefined);
  if (await key.isVisible()) await key.click({ timeout: 5_000 }).catch(() => undefined);
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { ROOT } from "../../launcher/venue.ts";
import type { Credentials } from "../player.ts";

/** What the page says of itself, in its data attributes and in the words a player reads. */
export const GAME = "main[data-phase]";

/** Pages on which summaries are dealt with. */
const summed = new WeakSet<Page>();

/** Closes what sums up play over the lobby, whenever it is in the way of something else. */
export async function readSummaries(page: Page): Promise<void> {
  if (summed.has(page)) return;
  summed.add(page);
  const key = page.locator("[data-summary] > button");
  await page.addLocatorHandler(page.locator("[data-summary]"), () => key.click());
}

/** Leaves them to the test. */
export const keepSummaries = (page: Page): void => void summed.add(page);

/** From the logo card over the form into the lobby. */
export async function logIn(page: Page, href: string, { username, password }: Credentials): Promise<void> {
  await readSummaries(page);
  await page.goto(href);
  await page.locator("main button:has(svg)").first().click();
  await page.fill("input[name=username]", username);
  await page.fill("input[name=password]", password);
  await page.click("button[type=submit]");
  await page.locator("[data-machine]").first().waitFor();
}

/** From the lobby to a machine whose video plays. */
export async function sitDown(page: Page, machineId: string): Promise<void> {
  await page.locator(`[data-machine="${machineId}"] a`).click();
  await playing(page);
}

/** Waits until the seat is the player's and frames come. */
export async function playing(page: Page): Promise<void> {
  await page.locator(`${GAME}[data-phase=playing][data-live=true]`).waitFor();
}

type PageMeters = { credit: number; bet: number; win: number; gamesPlayed: number };

/** The meters that the page shows, minor units. */
export async function metersOnPage(page: Page): Promise<PageMeters> {
  return await page.locator(GAME).evaluate(({ dataset }) => ({
    credit: Number(dataset["credit"]),
    bet: Number(dataset["bet"]),
    win: Number(dataset["win"]),
    gamesPlayed: Number(dataset["gamesPlayed"]),
  }));
}

/** Waits until a game more than `before` was played and the reels rest. */
export async function gameOver(page: Page, before: number): Promise<void> {
  await page.waitForFunction(
    ([game, played]) => {
      const { dataset } = document.querySelector<HTMLElement>(game) ?? {};
      return Number(dataset?.["gamesPlayed"]) > played && dataset?.["turning"] === "false";
    },
    [GAME, before] as const,
    { timeout: 60_000 },
  );
}

/** A game takes about two seconds. */
const PRESSED = { timeout: 120_000, interval: 500 };

/**
 * Presses SPIN until a game behind `before` is over. A press that came too late on a busy computer played none, and is made again; `press`
 * makes it in another way than by a click.
 */
export async function playBehind(
  page: Page,
  before: number,
  press: (key: Locator) => Promise<void> = (key) => key.click({ timeout: 1_000 }),
): Promise<void> {
  const key = page.locator("main[data-turning=false] [data-spin][data-state=ready]");
  await expect
    .poll(async () => {
      // In this order: a game that ends in between must not be followed by a press for it.
      const isReady = (await key.count()) > 0;
      if ((await metersOnPage(page)).gamesPlayed > before) return "played";
      if (isReady) await press(key).catch(() => {});
      return "not yet";
    }, PRESSED)
    .toBe("played");
  await gameOver(page, before);
}

/** Plays one game by SPIN. */
export async function playGame(page: Page, press?: (key: Locator) => Promise<void>): Promise<void> {
  await playBehind(page, (await metersOnPage(page)).gamesPlayed, press);
}

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

/** The lowest denomination, and a stake of at most so many minor units; for an English page. */
export async function lowerBet(page: Page, most: number): Promise<void> {
  const key = (name: string | undefined) => page.getByRole("button", { name: name ?? "-", exact: true });
  await key("₺0.10").click();
  await expect
    .poll(async () => {
      if ((await metersOnPage(page)).bet > most) await key(playTexts("en")["lessBet"]).click({ force: true });
      return (await metersOnPage(page)).bet;
    }, LONG)
    .toBeLessThanOrEqual(most);
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

/** Leaves the machine, and waits for the lobby. Tries again while a game still ends: a player cannot leave in the middle of one. */
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

export type TextLanguage = "tr" | "en" | "ar";

type Texts = Readonly<Record<string, string>>;

/** The words of one area of the web, as its catalogue has them. */
export function texts(language: TextLanguage, area: string): Texts {
  return JSON.parse(readFileSync(join(ROOT, "apps/web/src/shared/i18n/catalogues", language, `${area}.json`), "utf8"));
}

export const playTexts = (language: TextLanguage): Texts => texts(language, "play");
/** The words of the wire's codes, by number. */
export const codeTexts = (language: TextLanguage): Texts => texts(language, "code");

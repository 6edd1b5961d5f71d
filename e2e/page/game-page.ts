import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { Credentials } from "../player/player.ts";

/** What the page says of itself, in its data attributes and in the words a player reads. */
export const GAME = "main[data-phase]";

/** From the logo card over the form into the lobby. */
export async function logIn(page: Page, href: string, { username, password }: Credentials): Promise<void> {
  await page.goto(href);
  await page.locator("main button:has(svg)").first().click();
  await page.fill("input[name=username]", username);
  await page.fill("input[name=password]", password);
  await page.click("button[type=submit]");
  await page.locator("[data-machine]").first().waitFor();
}

/** From the lobby to a machine whose picture moves. */
export async function sitDown(page: Page, machineId: string): Promise<void> {
  await page.locator(`[data-machine="${machineId}"] a`).click();
  await playing(page);
}

/** Waits until the seat is the player's and pictures come. */
export async function playing(page: Page): Promise<void> {
  await page.locator(`${GAME}[data-phase=playing][data-live=true]`).waitFor();
}

export type PageMeters = { credit: number; bet: number; win: number; gamesPlayed: number };

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
      if ((await metersOnPage(page)).gamesPlayed > before) return "played";
      if ((await key.count()) > 0) await press(key).catch(() => {});
      return "not yet";
    }, PRESSED)
    .toBe("played");
  await gameOver(page, before);
}

/** Plays one game by SPIN. */
export async function playGame(page: Page, press?: (key: Locator) => Promise<void>): Promise<void> {
  await playBehind(page, (await metersOnPage(page)).gamesPlayed, press);
}

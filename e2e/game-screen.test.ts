/** @module-tag long */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cashIn, codeTexts, GAME, leave, playing, playTexts } from "../rig/page/game-page.ts";
import { arrive, DESK, PHONE } from "../rig/page/visitor.ts";
import type { Player } from "../rig/player.ts";
import { DENIZ, ELIF, signIn } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { axeFindings, closeVisitors, overflowOf, sharedBrowser } from "./scripted/browser.ts";

/* The game screen on the real venue: nothing to complain about, and a clear sentence for the second browser. */

const SOON = { timeout: 30_000, interval: 50 };
const MACHINE = "nar-01";
let venue: TestVenue;
let browser: Browser;
let deniz: Player;
let elif: Player;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 1 });
  deniz = await signIn(venue.href, DENIZ);
  elif = await signIn(venue.href, ELIF);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

/** The game's own address, for somebody who signs in with a token. */
const game = ({ token }: Player) => `${venue.href}/game/${MACHINE}/-?token=${token}`;

const WINDOWS = [
  ["ar", "a phone", PHONE],
  ["tr", "a desk", DESK],
  ["en", "a desk", DESK],
  ["ar", "a desk", DESK],
] as const;

test.each(WINDOWS)("in %s on %s axe, console and content policy have nothing to say", async (language, _on, device) => {
  const { page, complaints, context } = await arrive(browser, device, language);
  await page.goto(game(deniz));
  await playing(page);
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  await page.getByRole("button", { name: playTexts(language)["transfer"] ?? "", exact: true }).click();
  await page.locator("form button[type=submit]").waitFor();
  // A sheet that still fades in has no contrast yet.
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== "running"));
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await leave(page, language);
  await expect.poll(() => deniz.statusOf(MACHINE), SOON).toBe(1);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a second browser cannot take the seat: it shows a sentence in its own language, and the first plays on", async () => {
  const first = await arrive(browser, DESK, "tr");
  await first.page.goto(game(deniz));
  await playing(first.page);
  await cashIn(first.page, 500, "tr");

  const second = await arrive(browser, DESK, "en");
  await second.page.goto(game(elif));
  await second.page
    .getByText(codeTexts("en")["60011"] ?? "")
    .first()
    .waitFor();
  await second.page.waitForURL("**/lobby");
  await second.page.locator(`[data-machine="${MACHINE}"][data-lamp=playing]`).waitFor();
  expect(second.complaints).toEqual([]);

  await expect(first.page.locator(GAME).getAttribute("data-credit")).resolves.toBe("50000");
  await leave(first.page, "tr");
  await second.page.locator(`[data-machine="${MACHINE}"][data-lamp=available]`).waitFor();
  await first.context.close();
  await second.context.close();
});

import { someOf, WHOLE_RUN } from "@longarm/link/testing/whole-run";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cashIn, cashOut, leave, logIn, metersOnPage, playGame, sitDown } from "../rig/page/game-page.ts";
import { metersInPicture, timeInPicture } from "../rig/page/machine-frame.ts";
import type { Device } from "../rig/page/visitor.ts";
import { arrive, DESK, frameGaps, mediaFacts, PHONE } from "../rig/page/visitor.ts";
import type { Player } from "../rig/player.ts";
import { DENIZ, signIn } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* The whole way of a player, in a real browser, with real pictures of a machine that plays real games. */

const SOON = { timeout: 30_000, interval: 100 };
const MACHINE = "nar-01";
/** Shown one after the other; a short run has 5 a second. */
const FRAMES = WHOLE_RUN ? 60 : 20;
let venue: TestVenue;
let browser: Browser;
let player: Player;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 1 });
  player = await signIn(venue.href, DENIZ);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

const audio = (page: Page) =>
  page.locator("audio").evaluate((element) => {
    const { muted, paused, volume } = element as HTMLAudioElement;
    return { muted, paused, quiet: volume === 0 };
  });

/** The page and the glass of the machine say the same, once both rest. */
async function glassAndPageAgree(page: Page): Promise<void> {
  await expect
    .poll(async () => {
      const { credit, bet, win } = await metersOnPage(page);
      const glass = await metersInPicture(page);
      return glass.credit === credit && glass.bet === bet && glass.win === win ? "agree" : { credit, bet, win, glass };
    }, SOON)
    .toBe("agree");
}

async function spin(page: Page, how: "Space" | "button", { touch = false }: Device): Promise<void> {
  if (how === "Space") await playGame(page, () => page.keyboard.press("Space"));
  else await playGame(page, touch ? (key) => key.tap({ timeout: 1_000 }) : undefined);
}

test.each(
  someOf(1, [
    ["tr", "a phone", PHONE],
    ["tr", "a desk", DESK],
  ] as const),
)("card, form, lobby, machine, money, games and home again, in %s on %s", async (language, _on, device) => {
  const before = await player.balance();
  const { page, complaints, context } = await arrive(browser, device, language);
  await logIn(page, venue.href, DENIZ);
  await sitDown(page, MACHINE);

  // Frame after frame is shown, each captured later than the one before; how many a second is measured in bench/.
  expect(Math.min(...(await frameGaps(page, FRAMES)))).toBeGreaterThan(0);
  const time = await timeInPicture(page);
  await expect.poll(async () => (await timeInPicture(page))?.time, SOON).not.toBe(time?.time);
  await expect.poll(() => audio(page), SOON).toEqual({ muted: false, paused: false, quiet: false });

  await cashIn(page, 500, language);
  await glassAndPageAgree(page);
  const received = await mediaFacts(page);
  await spin(page, "Space", device);
  await spin(page, "button", device);
  await spin(page, "button", device);
  await glassAndPageAgree(page);
  await expect.poll(async () => (await mediaFacts(page)).audioSamples, SOON).toBeGreaterThan(received.audioSamples);
  await expect.poll(async () => (await mediaFacts(page)).audioEnergy, SOON).toBeGreaterThan(received.audioEnergy);

  const { credit } = await metersOnPage(page);
  const net = credit - 50_000;
  expect(net).not.toBe(0);
  // A game is booked behind the page's meters.
  await expect.poll(() => player.balance(), SOON).toEqual({ balance: before.balance - 50_000, onMachine: credit });
  await cashOut(page, language);
  await leave(page, language);
  await expect.poll(() => player.balance(), SOON).toEqual({ balance: before.balance + net });
  await expect.poll(() => player.statusOf(MACHINE), SOON).toBe(1);
  expect(await venue.ledger.verify()).toEqual([]);
  expect(await venue.ask("select count(*)::int as answer from discrepancy")).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

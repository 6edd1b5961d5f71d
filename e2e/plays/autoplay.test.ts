/** @module-tag long */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { cashIn, GAME, leave, logIn, metersOnPage, playTexts, sitDown } from "../../rig/page/game-page.ts";
import type { Visitor } from "../../rig/page/visitor.ts";
import { arrive, DESK } from "../../rig/page/visitor.ts";
import { DENIZ } from "../../rig/player.ts";
import { longarm } from "../../rig/venue/staff.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { openTestVenue } from "../../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "../scripted/browser.ts";

/* Autoplay at a real machine: through what plays by itself, and no further where the player or staff must act. */

const SOON = { timeout: 60_000, interval: 100 };
const SLOW = { timeout: 120_000 };
const MACHINE = "nar-01";
const words = playTexts("en");
let venue: TestVenue;
let browser: Browser;
let visitor: Visitor;
let page: Page;
/** Games on the machine's counter when the player sat down. */
let first: number;

const simulate = (what: string) => longarm(venue, "simulate", MACHINE, what);
const count = (where: string) => venue.ask(`select count(*)::int as answer from game where ${where}`);
const gamesPlayed = async () => (await metersOnPage(page)).gamesPlayed;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 1 });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});
beforeEach(async () => {
  visitor = await arrive(browser, DESK, "en");
  ({ page } = visitor);
  await logIn(page, venue.href, DENIZ);
  await sitDown(page, MACHINE);
  await cashIn(page, 3_000, "en");
  first = await gamesPlayed();
});
/** Each game that the machine counted is in the history of this play session, and no other. */
afterEach(async () => {
  await page.locator(`${GAME}[data-turning=false]`).waitFor(SLOW);
  const played = (await gamesPlayed()) - first;
  await leave(page, "en");
  await expect.poll(() => count(`game_number > ${first}`), SOON).toBe(played);
  expect(
    await venue.ask("select games::int as answer from play_session where ended_at is not null order by ended_at desc"),
  ).toBe(played);
  expect(await venue.ledger.verify()).toEqual([]);
  await visitor.context.close();
});

/** Ten games, as the sheet offers them first. */
async function startTen(): Promise<void> {
  await page.locator(`${GAME}[data-turning=false]`).waitFor(SLOW);
  await page.getByRole("button", { name: words["auto"] ?? "", exact: true }).click(SLOW);
  await page.locator("form button[type=submit]").click(SLOW);
  await page.locator("form").waitFor({ ...SLOW, state: "detached" });
}

/** Waits until autoplay is off. Answers the sentence that says why, and puts it away. */
async function endSaid(): Promise<string> {
  await page.waitForFunction(() => Reflect.get(window, "longarmAutoplay") === false, undefined, SLOW);
  const message = page.locator("[data-kind=info]").last();
  const said = (await message.locator("span").textContent(SLOW)) ?? "";
  await message.getByRole("button").click(SLOW);
  return said;
}

type Run = { readonly before: number; readonly games: number; readonly said: string };

/**
 * Starts autoplay of ten until a run of it has gone as wanted. On a busy computer a press comes too late, or the picture freezes
 * for seconds: either ends autoplay, as it should.
 */
async function runUntil(
  wanted: (run: Run) => Promise<boolean>,
  before: () => Promise<unknown> = () => Promise.resolve(),
  atEnd: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Run> {
  for (;;) {
    const played = await gamesPlayed();
    await before();
    await startTen();
    const said = await endSaid();
    await atEnd();
    await page.locator(`${GAME}[data-turning=false]`).waitFor(SLOW);
    const run = { before: played, games: (await gamesPlayed()) - played, said };
    expect(run.games).toBeLessThanOrEqual(10);
    if (await wanted(run)) return run;
  }
}

const endedBy =
  (sentence: string | undefined) =>
  ({ said }: Run) =>
    Promise.resolve(said === sentence);

/** In the bonus SPIN is the player's choice. */
async function chooseInBonus(): Promise<void> {
  if ((await page.locator("[data-doing=bonus]").count()) > 0) await page.locator("[data-spin]").click(SLOW);
}

/** Presses SPIN until a game more was played. */
async function playsOne(): Promise<void> {
  const played = await gamesPlayed();
  await expect
    .poll(async () => {
      await page
        .locator("[data-spin][data-state=ready]")
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      return await gamesPlayed();
    }, SOON)
    .toBeGreaterThan(played);
}

test("autoplay of ten continues through free spins, which play by themselves, to its tenth game", {
  timeout: 400_000,
}, async () => {
  const { before, games, said } = await runUntil(
    async ({ before: from, games: played }) => {
      const after = `game_number > ${from} and game_number < ${from + played}`;
      await expect.poll(() => count(`game_number > ${from} and game_number <= ${from + played}`), SOON).toBe(played);
      return Number(await count(`${after} and free_spins >= 8`)) > 0;
    },
    () => simulate("freespins"),
  );
  if (said === words["autoEnd_done"]) expect(games).toBe(10);
  expect(await gamesPlayed()).toBe(before + games);
});

test("a bonus ends autoplay with its sentence; the player plays the bonus on, and starts autoplay again", {
  timeout: 400_000,
}, async () => {
  const { before, games } = await runUntil(endedBy(words["autoEnd_bonus"]), () => simulate("bonus"), chooseInBonus);
  await expect
    .poll(() => count(`game_number > ${before} and game_number <= ${before + games} and bonus`), SOON)
    .toBe(1);
  expect(await page.evaluate("window.longarmAutoplay")).toBe(false);
  await runUntil((run) => Promise.resolve(run.games > 1));
});

test("a hand pay ends autoplay with its sentence, and no press follows; once staff has paid it the player plays on", {
  timeout: 400_000,
}, async () => {
  const { before, games } = await runUntil(endedBy(words["autoEnd_handPay"]), () => simulate("handpay"));
  await page.locator("[data-spin][data-state=locked]").waitFor(SLOW);
  await longarm(venue, "handpay", "confirm", MACHINE);
  await page.locator("[data-spin][data-state=ready]").waitFor(SLOW);
  expect(await gamesPlayed()).toBe(before + games);
  await playsOne();
});

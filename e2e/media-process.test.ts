/** @module-tag long */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { someOf } from "@longarm/link/testing/whole-run";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cashIn, GAME, gameOver, leave, metersOnPage, playBehind, playGame, playing } from "../rig/page/game-page.ts";
import type { Visitor } from "../rig/page/visitor.ts";
import { arrive, DESK } from "../rig/page/visitor.ts";
import type { Player } from "../rig/player.ts";
import { allOf, DENIZ, signIn } from "../rig/player.ts";
import { freePort } from "../rig/venue/free-port.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/*
 * Attack 1 to 3: the process that strangers' bytes reach hangs or dies in the middle of a game. The machine, the seat and the credits do not
 * notice, and the player's picture comes back by itself.
 */

const SOON = { timeout: 120_000, interval: 50 };
const MACHINE = "nar-01";
let venue: TestVenue;
let browser: Browser;
let player: Player;
let visitor: Visitor;
let metricsPort: number;

beforeAll(async () => {
  // No viewer is refused because the computer of the test is slow.
  const platformEnv = { NO_DEPOSIT_MS: "900000", IDLE_MS: "900000" };
  metricsPort = await freePort();
  const agentEnv = { METRICS_PORT: String(metricsPort), MEDIA_SILENT_MS: "2000" };
  venue = await openTestVenue({ web: true, machines: 1, minCycleMs: 2_500, platformEnv, agentEnv });
  player = await signIn(venue.href, DENIZ);
  browser = await sharedBrowser();
  visitor = await arrive(browser, DESK, "en");
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

type Line = { msg: string; pid?: number };

async function agentLog(): Promise<Line[]> {
  const text = await readFile(join(venue.dataFolder, "logs/agent.log"), "utf8");
  return text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Line] : []));
}
const begun = async () => (await agentLog()).filter(({ msg }) => msg === "The media process runs.");
const mediaPid = async () => (await begun()).at(-1)?.pid ?? 0;
const links = async () => (await agentLog()).filter(({ msg }) => msg === "The platform has taken this agent.").length;
const epoch = () => venue.ask(`select epoch::int as answer from seat where machine_id = '${MACHINE}'`);
const games = () => venue.ask("select count(*)::int as answer from game");
const net = () => venue.ask("select coalesce(sum(win - stake), 0)::int as answer from game");
const restarts = async () =>
  /^longarm_agent_media_restarts_total (\d+)$/m.exec(
    await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
  )?.[1];

test.each(
  someOf(1, [
    ["dies", "SIGKILL"],
    ["hangs", "SIGSTOP"],
  ] as const),
)(
  "the media process %s in the middle of a game: only the picture goes, and comes back by itself",
  async (_what, signal) => {
    const { page, context } = visitor;
    await page.goto(`${venue.href}/game/${MACHINE}/-?token=${player.token}`);
    await playing(page);
    await cashIn(page, 500, "en");
    await playGame(page, () => page.keyboard.press("Space"));
    const before = await metersOnPage(page);
    const paid = Number(await net());
    const all = allOf(await player.balance()) - paid;
    const state = { agent: venue.agent.pid(), links: await links(), epoch: await epoch() };
    const ended = Number(await restarts());
    const frames = () =>
      page
        .locator("video")
        .first()
        .evaluate((video: HTMLVideoElement) => video.getVideoPlaybackQuality().totalVideoFrames);
    await page.evaluate(() => document.documentElement.setAttribute("data-same-page", "yes"));

    // In the middle of a game that one press has begun.
    await page.keyboard.press("Space");
    await page.locator(`${GAME}[data-turning=true]`).waitFor();
    const hurt = await mediaPid();
    process.kill(hurt, signal);
    await page.locator(`${GAME}[data-live=false]`).waitFor();
    await gameOver(page, before.gamesPlayed);
    await expect.poll(mediaPid, SOON).not.toBe(hurt);
    await playing(page);
    const shown = await frames();
    await expect.poll(frames, SOON).toBeGreaterThan(shown + 10);
    expect(await page.locator("html[data-same-page=yes]").count()).toBe(1);
    expect(() => process.kill(hurt, 0)).toThrow();

    // The press was applied once, and so is the next one.
    const meters = await metersOnPage(page);
    expect(meters.gamesPlayed).toBe(before.gamesPlayed + 1);
    await playBehind(page, meters.gamesPlayed, () => page.keyboard.press("Space"));
    await expect.poll(games, SOON).toBe((await metersOnPage(page)).gamesPlayed);
    expect({ agent: venue.agent.pid(), links: await links(), epoch: await epoch() }).toEqual(state);
    // A busy computer may hold it up once more.
    expect(Number(await restarts())).toBeGreaterThan(ended);
    expect((await metersOnPage(page)).credit).toBe(before.credit + Number(await net()) - paid);
    await leave(page, "en");
    expect(allOf(await player.balance())).toBe(all + Number(await net()));
    expect(await venue.ledger.verify()).toEqual([]);
    expect(context.pages()).toHaveLength(1);
  },
);

test("the media process ends with the agent, however that ends", async () => {
  const media = await mediaPid();
  await venue.agent.kill();
  await expect
    .poll(() => {
      try {
        return process.kill(media, 0);
      } catch {
        return false;
      }
    }, SOON)
    .toBe(false);
});

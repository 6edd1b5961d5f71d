/** @module-tag long */
import { readdirSync } from "node:fs";
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cashIn, leave, logIn, playGame, sitDown } from "../../rig/page/game-page.ts";
import type { Visitor } from "../../rig/page/visitor.ts";
import { arrive, DESK } from "../../rig/page/visitor.ts";
import { DENIZ } from "../../rig/player.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { openTestVenue } from "../../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "../scripted/browser.ts";

/* The short sister of `npm run bench -- endurance`: what grows with each game shows after few of them. */

const MACHINE = "nar-01";
/** Games until everything has been drawn once, and games in which nothing may grow any more. */
const FIRST_GAMES = 4;
const MORE_GAMES = 12;

let venue: TestVenue;
let browser: Browser;
let visitor: Visitor;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 1 });
  browser = await sharedBrowser();
  visitor = await arrive(browser, DESK, "en");
});
afterAll(async () => {
  await visitor?.context.close();
  await closeVisitors(browser);
  await venue?.close();
});

async function playGames(page: Page, games: number): Promise<void> {
  for (let game = 0; game < games; game += 1) {
    await playGame(page);
  }
}

/** What the page holds once its garbage is gone, and what files and sockets the agent has open. */
async function held(cdp: CDPSession) {
  // Twice: what only a finalizer holds goes with the second.
  await cdp.send("HeapProfiler.collectGarbage");
  await cdp.send("HeapProfiler.collectGarbage");
  const { nodes, jsEventListeners } = await cdp.send("Memory.getDOMCounters");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  const agentFiles = readdirSync(`/proc/${venue.agent.pid()}/fd`).length;
  return { nodes, listeners: jsEventListeners, heapMb: usedSize / 2 ** 20, agentFiles };
}

test("game after game neither the page nor the agent holds more than before", async () => {
  const { page } = visitor;
  await logIn(page, venue.href, DENIZ);
  await sitDown(page, MACHINE);
  await cashIn(page, 500, "en");
  const cdp = await page.context().newCDPSession(page);
  await playGames(page, FIRST_GAMES);
  const before = await held(cdp);
  await playGames(page, MORE_GAMES);
  const after = await held(cdp);
  // One of anything for each game would be as many as there were games.
  expect(after.nodes - before.nodes).toBeLessThan(MORE_GAMES * 4);
  expect(after.listeners - before.listeners).toBeLessThan(MORE_GAMES);
  expect(after.agentFiles - before.agentFiles).toBeLessThan(MORE_GAMES / 2);
  expect(after.heapMb - before.heapMb).toBeLessThan(3);
  await leave(page, "en");
});

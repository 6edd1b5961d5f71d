/** @module-tag long */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { ProtooPeer } from "../apps/platform/src/testing/protoo-client.ts";
import { protooPeer } from "../apps/platform/src/testing/protoo-client.ts";
import { cashIn, GAME, leave, logIn, metersOnPage, playing, sitDown } from "../rig/page/game-page.ts";
import type { Visitor } from "../rig/page/visitor.ts";
import { arrive, DESK, dropGameSocket, frameGaps } from "../rig/page/visitor.ts";
import type { Player } from "../rig/player.ts";
import { DENIZ, ELIF, playerIdOf, signIn } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* The player's own gaps: a reload, a socket that dropped, a second tab. Others see the machine wait; the player plays on. */

const SOON = { timeout: 30_000, interval: 50 };
const MACHINE = "nar-01";
let venue: TestVenue;
let browser: Browser;
let elif: Player;
let ears: ProtooPeer;
/** The statuses of the machine that another player received. */
let received: number[];
let visitor: Visitor;
/** Every address the player's page went through. */
let addresses: string[];

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 1 });
  browser = await sharedBrowser();
  elif = await signIn(venue.href, ELIF);
  ears = protooPeer(`${venue.href.replace(/^http/, "ws")}/notifications?token=${elif.token}`, { origin: venue.href });
  ears.on("notification", ({ method, data }) => {
    const { id, status } = data as { id: string; status: number };
    if (method === "machine" && id === MACHINE) received.push(status);
  });
  await new Promise<void>((open) => ears.on("open", open));
  await ears.request("init", { id: playerIdOf(elif) });
});
afterAll(async () => {
  ears?.close();
  await closeVisitors(browser);
  await venue?.close();
});

beforeEach(async () => {
  received = [];
  visitor = await arrive(browser, DESK, "tr");
  await logIn(visitor.page, venue.href, DENIZ);
  await sitDown(visitor.page, MACHINE);
  await cashIn(visitor.page, 500, "tr");
  await expect.poll(() => received.at(-1), SOON).toBe(3);
  received = [];
  addresses = [];
  listen(visitor.page);
});
afterEach(async () => {
  await visitor.context.close();
});

function listen(page: Page): void {
  page.on("framenavigated", (frame) => addresses.push(new URL(frame.url()).pathname));
}

/** Plays on where it was: pictures come, the credits are there, the lobby was never shown. */
async function playsOn(page: Page): Promise<void> {
  await playing(page);
  await frameGaps(page, 10);
  await expect.poll(async () => (await metersOnPage(page)).credit, SOON).toBe(50_000);
  expect(addresses.filter((path) => !path.startsWith("/game/"))).toEqual([]);
}

/** Another player saw the machine wait, then play again. */
async function othersSawTheGap(): Promise<void> {
  await expect.poll(() => received, SOON).toEqual([2, 3]);
  await expect.poll(() => elif.statusOf(MACHINE), SOON).toBe(3);
}

async function goHome(page: Page): Promise<void> {
  await leave(page, "tr");
  await expect.poll(() => elif.statusOf(MACHINE), SOON).toBe(1);
}

test("a reload plays on; others see the machine wait meanwhile", async () => {
  await visitor.page.reload();
  await playsOn(visitor.page);
  await othersSawTheGap();
  await goHome(visitor.page);
});

test("a dropped game socket plays on; others see the machine wait meanwhile", async () => {
  await dropGameSocket(visitor.page);
  await othersSawTheGap();
  await visitor.page.locator(`${GAME}[data-online=true]`).waitFor();
  await playsOn(visitor.page);
  await goHome(visitor.page);
});

test("a second tab in the lobby changes nothing; one at the machine plays on, and the first does not fight for it", async () => {
  const second = await visitor.context.newPage();
  await second.goto(`${venue.href}/lobby`);
  await second.locator(`[data-machine="${MACHINE}"]`).waitFor();
  await playsOn(visitor.page);
  expect(received).toEqual([]);

  addresses = [];
  listen(second);
  await second.goto(new URL(visitor.page.url()).href);
  await playing(second);
  await visitor.page.locator(`${GAME}[data-phase=playing]`).waitFor({ state: "detached" });
  addresses = addresses.filter((path) => path !== "/lobby");
  await playsOn(second);
  await expect.poll(() => elif.statusOf(MACHINE), SOON).toBe(3);
  await goHome(second);
});

/** @module-tag long */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cashIn, GAME, logIn, sitDown } from "../rig/page/game-page.ts";
import { arrive, DESK } from "../rig/page/visitor.ts";
import { DENIZ, ELIF } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* The lobby's pictures are the machines' own: taken by the agent, small, kept until they change, and changing while reels turn. */

const SOON = { timeout: 60_000, interval: 100 };
const STILL_BYTES_MAX = 30_000;
let venue: TestVenue;
let browser: Browser;

beforeAll(async () => {
  venue = await openTestVenue({ web: true, machines: 2, platformEnv: { STILL_EVERY_MS: "1000" } });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

test("the lobby shows a machine's reels turn in its still; the still of a machine at rest is not fetched again", async () => {
  const watcher = await arrive(browser, DESK, "en");
  const fetched: { machine: string; bytes: number; etag: string }[] = [];
  watcher.page.on("response", (response) => {
    const machine = /machine\/([\w-]+)\/still/.exec(response.url())?.[1];
    if (machine === undefined || response.status() !== 200) return;
    const { etag = "", "content-length": bytes } = response.headers();
    fetched.push({ machine, bytes: Number(bytes), etag });
  });
  await watcher.page.route("**/Settings.json", async (route) => {
    const settings = (await (await route.fetch()).json()) as Record<string, unknown>;
    await route.fulfill({ json: { ...settings, updateLobby: 1 } });
  });
  await logIn(watcher.page, venue.href, DENIZ);
  const stillsOf = (machine: string) => fetched.filter((still) => still.machine === machine);
  await expect.poll(() => stillsOf("nar-01").length, SOON).toBeGreaterThan(0);
  await expect.poll(() => stillsOf("pera-01").length, SOON).toBeGreaterThan(0);
  for (const { bytes } of fetched) expect(bytes).toBeLessThan(STILL_BYTES_MAX);

  const player = await arrive(browser, DESK, "en");
  await logIn(player.page, venue.href, ELIF);
  await sitDown(player.page, "nar-01");
  await cashIn(player.page, 500, "en");
  const known = new Set(stillsOf("nar-01").map(({ etag }) => etag));
  await expect
    .poll(async () => {
      await player.page.locator(`${GAME}[data-turning=false]`).waitFor();
      await player.page.keyboard.press("Space");
      return stillsOf("nar-01").filter(({ etag }) => !known.has(etag)).length;
    }, SOON)
    .toBeGreaterThan(2);
  // What is shown is the newest, and was never shown broken.
  const shown = watcher.page.locator("[data-machine=nar-01] img");
  await expect
    .poll(() => shown.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth), SOON)
    .toBe(640);
  // The picture of the other machine did not change, so it was not fetched again.
  expect(new Set(stillsOf("pera-01").map(({ etag }) => etag)).size).toBe(1);
  expect(stillsOf("pera-01").length).toBeLessThanOrEqual(2);
  const atRest = await watcher.page.locator("[data-machine=pera-01] img").getAttribute("src");
  const headers = { "if-none-match": stillsOf("pera-01").at(-1)?.etag ?? "" };
  expect((await fetch(new URL(atRest ?? "", venue.href), { headers })).status).toBe(304);
  expect(watcher.complaints).toEqual([]);
});

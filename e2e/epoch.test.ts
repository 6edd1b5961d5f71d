/** @module-tag long */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBareViewer } from "../rig/page/bare-viewer.ts";
import type { Player } from "../rig/player.ts";
import { signIn } from "../rig/player.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { closeVisitors, sharedBrowser } from "./scripted/browser.ts";

/* The agent itself, over the data channel and past the platform, refuses the previous holder of the seat. */

const SOON = { timeout: 30_000, interval: 50 };
const MACHINE = "nar-01";
let venue: TestVenue;
let player: Player;
let browser: Browser;

beforeAll(async () => {
  venue = await openTestVenue({ machines: 1 });
  player = await signIn(venue.href);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors(browser);
  await venue?.close();
});

test("a press of an older epoch is refused by the agent, one of the present epoch starts a game", async () => {
  const page = await browser.newPage();
  const viewer = await openBareViewer(page);
  await (await player.open(MACHINE)).init();
  const seat = await player.open(MACHINE);
  const init = await seat.init({ offer: await viewer.offer() });
  if (init.is !== "done") throw new Error("the holder was refused");
  const { epoch = 0, answer = "", meters } = init.data;
  await viewer.accept(answer);
  await expect.poll(viewer.open, SOON).toBe(true);
  await seat.peer.request("cashIn", { id: "for-one-game", amount: 50_000 });

  // `at` counts on one clock: browser, agent and test share this computer.
  const spin = { button: "spin", stake: meters?.bet ?? 0 };
  const now = (): number => Date.now();
  expect(await viewer.press({ ...spin, epoch: epoch - 1, seq: 1, at: now() })).toMatchObject({
    outcome: "refused",
    reason: "stale epoch",
  });
  expect(await viewer.press({ ...spin, epoch, seq: 2, at: now() - 2_000 })).toMatchObject({ outcome: "stale" });
  // On a busy computer a press may come too late, and is made again.
  let seq = 2;
  await expect
    .poll(() => {
      seq += 1;
      return viewer.press({ ...spin, epoch, seq, at: now() });
    }, SOON)
    .toMatchObject({ outcome: "started" });
  await expect.poll(() => seat.ofMethod("meters").at(-1), SOON).toMatchObject({ gamesPlayed: 1, inGame: false });
  await expect
    .poll(() => seat.peer.request("leave", {}), SOON)
    .toMatchObject({ is: "done", data: { outcome: "done" } });
  await expect.poll(() => player.statusOf(MACHINE), SOON).toBe(1);
  expect(await venue.ledger.verify()).toEqual([]);
});

/** @module-tag long */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { confirmLeave } from "../../rig/page/game-page.ts";
import { countOpen, readOpen } from "./game-leaving.ts";
import { setUpGameStage } from "./game-stage.ts";

const stage = setUpGameStage();
const SOON = { timeout: 60_000 };

test("leaving the game closes every connection, socket, track, timer, sound and lock that it opened, each time", async () => {
  const game = await stage.openGame({
    from: "/lobby",
    init: (answer) => {
      answer.webcam = true;
    },
    prepare: (_, page) => countOpen(page),
  });
  const { page, presses } = game;
  await page.locator("article").first().waitFor();
  // Once before it counts: what a page loads for the first time it keeps.
  await playOnce();
  const before = await resting(page);
  await playOnce();
  await expect.poll(() => readOpen(page), SOON).toEqual(before);
  expect(before).toMatchObject({ peers: 0, channels: 0, tracks: 0, audio: 0, wakeLocks: 0, frames: 0 });

  async function playOnce(): Promise<void> {
    const played = presses.length;
    await page.locator("[data-machine=m_3] a").click();
    await game.playing();
    await page.locator("figure video").waitFor();
    await page.keyboard.press("Space");
    await expect.poll(() => presses.length, SOON).toBe(played + 1);
    game.finish(300);
    await page.locator("main[data-turning=false][data-win='300']").waitFor(SOON);
    const open = await readOpen(page);
    expect(open.peers).toBeGreaterThan(0);
    expect(open.tracks).toBeGreaterThanOrEqual(3);
    expect(open.audio).toBe(1);
    expect(open.wakeLocks).toBe(1);
    await page.getByRole("button", { name: "Back to lobby" }).click();
    await confirmLeave(page);
    await page.waitForURL("**/lobby**");
    await page.locator("article").first().waitFor();
  }
});

/** What is open once the lobby has settled: the same twice, with the messages gone. */
async function resting(page: Page) {
  await page.locator("[data-machine=m_3]").first().waitFor();
  let last = "";
  await expect
    .poll(
      async () => {
        const now = JSON.stringify(await readOpen(page));
        const same = now === last;
        last = now;
        return same && JSON.parse(now).peers === 0;
      },
      { ...SOON, interval: 2_000 },
    )
    .toBe(true);
  return await readOpen(page);
}

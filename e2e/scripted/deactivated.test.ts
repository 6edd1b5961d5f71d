import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";
import type { World } from "./world.ts";

const stage = setUpStage();
const withSettings = (settings: Record<string, unknown>) => (world: World) =>
  void Object.assign(world.settings, settings);
const scene: Scene = { clock: true };
const QUESTION = "You haven't acted for a long time. Do you want to continue?";

const question = (page: Page) => page.getByRole("dialog", { name: "Are you still there?" });
/** Somebody is watched over. (The exact times are in a test of the model: here the clock runs on, so there is room to its limits.) */
const watched = (page: Page) =>
  expect.poll(() => page.evaluate(() => localStorage.getItem("longarm.lastInput"))).not.toBeNull();
const gone = (page: Page) => question(page).waitFor({ state: "detached" });

test("R-2.9-05, R-2.9-06, R-4.5-08: five idle minutes bring the question; Continue takes it away and starts the time again", async () => {
  const { page, path } = await stage.open("/lobby/nar/Nar", scene);
  await page.locator("article").first().waitFor();
  await watched(page);
  await page.clock.fastForward(200_000);
  expect(await question(page).count()).toBe(0);
  await page.clock.fastForward(100_000);
  await question(page).waitFor();
  await page.getByText(QUESTION, { exact: true }).waitFor();
  // An input that is no answer is none.
  await page.keyboard.press("Shift");
  await page.getByRole("timer").waitFor();
  await page.getByRole("button", { name: "Continue" }).press("Enter");
  await gone(page);
  await page.clock.fastForward(200_000);
  expect(await question(page).count()).toBe(0);
  await expect.poll(path).toBe("/lobby/nar/Nar");
  await page.clock.fastForward(100_000);
  await question(page).waitFor();
});

test("no answer in 60 s leads to the lobby, and the question does not come again before the player acts", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/lobby/nar/Nar", scene);
  await page.locator("article").first().waitFor();
  await watched(page);
  await page.clock.fastForward(300_000);
  await question(page).waitFor();
  await page.clock.fastForward(60_000);
  await page.waitForURL("**/lobby");
  await gone(page);
  await page.clock.fastForward(600_000);
  expect(await question(page).count()).toBe(0);
  await page.keyboard.press("Shift");
  await page.clock.fastForward(300_000);
  await question(page).waitFor();
});

test("R-4.5-09, R-9-28: its time is a setting, and 0 switches it off", { tags: ["long"] }, async () => {
  const soon = await stage.open("/lobby", { ...scene, world: withSettings({ deactivatedMs: 3_000_000 }) });
  await soon.page.locator("article").first().waitFor();
  await watched(soon.page);
  await soon.page.clock.fastForward(2_000_000);
  expect(await question(soon.page).count()).toBe(0);
  await soon.page.clock.fastForward(1_000_000);
  await question(soon.page).waitFor();

  const never = await stage.open("/lobby", { ...scene, world: withSettings({ deactivatedMs: 0, updateLobby: 0 }) });
  await never.page.locator("article").first().waitFor();
  await never.page.clock.fastForward(3_600_000);
  expect(await question(never.page).count()).toBe(0);
});

test("a game gets no question; the page after it does", { tags: ["long"] }, async () => {
  const { page, backEnd } = await stage.open("/game/m_3/Mercan", scene);
  await expect.poll(() => backEnd.opened.game.length).toBe(1);
  await watched(page);
  await page.clock.fastForward(400_000);
  expect(await question(page).count()).toBe(0);
  // The platform ends the game: the player touched nothing.
  await page.evaluate(() => {
    history.pushState(null, "", "/lobby");
    dispatchEvent(new PopStateEvent("popstate"));
  });
  await page.waitForURL("**/lobby");
  await question(page).waitFor();
});

test("an input in another tab answers, and a guest gets no question", { tags: ["long"] }, async () => {
  const { page, backEnd } = await stage.open("/lobby", scene);
  await page.locator("article").first().waitFor();
  await watched(page);
  await page.clock.fastForward(300_000);
  await question(page).waitFor();
  const other = await page.context().newPage();
  await other.goto(`${backEnd.url}/favicon.svg`);
  const now = await page.evaluate(() => Date.now());
  await other.evaluate((time) => localStorage.setItem("longarm.lastInput", String(time)), now);
  await gone(page);

  const guest = await stage.open("/login", { ...scene, guest: true });
  await guest.page.locator("main button").first().waitFor();
  await guest.page.clock.fastForward(600_000);
  expect(await guest.page.getByRole("dialog").count()).toBe(0);
});

test.each(everyWindow("desk"))(
  "the question at $width x $height in $language: focus in it, and back after it",
  { tags: ["long"] },
  async (window) => {
    const { page, complaints } = await stage.open("/lobby", { ...scene, window });
    await page.locator("article").first().waitFor();
    await expect.poll(() => page.evaluate(() => localStorage.getItem("longarm.lastInput"))).not.toBeNull();
    const search = page.locator("input[type=search]").first();
    await search.focus();
    await page.clock.fastForward(300_000);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("timer").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    for (let step = 0; step < 4; step += 1) {
      await page.keyboard.press("Tab");
      // The guards at both ends give the focus back.
      await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => search.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(complaints).toEqual([]);
  },
);

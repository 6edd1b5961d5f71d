import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { texts } from "../../rig/page/game-page.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpGameStage } from "./game-stage.ts";
import type { World } from "./world.ts";

const stage = setUpGameStage();
/** The mark on a card of the lobby, and the one below the machine's name in a game. */
const ON_CARD = "small[id]";
const IN_GAME = "main small.plate";

/** All machines are simulated but one: a floor may be mixed. */
function mixedFloor(world: World): void {
  world.machines = world.machines.map((machine, at) => ({ ...machine, ...(at !== 1 && { simulated: true }) }));
}

/** Whether all of an element lies in the window and nothing covers its middle. */
const isSeen = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((mark) => {
      const { left, right, top, bottom } = mark.getBoundingClientRect();
      const inside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && right > left;
      return inside && document.elementFromPoint((left + right) / 2, (top + bottom) / 2) !== null;
    });

test.each(everyWindow("phone"))(
  "the lobby says which machines are simulated, at $width × $height in $language",
  async (window) => {
    const { page } = await stage.open("/lobby", { window, world: mixedFloor });
    const said = texts(window.language, "app")["simulated"];
    await page.locator("[data-machine=m_12]").waitFor();
    await expect
      .poll(() => page.locator(`article ${ON_CARD}`).allTextContents())
      .toEqual(Array<string>(11).fill(said ?? ""));
    expect(await page.locator(`[data-machine=m_2] ${ON_CARD}`).count()).toBe(0);
    // A screen reader reads it with the machine's state.
    const describedBy = await page.locator("[data-machine=m_1] h3 a").getAttribute("aria-describedby");
    expect(describedBy?.split(" ")).toContain(await page.locator(`[data-machine=m_1] ${ON_CARD}`).getAttribute("id"));
    expect(await isSeen(page, `[data-machine=m_1] ${ON_CARD}`)).toBe(true);
    expect(await overflowOf(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
  },
);

test.each(everyWindow("lying"))(
  "the game says that its machine is simulated, at $width × $height in $language",
  { tags: ["long"] },
  async (window) => {
    const { page, playing, script } = await stage.openGame({
      window,
      init: ({ machine }) => Object.assign(machine, { simulated: true }),
    });
    script("about", () => ({ ok: {} }));
    await playing();
    const mark = page.locator(IN_GAME);
    await expect.poll(() => mark.textContent()).toBe(texts(window.language, "app")["simulated"]);
    expect(await isSeen(page, IN_GAME)).toBe(true);
    // Neither the link's figures nor the exit lie over it.
    const overlaps = await page.evaluate((selector) => {
      const box = document.querySelector(selector)?.getBoundingClientRect();
      const others = [...document.querySelectorAll("main button")].map((button) => button.getBoundingClientRect());
      return others.filter(
        (other) =>
          box && other.left < box.right && other.right > box.left && other.top < box.bottom && other.bottom > box.top,
      ).length;
    }, IN_GAME);
    expect(overlaps).toBe(0);
    await page.keyboard.press("i");
    const { aboutSimulated = "-" } = texts(window.language, "play");
    await page.getByRole("dialog").getByText(aboutSimulated).waitFor();
    expect(await overflowOf(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
  },
);

/** @module-tag long */
import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { axeFindings, overflowOf } from "./browser.ts";
import { PHONE, setUpStage } from "./game-stage.ts";
import type { World } from "./world.ts";

const stage = setUpStage();

const COUNT = 2_000;
const idOf = (index: number) => `n_${index}`;
function largeFloor(world: World): void {
  world.machines = Array.from(
    { length: COUNT },
    (_, index): LobbyMachine => ({
      id: idOf(index),
      name: `${["Nar", "Kuzey", "Pera", "Mercan"][index % 4]} ${String(index).padStart(4, "0")}`,
      brand: ["Nar", "Kuzey", "Pera", "Mercan"][index % 4] ?? "",
      status: index % 5,
    }),
  );
}
const cards = (page: Page) => page.locator("article").count();
const card = (page: Page, index: number) => page.locator(`[data-machine=${idOf(index)}]`);
const height = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight);
/** The highest strip of the window's floor without a card, px. */
const emptyPx = (page: Page) =>
  page.evaluate(() => {
    const floor = document.querySelector("main section > ul")?.getBoundingClientRect();
    const rows = [...document.querySelectorAll("article")].map((one) => one.getBoundingClientRect());
    let end = Math.max(floor?.top ?? 0, 0);
    let most = 0;
    for (const { top, bottom } of rows.toSorted((one, other) => one.top - other.top)) {
      if (bottom < 0 || top > innerHeight) continue;
      most = Math.max(most, top - end);
      end = Math.max(end, bottom);
    }
    return Math.max(most, Math.min(floor?.bottom ?? 0, innerHeight) - end);
  });
const isInWindow = (page: Page, index: number) =>
  card(page, index).evaluate((one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });

test.each([
  ["a desk", {}],
  ["a phone", { window: PHONE }],
])(
  "2,000 machines on %s: fewer than 200 cards, the whole height, and each card is where it is scrolled to",
  async (_what, scene) => {
    const { page, complaints } = await stage.open("/lobby", { world: largeFloor, ...scene });
    await card(page, 0).waitFor();
    expect(await cards(page)).toBeLessThan(200);
    await expect.poll(() => page.locator("main ul li[aria-setsize='2000'][aria-posinset='1']").count()).toBe(1);
    // As high as all rows together.
    const [first, second] = await page.locator("article").evaluateAll((all) => {
      const tops = [...new Set(all.map((one) => Math.round(one.getBoundingClientRect().top)))];
      const columns = all.filter((one) => Math.round(one.getBoundingClientRect().top) === tops[0]).length;
      return [columns, (tops[1] ?? 0) - (tops[0] ?? 0)];
    });
    await expect.poll(() => height(page)).toBeGreaterThan((COUNT / (first ?? 1) - 1) * (second ?? 0));
    for (const share of [0.37, 0.9, 0.02, 1]) {
      await page.evaluate((part) => scrollTo(0, part * document.documentElement.scrollHeight), share);
      // From the window's upper edge to its lower one: no gap is higher than one between two rows.
      await expect.poll(() => emptyPx(page)).toBeLessThan(60);
      expect(await cards(page)).toBeLessThan(200);
    }
    await card(page, COUNT - 1).waitFor();
    await expect.poll(() => isInWindow(page, COUNT - 1)).toBe(true);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

test("R-3-18: of 2,000 machines a push draws one card, and 1,000 pushes at once draw the cards that are there", async () => {
  const { page, backEnd } = await stage.open("/lobby", { world: largeFloor });
  await card(page, 1).and(page.locator("[data-lamp=available]")).waitFor();
  await expect.poll(() => backEnd.listening()).toBe(1);
  await page.evaluate(() => {
    const touched = new Set<string>();
    const watch = new MutationObserver((records) => {
      for (const { target } of records) {
        const one = (target instanceof Element ? target : target.parentElement)?.closest("article");
        if (one) touched.add(one.getAttribute("data-machine") ?? "");
      }
    });
    watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    Object.assign(window, { touched });
  });
  const touched = () => page.evaluate(() => [...(window as unknown as { touched: Set<string> }).touched]);
  backEnd.push("machine", { id: idOf(1), status: 3 });
  backEnd.push("machine", { id: idOf(1_500), status: 3 });
  await card(page, 1).and(page.locator("[data-lamp=playing]")).waitFor();
  await expect.poll(() => touched()).toEqual([idOf(1)]);
  await page.getByRole("button", { name: "Playing 402" }).waitFor();
  for (let index = 0; index < 1_000; index += 1) backEnd.push("machine", { id: idOf(index), status: 4 });
  await page.getByRole("button", { name: "Reserved 1200" }).waitFor();
  await card(page, 0).and(page.locator("[data-lamp=reserved]")).waitFor();
  expect(await cards(page)).toBeLessThan(200);
});

test("the keyboard walks from card to card beyond the first window, and a scrolled-away focus is not lost", async () => {
  const { page } = await stage.open("/lobby", { world: largeFloor });
  await card(page, 0).waitFor();
  await card(page, 0).getByRole("link").focus();
  const focused = () => page.evaluate(() => document.activeElement?.closest("article")?.getAttribute("data-machine"));
  for (let index = 1; index <= 40; index += 1) {
    // The favourite, then the next cabinet.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await expect.poll(() => focused()).toBe(idOf(index));
  }
  await expect.poll(() => isInWindow(page, 40)).toBe(true);
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await card(page, COUNT - 1).waitFor();
  await expect.poll(() => focused()).toBe(idOf(40));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect.poll(() => focused()).toBe(idOf(41));
});

test("search and filters reach every machine, and the floor shrinks and grows with them", async () => {
  const { page } = await stage.open("/lobby", { world: largeFloor });
  await card(page, 0).waitFor();
  const whole = await height(page);
  await page.getByLabel("Search machines").fill("1999");
  await card(page, 1_999).waitFor();
  await expect.poll(() => cards(page)).toBe(1);
  expect(await height(page)).toBeLessThan(whole);
  await page.getByRole("button", { name: "Clear the search" }).click();
  await expect.poll(() => height(page)).toBe(whole);
  await page.getByRole("button", { name: /^Reserved/ }).click();
  await card(page, 4).waitFor();
  await expect.poll(() => page.locator("li[aria-setsize='400']").count()).toBeGreaterThan(0);
});

test("whoever comes back from a game finds the floor where it was left", async () => {
  const { page } = await stage.open("/lobby", { world: largeFloor });
  await card(page, 0).waitFor();
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight / 2));
  await card(page, 1_001).waitFor();
  const before = await page.evaluate(() => scrollY);
  await card(page, 1_001)
    .getByRole("link")
    .evaluate((link: HTMLElement) => link.click());
  await page.waitForURL("**/game/n_1001/**");
  await page.goBack();
  await page.waitForURL("**/lobby");
  await card(page, 1_001).waitFor();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(before);
  await expect.poll(() => isInWindow(page, 1_001)).toBe(true);
});

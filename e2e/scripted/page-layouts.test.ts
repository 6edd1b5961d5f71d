import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { axeFindings, overflowOf } from "./browser.ts";
import { setUpTemplateStage } from "./game-stage.ts";
import type { World } from "./world.ts";

const stage = setUpTemplateStage();

/** In layout1 the bars are fixed and the content scrolls between them. */
const WIDE = { width: 1600, height: 900, language: "en" } as const;
const inLayout1 = (world: World) => {
  world.settings["layout"] = "layout1";
};
const CARDED = ["full-width", "left-sidebar", "right-sidebar"].flatMap((name) =>
  ["", "-tabbed", "-2", "-2-tabbed"].map((end) => `carded/${name}${end}`),
);
const SIMPLE = [
  "simple/full-width",
  ...["left-sidebar", "right-sidebar"].flatMap((name) => ["", "-2", "-3"].map((end) => `simple/${name}${end}`)),
  "simple/tabbed",
];

/** Another page of the template, as a link of the navigation opens it. */
async function go(page: Page, name: string): Promise<void> {
  const before = await page.locator("h1").elementHandle();
  await page.evaluate((to) => history.pushState({}, "", to), `/ui/page-layouts/${name}`);
  await before?.waitForElementState("hidden");
  await page.locator("[data-kind] h1").waitFor();
}

/** Positions of the parts of a page layout, CSS px. */
const measured = (page: Page) =>
  page.locator("[data-kind]").evaluate((layout) => {
    const box = (node: Element | null) => {
      if (node === null) return undefined;
      const { left, right, top, bottom, width, height } = node.getBoundingClientRect();
      return { left, right, top, bottom, width, height };
    };
    let scroller = layout.parentElement ?? document.documentElement;
    while (scroller.parentElement && getComputedStyle(scroller).overflowY === "visible")
      scroller = scroller.parentElement;
    const side = layout.querySelector(":scope > section[data-at]");
    const card = Array.from(layout.children).findLast((part) => part !== side) as HTMLElement;
    const [toolbar, content] = Array.from(card.children) as [HTMLElement, HTMLElement];
    return {
      kind: layout.getAttribute("data-kind"),
      whole: box(layout)!,
      band: getComputedStyle(layout, "::before").height,
      header: box(layout.firstElementChild)!,
      side: box(side),
      sideHeader: box(side?.firstElementChild ?? null)?.height,
      toolbar: box(toolbar)!.height,
      card: box(card)!,
      scrollsInside: getComputedStyle(content).overflowY === "auto" && content.scrollHeight > content.clientHeight,
      fits: layout.clientHeight <= scroller.clientHeight,
      tabs: layout.querySelectorAll("[role=tab]").length,
    };
  });

/** What every page of its name has, whatever its kind. */
async function checkShape(page: Page, name: string): Promise<Awaited<ReturnType<typeof measured>>> {
  const shape = await measured(page);
  const { whole, header, side, card } = shape;
  expect(name).toMatch(new RegExp(`^${shape.kind}/`));
  expect(shape.toolbar, name).toBe(64);
  expect(shape.tabs, name).toBe(name.endsWith("tabbed") ? 7 : 0);
  const at = /(left|right)-sidebar/.exec(name)?.[1] as "left" | "right" | undefined;
  expect(side?.width, name).toBe(at && 240);
  if (at !== undefined) expect(side?.[at], name).toBe(whole[at]);
  expect(header.width, name).toBe(whole.width - (at === undefined || name.endsWith("-3") ? 0 : 240));
  expect(card.width <= header.width, name).toBe(true);
  // Then the page is as high as its frame, and only the content scrolls.
  expect([shape.scrollsInside, shape.fits], name).toEqual([name.includes("-2"), name.includes("-2")]);
  return shape;
}

test("R-2.1-47: each of the twelve carded pages is a card on a band of 200 px, with header 136, toolbar 64 and sidebar 240", async () => {
  const { page, complaints } = await stage.open("/ui/page-layouts/blank", { window: WIDE, world: inLayout1 });
  await page.getByRole("heading", { name: "The floor at night" }).waitFor();
  expect(CARDED).toHaveLength(12);
  for (const name of CARDED) {
    await go(page, name);
    const { band, header, card, sideHeader } = await checkShape(page, name);
    expect([band, header.height], name).toEqual(["200px", 136]);
    if (sideHeader !== undefined) expect(sideHeader, name).toBe(200);
    // Its toolbar lies on the lower 64 px of the band.
    expect(card.top, name).toBe(header.bottom);
    await page.getByRole("heading", { name: name.endsWith("tabbed") ? "Item One" : "The floor at night" }).waitFor();
  }
  expect(complaints).toEqual([]);
});

test("R-2.1-48: each of the eight simple pages has a header of 120 px, toolbar 64 and sidebar 240, beside the header or under it", async () => {
  const { page, complaints } = await stage.open("/ui/page-layouts/blank", { window: WIDE, world: inLayout1 });
  await page.getByRole("heading", { name: "The floor at night" }).waitFor();
  expect(SIMPLE).toHaveLength(8);
  for (const name of SIMPLE) {
    await go(page, name);
    const { header, whole, side, sideHeader } = await checkShape(page, name);
    expect(header.height, name).toBe(120);
    if (side !== undefined)
      expect([sideHeader, side.top], name).toEqual([120, name.endsWith("-3") ? header.bottom : whole.top]);
  }
  expect(complaints).toEqual([]);
});

test("tabs are worked by keys and each shows its own panel; the scrolling content is reached by the keyboard", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/ui/page-layouts/carded/left-sidebar-2-tabbed", {
    window: WIDE,
    world: inLayout1,
  });
  const tabs = page.getByRole("tab");
  await tabs.first().focus();
  await page.keyboard.press("End");
  await page.getByRole("heading", { name: "Item Seven" }).waitFor();
  await expect
    .poll(() => tabs.allInnerTexts())
    .toEqual(["One", "Two", "Three", "Four", "Five", "Six", "Seven"].map((n) => `Item ${n}`));
  const content = page.getByRole("region", { name: "Content", exact: true });
  await content.focus();
  await page.keyboard.press("End");
  await expect.poll(() => content.evaluate((node) => node.scrollTop)).toBeGreaterThan(0);
  await expect.poll(() => page.getByRole("region", { name: "Sidebar" }).locator("li").count()).toBe(30);
  expect(await axeFindings(page)).toEqual([]);
});

test.each([
  ["carded/left-sidebar", { width: 1279, height: 800, language: "en" }, "Sidebar", "left"],
  ["simple/right-sidebar-3", { width: 1024, height: 768, language: "tr" }, "Yan çubuk", "right"],
  ["carded/left-sidebar-2", { width: 390, height: 844, language: "ar" }, "الشريط الجانبي", "right"],
  ["simple/right-sidebar-2", { width: 844, height: 390, language: "ar" }, "الشريط الجانبي", "left"],
] as const)(
  "%s: under 1280 px the sidebar is a drawer with a key, on the side of the sidebar",
  { tags: ["long"] },
  async (name, window, label, from) => {
    const { page, complaints } = await stage.open(`/ui/page-layouts/${name}`, { window });
    const key = page.getByRole("button", { name: label, exact: true });
    await key.click();
    const drawer = page.getByRole("dialog", { name: label });
    await expect.poll(() => drawer.locator("li").count()).toBe(30);
    const edge = () => drawer.evaluate((node, side) => Math.round(node.getBoundingClientRect()[side]), from);
    await expect.poll(edge).toBe(from === "left" ? 0 : window.width);
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await expect.poll(() => key.evaluate((node) => node === document.activeElement)).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    expect(complaints).toEqual([]);
  },
);

test("in Arabic the sidebars of a wide window change sides", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/ui/page-layouts/simple/left-sidebar", { window: { ...WIDE, language: "ar" } });
  await page.locator("[data-kind] h1").waitFor();
  const { side, whole } = await measured(page);
  expect(side?.right).toBe(whole.right);
});

test("R-2.1-49: the blank page is the demo text with 24 px around it", async () => {
  const { page, complaints } = await stage.open("/ui/page-layouts/blank", { window: WIDE });
  const text = page.locator("article").filter({ has: page.getByRole("heading", { name: "The floor at night" }) });
  await text.waitFor();
  await expect.poll(() => text.locator("..").evaluate((node) => getComputedStyle(node).padding)).toBe("24px");
  await expect.poll(() => text.locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1600);
  await expect.poll(() => page.locator("h1").allInnerTexts()).toEqual(["Blank Page"]);
  await expect.poll(() => text.locator("blockquote").innerText()).toContain("Light means you can sit down.");
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("an address below the page layouts that is unknown leads to the 404 page", { tags: ["long"] }, async () => {
  const { page, path } = await stage.open("/ui/page-layouts/carded/no-such");
  await page.locator("h1").waitFor();
  await expect.poll(path).toBe("/pages/errors/error-404");
});

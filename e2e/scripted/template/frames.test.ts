import { someOf } from "@longarm/link/testing/whole-run";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { SHOWCASE_PAGES } from "../../../apps/web/src/features/showcase/pages.ts";
import { ok } from "../answers.ts";
import type { Window } from "../browser.ts";
import { logIn, PHONE, setUpTemplateStage } from "../game-stage.ts";
import { goTo } from "./tour.ts";

const stage = setUpTemplateStage();
const DESK = { width: 1440, height: 900, language: "en" } as const satisfies Window;
const WIDE = { ...DESK, width: 1600 } as const;

/** Opens a page with the layout that the operator set and the options that the account keeps. */
function openIn(style: string, config: object, { path = "/lobby", window = DESK as Window } = {}) {
  return stage.open(path, {
    window,
    world(world) {
      world.settings["layout"] = style;
      world.signIn["settings"] = { layout: { style, config } };
    },
  });
}
const navbarOf = (page: Page) => page.getByRole("navigation", { name: "Menu", exact: true });
const toolbarOf = (page: Page) => page.locator("[data-region=toolbar]").first();
const footerOf = (page: Page) => page.getByRole("contentinfo");
const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`${selector} is not drawn`);
  return box;
};
const title = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();

describe("the bars of layout1", () => {
  test("R-3-23: folded, the navigation is 64 px wide, opens over the page under the pointer, and its key unfolds it", async () => {
    const { page } = await openIn("layout1", { navbar: { folded: true } });
    await title(page, "Lobby");
    // A browser without windows begins with its pointer in the corner, which is over the navigation.
    await page.mouse.move(900, 500);
    const widthOf = async () => (await navbarOf(page).boundingBox())?.width;
    await expect.poll(() => widthOf()).toBe(64);
    const pageBefore = (await boxOf(page, "#page")).x;
    await navbarOf(page).hover();
    await expect.poll(widthOf).toBe(280);
    await expect.poll(async () => (await boxOf(page, "#page")).x).toBe(pageBefore);
    await page.mouse.move(900, 500);
    await expect.poll(widthOf).toBe(64);
    await navbarOf(page).getByRole("button", { name: "Unfold the menu" }).click();
    await expect.poll(async () => (await boxOf(page, "#page")).x).toBeGreaterThan(pageBefore + 200);
    await expect.poll(() => widthOf()).toBe(280);
  });

  test("R-3-23: the navigation is at the left or at the right, and neither it nor the toolbar has to be there", {
    tags: ["long"],
  }, async () => {
    const left = await openIn("layout1", {});
    await title(left.page, "Lobby");
    expect((await navbarOf(left.page).boundingBox())?.x).toBe(0);
    const right = await openIn("layout1", { navbar: { position: "right" } });
    await title(right.page, "Lobby");
    await expect.poll(async () => (await navbarOf(right.page).boundingBox())?.x).toBe(1440 - 280);
    const bare = await openIn("layout1", { navbar: { display: false }, toolbar: { display: false } });
    await title(bare.page, "Lobby");
    expect(await navbarOf(bare.page).count()).toBe(0);
    expect(await toolbarOf(bare.page).count()).toBe(0);
  });

  test("without the toolbar its items are in the navigation: wallet, claims, search", { tags: ["long"] }, async () => {
    const { page } = await openIn("layout1", { toolbar: { display: false } });
    await title(page, "Lobby");
    await navbarOf(page).getByText("12,450").first().waitFor();
    await navbarOf(page).getByRole("button", { name: "Claim discount" }).waitFor();
    await navbarOf(page).getByRole("button", { name: "Click to search" }).click();
    await page.getByRole("dialog").getByRole("combobox").fill("classic");
    await page.getByRole("option", { name: /Classic/ }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe("/pages/search/classic");
  });

  test("a bar that is above reaches over the navigation, one below is beside it", { tags: ["long"] }, async () => {
    const below = await openIn("layout1", { footer: { style: "fixed" } });
    await title(below.page, "Lobby");
    await expect.poll(async () => (await toolbarOf(below.page).boundingBox())?.x).toBeGreaterThanOrEqual(280);
    await expect.poll(async () => (await footerOf(below.page).boundingBox())?.x).toBeGreaterThanOrEqual(280);
    const above = await openIn("layout1", { toolbar: { position: "above" }, footer: { position: "above" } });
    await title(above.page, "Lobby");
    expect((await toolbarOf(above.page).boundingBox())?.x).toBe(0);
    expect((await footerOf(above.page).boundingBox())?.x).toBe(0);
    await expect.poll(async () => (await navbarOf(above.page).boundingBox())?.y).toBeGreaterThanOrEqual(64);
  });

  test.each(["body", "content"] as const)(
    "a fixed toolbar stays while the %s scrolls, a static one goes",
    { tags: ["long"] },
    async (scroll) => {
      for (const style of ["fixed", "static"] as const) {
        const { page } = await openIn("layout1", { scroll, toolbar: { style } });
        await title(page, "Lobby");
        await page.locator("article").first().waitFor();
        await page.locator("article").last().scrollIntoViewIfNeeded();
        const bodyScrolls = await page.evaluate(() => scrollY > 0);
        expect(bodyScrolls).toBe(scroll === "body");
        const y = async () => (await toolbarOf(page).boundingBox())?.y ?? Number.NaN;
        if (style === "fixed") await expect.poll(() => y()).toBeCloseTo(0, 0);
        else expect(await y()).toBeLessThan(-60);
        await expect.poll(async () => (await navbarOf(page).boundingBox())?.y).toBeCloseTo(0, 0);
      }
    },
  );

  test("a small window has a drawer, which keeps the focus, gives it back and closes behind a chosen page", {
    tags: ["long"],
  }, async () => {
    const { page } = await openIn("layout1", {}, { window: PHONE });
    await title(page, "Lobby");
    expect(await navbarOf(page).count()).toBe(0);
    await page.getByRole("button", { name: "Open the menu" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText("Deniz Aydın").first().waitFor();
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate(() => document.activeElement?.hasAttribute("data-menu-key"))).toBe(true);
    await page.getByRole("button", { name: "Open the menu" }).click();
    await drawer.getByRole("link", { name: "Coming Soon" }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe("/pages/coming-soon");
    await drawer.waitFor({ state: "detached" });
  });

  test("without a toolbar a small window has a key at its edge that shows the navigation", {
    tags: ["long"],
  }, async () => {
    const { page } = await openIn("layout1", { toolbar: { display: false } }, { window: PHONE });
    await title(page, "Lobby");
    await page.getByRole("button", { name: "Show Navigation" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Claim bonus" }).waitFor();
  });
});

test("layout2: the navigation lies in a line of 64 px under or above the toolbar, and is a drawer of 280 px in a small window", {
  tags: ["long"],
}, async () => {
  const { page } = await openIn("layout2", {});
  await title(page, "Lobby");
  // 64 px and the line below it.
  await expect.poll(() => navbarOf(page).boundingBox()).toMatchObject({ x: 0, y: 0, height: 65 });
  await expect.poll(async () => (await toolbarOf(page).boundingBox())?.y).toBe(65);
  const above = await openIn("layout2", { toolbar: { position: "above" } });
  await title(above.page, "Lobby");
  expect((await toolbarOf(above.page).boundingBox())?.y).toBe(0);
  await expect.poll(async () => (await navbarOf(above.page).boundingBox())?.y).toBeGreaterThanOrEqual(64);
  const small = await openIn("layout2", {}, { window: PHONE });
  await title(small.page, "Lobby");
  await small.page.getByRole("button", { name: "Open the menu" }).click();
  const drawer = small.page.getByRole("dialog").getByRole("navigation");
  await drawer.waitFor();
  await expect.poll(async () => (await drawer.boundingBox())?.width).toBe(280);
});

test("layout3: bars are left out by choice, and come back", { tags: ["long"] }, async () => {
  const { page } = await openIn("layout3", { navbar: { display: false }, footer: { display: false } });
  await title(page, "Lobby");
  expect(await page.getByRole("navigation", { name: "Menu" }).count()).toBe(0);
  expect(await footerOf(page).count()).toBe(0);
  expect((await boxOf(page, "#page")).x).toBe(0);
});

describe("the boxed width", () => {
  test.each(
    someOf(1, [
      ["layout1", 1280],
      ["layout2", 1280],
      ["layout3", 1120],
    ] as const),
  )("R-9-37: of %s is %i px in a window of 1600", async (style, width) => {
    const { page } = await openIn(style, { mode: "boxed" }, { window: WIDE });
    await title(page, "Lobby");
    const [bar, content] = [await boxOf(page, "[data-region=navbar]"), await boxOf(page, "#page")];
    expect(Math.min(bar.x, content.x)).toBe((1600 - width) / 2);
    expect(Math.max(bar.x + bar.width, content.x + content.width)).toBe((1600 + width) / 2);
  });
  test.each(["layout2", "layout3"])(
    "a container of 1120 px holds the content of %s between whole bars",
    { tags: ["long"] },
    async (style) => {
      const { page } = await openIn(style, { mode: "container" }, { window: { ...DESK, width: 2000 } });
      await title(page, "Lobby");
      await expect.poll(async () => (await boxOf(page, "[data-region=toolbar]")).width).toBeGreaterThan(1600);
      const floor = await boxOf(page, "#page article");
      expect(floor.x).toBeGreaterThan(400);
    },
  );
});

test("R-1-28, R-9-41: three layouts, each drawn by its choice in the theme settings, without loading the page anew", async () => {
  const { page, backEnd } = await stage.open("/transactions", { window: DESK });
  backEnd.script("POST /api/auth/user/update", ({ body }) => ok((body as { user: unknown }).user));
  await title(page, "Transactions");
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await page.getByRole("button", { name: "Theme Settings", exact: true }).click();
  const panel = page.getByRole("dialog", { name: "Theme Settings" });
  await panel.waitFor();
  await expect.poll(() => panel.getByRole("radio", { name: /^Layout \d - / }).count()).toBe(3);
  await panel.getByRole("radio", { name: "Layout 1 - Vertical" }).check();
  await page.locator("nav[data-region=navbar]").getByText("User Interface").waitFor();
  await panel.getByRole("radio", { name: "Layout 2 - Horizontal" }).check();
  await expect.poll(async () => (await boxOf(page, "nav[data-region=navbar]")).height).toBe(65);
  await panel.getByRole("radio", { name: "Layout 3 - Horizontal" }).check();
  await expect.poll(async () => (await boxOf(page, "nav[data-region=navbar]")).height).toBe(900);
  await expect.poll(() => page.locator("nav[data-region=navbar]").getByText("User Interface").count()).toBe(0);
  await expect.poll(() => page.evaluate(() => "sameDocument" in window)).toBe(true);
  await expect.poll(() => backEnd.called()).toContain("POST /api/auth/user/update");
});

describe("who may open a page of the template", () => {
  test("R-6-06: a guest who opens /ui/icons comes to the login, and by it to the page", async () => {
    const { page, path, backEnd } = await stage.open("/ui/icons", { window: DESK, guest: true });
    await page.waitForURL("**/login");
    await page.locator("main button").first().waitFor();
    expect(backEnd.calls).toEqual([]);
    await logIn(page);
    await title(page, "Icons");
    await expect.poll(path).toBe("/ui/icons");
  });
  test("an unknown address ends at the 404 page", { tags: ["long"] }, async () => {
    const { page, path } = await stage.open("/ui/none", { window: DESK });
    for (const unknown of ["/pages/none", "/auth/none", "/ui", "/pages/auth", "/documentation/none"]) {
      await title(page, "404 The page you want is not here");
      await expect.poll(path).toBe("/pages/errors/error-404");
      await goTo(page, "/documentation");
      await title(page, "Documentation");
      await goTo(page, unknown);
    }
    await title(page, "404 The page you want is not here");
  });
  test("a guest has the bars of each layout with the ways in, and nothing of a player", {
    tags: ["long"],
  }, async () => {
    for (const layout of ["layout1", "layout2", "layout3"]) {
      const { page, backEnd } = await stage.open("/pages/auth/mail-confirm", {
        ...{ window: DESK, guest: true },
        world: (world) => Object.assign(world.settings, { layout }),
      });
      await page.locator("#page h1").waitFor();
      await page.getByRole("link", { name: "Log in", exact: true }).first().waitFor();
      expect(await page.locator("a[href='/lobby']").filter({ hasText: "Home" }).count()).toBe(0);
      expect(await page.getByText("Balance", { exact: true }).count()).toBe(0);
      expect(backEnd.calls).toEqual([]);
    }
  });
});

test("with showTemplatePages off there is no page of the template, no way to one, and no key of the theme", {
  tags: ["long"],
}, async () => {
  const { page, path } = await stage.open("/lobby", {
    window: DESK,
    world: (world) => Object.assign(world.settings, { showTemplatePages: false, layout: "layout1" }),
  });
  await title(page, "Lobby");
  expect(await navbarOf(page).getByText("User Interface").count()).toBe(0);
  expect(await page.getByRole("link", { name: "Documentation" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Theme Settings" }).count()).toBe(0);
  for (const { path: gone } of SHOWCASE_PAGES.filter((_, index) => index % 8 === 0)) {
    await goTo(page, "/lobby");
    await title(page, "Lobby");
    await goTo(page, gone);
    await title(page, "404 The page you want is not here");
    await expect.poll(path).toBe("/pages/errors/error-404");
  }
});

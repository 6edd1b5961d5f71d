import { someOf } from "@longarm/link/testing/whole-run";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { ok } from "./answers.ts";
import { DESK, PHONE, setUpTemplateStage } from "./game-stage.ts";
import type { Scene } from "./scene.ts";
import type { World } from "./world.ts";

const stage = setUpTemplateStage();

type Layout = "layout1" | "layout2" | "layout3";
/** The casino in a layout of the template; what is drawn before the navigation is there does not count. */
async function openIn(layout: Layout, { world: change, ...scene }: Scene = {}, path = "/profile") {
  const played = await stage.open(path, {
    ...scene,
    world(world: World) {
      world.settings["layout"] = layout;
      change?.(world);
    },
  });
  await played.page.locator("main").waitFor();
  return played;
}
const languageKey = (page: Page) => page.getByRole("button", { name: /^(Language|Dil|اللغة)/ });
const choices = (page: Page) => page.getByRole("menuitemradio");
type Box = { readonly x: number; readonly width: number } | null;
const isBeside = (one: Box, other: Box): boolean =>
  one !== null && other !== null && (one.x > other.x + other.width - 1 || one.x + one.width < other.x + 1);
const writing = (page: Page) => page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]);
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim());

test.each(someOf(1, ["layout1", "layout2"] as const))(
  "R-1-17, R-3-29: in %s the language menu has three languages with flags, and each brings its direction",
  async (layout) => {
    const { page, complaints } = await openIn(layout);
    await languageKey(page).click();
    await expect.poll(() => choices(page).count()).toBe(3);
    const texts = (await choices(page).allInnerTexts()).map((text) => text.split("\n")[0]);
    expect(texts).toEqual(["English", "Turkish", "Arabic"]);
    await expect.poll(() => choices(page).locator("svg[viewBox='0 0 24 16']").count()).toBe(3);
    await choices(page).filter({ hasText: "Arabic" }).click();
    await expect.poll(() => writing(page)).toEqual(["ar", "rtl"]);
    await languageKey(page).click();
    await choices(page).filter({ hasText: "Türkçe" }).click();
    await expect.poll(() => writing(page)).toEqual(["tr", "ltr"]);
    await page.getByRole("menu").waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  },
);

test("the language menu is worked by keyboard alone and says more on a page of its own", {
  tags: ["long"],
}, async () => {
  const { page } = await openIn("layout1");
  await languageKey(page).press("Enter");
  await page.getByRole("menu").waitFor();
  await page.keyboard.press("End");
  await expect.poll(() => focused(page)).toBe("Learn More");
  await page.keyboard.press("Escape");
  await expect.poll(() => languageKey(page).evaluate((key) => key === document.activeElement)).toBe(true);
  await languageKey(page).press("Enter");
  await page.getByRole("menuitem", { name: "Learn More" }).click();
  await page.waitForURL("**/documentation");
});

test("R-2.10-08: in layout2 a group pops out under a resting pointer, its parts beside it, and a page in them is chosen", async () => {
  const { page, complaints } = await openIn("layout2");
  const group = page.getByRole("button", { name: "User Interface" });
  const part = page.getByRole("menuitem", { name: "Page Layouts" });
  await group.hover();
  await part.waitFor();
  await expect.poll(() => group.getAttribute("aria-expanded")).toBe("true");
  const below = await part.boundingBox();
  expect(below?.y).toBeGreaterThan((await group.boundingBox())?.y ?? Number.POSITIVE_INFINITY);
  await part.hover();
  const inner = page.getByRole("menuitem", { name: "Simple" });
  await inner.waitFor();
  // At the end of the bar there is no room behind it.
  await expect.poll(async () => isBeside(await inner.boundingBox(), below)).toBe(true);
  await inner.hover();
  const tabbed = page.getByRole("menuitem", { name: "Tabbed", exact: true });
  await tabbed.click();
  await page.waitForURL("**/ui/page-layouts/simple/tabbed");
  await page.getByRole("menu").first().waitFor({ state: "detached" });
  await expect.poll(() => group.getAttribute("data-holds")).toBe("true");
  expect(complaints).toEqual([]);
});

test("the pop-outs are worked by keyboard, and are on the other side in Arabic", { tags: ["long"] }, async () => {
  const { page } = await openIn("layout2", { window: { ...DESK, width: 1920, language: "ar" } });
  const group = page.locator("nav button[aria-haspopup=menu]").first();
  await group.press("Enter");
  const parts = page.getByRole("menuitem");
  await expect.poll(() => parts.first().evaluate((row) => row === document.activeElement)).toBe(true);
  const outer = await parts.first().boundingBox();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => page.getByRole("menu").count()).toBe(2);
  const inner = await page.getByRole("menu").last().boundingBox();
  expect((inner?.x ?? 0) + (inner?.width ?? 0)).toBeLessThanOrEqual((outer?.x ?? 0) + 8);
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => page.getByRole("menu").count()).toBe(1);
  await page.keyboard.press("Escape");
  await expect.poll(() => page.getByRole("menu").count()).toBe(0);
  await expect.poll(() => group.evaluate((key) => key === document.activeElement)).toBe(true);
});

test("R-4.7-04: a pop-out opens 150 ms after the pointer came and closes 150 ms after it left", {
  tags: ["long"],
}, async () => {
  const { page } = await openIn("layout2", { clock: true });
  const group = page.getByRole("button", { name: "User Interface" });
  await group.waitFor();
  const away = () => page.mouse.move(700, 700);
  const isOpen = () => group.getAttribute("aria-expanded");
  await away();
  await page.clock.pauseAt(Date.now() + 60_000);
  await group.hover();
  await page.clock.runFor(100);
  await away();
  await page.clock.runFor(1_000);
  await expect.poll(() => isOpen()).toBe("false");
  await group.hover();
  await page.clock.runFor(140);
  await expect.poll(() => isOpen()).toBe("false");
  await page.clock.runFor(20);
  await expect.poll(isOpen).toBe("true");
  await away();
  await page.clock.runFor(140);
  await expect.poll(() => isOpen()).toBe("true");
  await page.clock.runFor(20);
  await expect.poll(isOpen).toBe("false");
});

test("a finger opens the pop-outs and chooses in them; then the focus is on the heading of the page", {
  tags: ["long"],
}, async () => {
  const { page } = await openIn("layout2");
  const screen = await page.context().newCDPSession(page);
  await screen.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  async function tap(target: Locator): Promise<void> {
    await target.waitFor();
    const box = await target.boundingBox();
    if (box === null) throw new Error("There is nothing to tap");
    await screen.send("Input.dispatchTouchEvent", {
      type: "touchStart",
      touchPoints: [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }],
    });
    await screen.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  }
  await tap(page.getByRole("button", { name: "User Interface" }));
  await tap(page.getByRole("menuitem", { name: "Typography" }));
  await page.waitForURL("**/ui/typography");
  await expect.poll(() => focused(page)).toBe("Typography");
  await tap(page.getByRole("button", { name: "User Interface" }));
  await tap(page.getByRole("menuitem", { name: "Page Layouts" }));
  await tap(page.getByRole("menuitem", { name: "Blank Page" }));
  await page.waitForURL("**/ui/page-layouts/blank");
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
});

test.each(someOf(1, ["layout1", "layout2"] as const))(
  "R-2.10-66, R-2.10-67, R-2.10-68: the footer of %s has technology logos with links, a purchase and a documentation key",
  async (layout) => {
    const { page } = await openIn(layout);
    const footer = page.getByRole("contentinfo");
    const logos = footer.getByRole("list", { name: "Technologies" }).getByRole("link");
    await expect.poll(() => logos.count()).toBeGreaterThan(3);
    for (const logo of await logos.all()) {
      await expect.poll(() => logo.getAttribute("href")).toMatch(/^https:\/\//);
      await expect.poll(() => logo.getAttribute("target")).toBe("_blank");
      await expect.poll(() => logo.locator("svg").count()).toBe(1);
    }
    const purchase = footer.getByRole("link", { name: "Purchase" });
    await expect.poll(() => purchase.getAttribute("href")).toBe("/documentation#start");
    await footer.getByRole("link", { name: "Documentation" }).click();
    await page.waitForURL("**/documentation");
  },
);

test("on a phone the logos have no room, and the drawer has what the toolbar has none for", {
  tags: ["long"],
}, async () => {
  const { page } = await openIn("layout1", { window: PHONE });
  await page.getByRole("link", { name: "Purchase" }).waitFor();
  expect(await page.getByRole("list", { name: "Technologies" }).isVisible()).toBe(false);
  await page.getByRole("button", { name: "Open the menu" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "Click to search" }).waitFor();
  await languageKey(page).click();
  await choices(page).filter({ hasText: "Turkish" }).click();
  await expect.poll(() => writing(page)).toEqual(["tr", "ltr"]);
});

test("R-7-17: the star menu finds every page, and each star is saved with the account of the player", {
  tags: ["long"],
}, async () => {
  const { page, backEnd, path } = await openIn("layout1", {
    before: (_, back) => back.script("POST /api/auth/user/update", ({ body }) => ok((body as { user: unknown }).user)),
  });
  const opener = page.getByRole("button", { name: "Click to add/remove shortcut" });
  await opener.click();
  const field = page.getByPlaceholder("Search for an app or page");
  await expect.poll(() => field.evaluate((node) => node === document.activeElement)).toBe(true);
  await page.getByText("No results..").waitFor();
  await field.fill("typog");
  const star = page.getByRole("button", { name: "Shortcut: Typography" });
  await star.click();
  await expect.poll(() => star.getAttribute("aria-pressed")).toBe("true");
  await expect.poll(path).toBe("/profile");
  const updates = () => backEnd.calls.filter((call) => call.path === "/api/auth/user/update");
  await expect.poll(() => updates().length).toBe(1);
  expect(updates()[0]?.body).toMatchObject({ user: { data: { shortcuts: ["/ui/typography"] } } });
  await field.fill("");
  await page.getByRole("button", { name: "Typography", exact: true }).click();
  await page.waitForURL("**/ui/typography");
  const bar = page.getByRole("navigation", { name: "Shortcuts" });
  await expect.poll(() => bar.getByRole("link").first().getAttribute("title")).toBe("Typography");
});

test("a guest has stars too, for as long as the page is open, and nothing is saved", { tags: ["long"] }, async () => {
  const { page, backEnd } = await openIn("layout1", { guest: true }, "/pages/coming-soon");
  await page.getByRole("button", { name: "Click to add/remove shortcut" }).click();
  await page.getByPlaceholder("Search for an app or page").fill("coming");
  await page.getByRole("button", { name: "Shortcut: Coming Soon" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("navigation", { name: "Shortcuts" }).getByRole("link", { name: "Coming Soon" }).waitFor();
  await page.getByRole("button", { name: "Guest" }).click();
  await page.getByRole("menuitem", { name: "Register" }).waitFor();
  await page.getByRole("menuitem", { name: "Login" }).click();
  await page.waitForURL("**/login");
  expect(backEnd.calls.filter((call) => call.path.startsWith("/api/auth"))).toEqual([]);
});

test("the user menu says who plays and leads to the profile and out", { tags: ["long"] }, async () => {
  const { page } = await openIn("layout2", {}, "/transactions");
  const key = page.getByRole("button", { name: /Deniz Aydın/ });
  await expect.poll(() => key.innerText()).toContain("Player");
  await key.click();
  await page.getByRole("menuitem", { name: "My Profile" }).click();
  await page.waitForURL("**/profile");
  await key.click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await page.waitForURL("**/login");
});

test.each(["layout1", "layout2", "layout3"] as const)(
  "the search of %s finds the template's pages",
  { tags: ["long"] },
  async (layout) => {
    const { page } = await openIn(layout);
    await page.getByRole("button", { name: layout === "layout3" ? "Search" : "Click to search", exact: true }).click();
    const field = page.getByRole("dialog").getByRole("combobox");
    await field.fill("typog");
    const options = page.getByRole("option");
    await expect.poll(() => options.allInnerTexts()).toEqual(["Typography"]);
    await expect.poll(() => options.locator("b").innerText()).toBe("Typog");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/ui/typography");
  },
);

test("a starred page of the template is in the casino shell's header too", { tags: ["long"] }, async () => {
  const { page } = await openIn("layout3", {
    world: (world) => Object.assign(world.signIn, { shortcuts: ["profile", "/ui/typography"] }),
  });
  const links = page.getByRole("navigation", { name: "Shortcuts" }).getByRole("link");
  await expect.poll(() => links.count()).toBe(2);
  await links.last().click();
  await page.waitForURL("**/ui/typography");
});

test("an operator without template pages has none in navigation, search and footer", { tags: ["long"] }, async () => {
  const { page } = await openIn("layout1", {
    world: ({ settings }) => Object.assign(settings, { showTemplatePages: false }),
  });
  await page.getByRole("button", { name: "Click to search" }).click();
  await page.getByRole("dialog").getByRole("combobox").fill("typog");
  await page.getByText("No results..").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.getByRole("navigation").getByText("User Interface").count()).toBe(0);
  await expect.poll(() => page.getByRole("link", { name: /Documentation|Purchase/ }).count()).toBe(0);
});

test("R-2.10-10, R-2.10-16: in layout1 a part of the navigation closes, and opens again when a page of it is entered", {
  tags: ["long"],
}, async () => {
  const { page } = await openIn("layout1");
  const part = page.getByRole("button", { name: "Authentication" });
  await expect.poll(() => part.getAttribute("aria-expanded")).toBe("true");
  await part.click();
  await expect.poll(() => part.getAttribute("aria-expanded")).toBe("false");
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill("Mail Confirmation");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/pages/auth/mail-confirm");
  await expect.poll(() => part.getAttribute("aria-expanded")).toBe("true");
});

test("the side panel of the shortcuts is 56 px wide and folds away", { tags: ["long"] }, async () => {
  const { page } = await openIn("layout1", {
    world: (world) =>
      Object.assign(world.signIn, {
        shortcuts: ["transactions"],
        settings: { layout: { style: "layout1", config: { leftSidePanel: { display: true } } } },
      }),
  });
  const panel = page.getByRole("complementary", { name: "Side panel" });
  const width = async () => (await panel.boundingBox())?.width;
  await expect.poll(width).toBe(56);
  const key = page.getByRole("button", { name: "Toggle side panel" });
  await key.click();
  await expect.poll(width).toBe(0);
  await expect.poll(() => panel.getByRole("link").count()).toBe(0);
  await key.click();
  await panel.getByRole("link", { name: "Transactions" }).click();
  await page.waitForURL("**/transactions");
});

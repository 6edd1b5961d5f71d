import { someOf } from "@longarm/link/testing/whole-run";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { ScriptedCall } from "./answers.ts";
import { ok } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { DESK, PHONE, setUpTemplateStage } from "./game-stage.ts";

const stage = setUpTemplateStage();
const UPDATE = "POST /api/auth/user/update";
/** Axe reads the whole page, several times: a busy computer takes its time. */
const LONG = 240_000;

/** Colours of the page now, by what shows them. */
const backgroundOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => getComputedStyle(element).getPropertyValue("--surface").trim());
const regionsOf = async (page: Page) => ({
  main: await backgroundOf(page, "html"),
  navbar: await backgroundOf(page, "[data-region=navbar]"),
  toolbar: await backgroundOf(page, "[data-region=toolbar]"),
  footer: await backgroundOf(page, "[data-region=footer]"),
});
const NIGHT = "#181411";
const PINE = "#101814";
const allNight = { main: NIGHT, navbar: NIGHT, toolbar: NIGHT, footer: NIGHT };

async function openLobby(scene: Parameters<typeof stage.open>[1] = {}) {
  const played = await stage.open("/lobby", scene);
  const { page, backEnd } = played;
  const saved: unknown[] = [];
  backEnd.script(UPDATE, ({ body }: ScriptedCall) => {
    const { user } = body as { user: { data: { settings: unknown } } };
    saved.push(user.data.settings);
    return ok(user);
  });
  await page.locator("#page h1, #page h2, header h1").first().waitFor();
  async function openPanel(name: "Theme Settings" | "Theme Color Schemes") {
    await page.getByRole("button", { name, exact: true }).click();
    const panel = page.getByRole("dialog", { name, exact: true });
    await panel.waitFor();
    return panel;
  }
  /** Chooses a palette for a region in the open settings. */
  async function choose(region: string, palette: string): Promise<void> {
    await page.getByRole("combobox", { name: region, exact: true }).click();
    await page.getByRole("option", { name: palette, exact: true }).click();
    await page.getByRole("option").first().waitFor({ state: "detached" });
  }
  return { ...played, saved, openPanel, choose };
}

describe("the theme settings", () => {
  test("R-2.10-47, R-2.10-49: three layouts by radio, each with its own options; the panel stays open while the layout changes", async () => {
    const { openPanel, saved } = await openLobby();
    const panel = await openPanel("Theme Settings");
    const styles = panel.getByRole("radiogroup", { name: "Style" }).first().getByRole("radio");
    const names = ["Layout 1 - Vertical", "Layout 2 - Horizontal", "Layout 3 - Horizontal"];
    await expect.poll(() => styles.count()).toBe(3);
    for (const name of names) await panel.getByRole("radio", { name, exact: true }).waitFor();
    await expect.poll(() => panel.getByRole("radio", { name: "Layout 3 - Horizontal" }).isChecked()).toBe(true);
    expect(await panel.getByRole("switch", { name: "Folded" }).count()).toBe(0);
    await expect.poll(() => panel.getByRole("radio", { name: "Container" }).count()).toBe(1);
    await panel.getByRole("radio", { name: "Layout 1 - Vertical" }).check();
    await panel.getByRole("switch", { name: "Folded" }).waitFor();
    expect(await panel.getByRole("radio", { name: "Container" }).count()).toBe(0);
    const position = panel.getByRole("group", { name: "Navbar" }).getByRole("radiogroup", { name: "Position" });
    await expect.poll(() => position.getByRole("radio", { name: "Left" }).isChecked()).toBe(true);
    await position.getByRole("radio", { name: "Right" }).check();
    await expect
      .poll(() => saved.at(-1))
      .toEqual({
        layout: { style: "layout1", config: { navbar: { position: "right" } } },
      });
    await panel.getByRole("radio", { name: "Layout 2 - Horizontal" }).check();
    await panel.getByRole("radio", { name: "Container" }).waitFor();
    expect(await panel.getByRole("switch", { name: "Folded" }).count()).toBe(0);
    // Another layout begins with its own options.
    await expect.poll(() => saved.at(-1)).toEqual({ layout: { style: "layout2" } });
  });

  test("R-2.10-48: RTL turns the page round and LTR back; a change of the language gives the direction back to it", async () => {
    const { page, openPanel, saved } = await openLobby();
    const panel = await openPanel("Theme Settings");
    const side = () => page.locator("[data-region=navbar]").evaluate((nav) => nav.getBoundingClientRect().left > 400);
    expect(await side()).toBe(false);
    await panel.getByRole("radio", { name: "RTL" }).check();
    await page.locator("html[dir=rtl][lang=en]").waitFor();
    await expect.poll(() => side()).toBe(true);
    await panel.getByRole("radio", { name: "LTR" }).check();
    await page.locator("html[dir=ltr]").waitFor();
    await panel.getByRole("radio", { name: "RTL" }).check();
    await expect.poll(() => saved.at(-1)).toEqual({ direction: "rtl" });
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await page.getByRole("radio", { name: "Türkçe", exact: true }).click();
    await page.locator("html[dir=ltr][lang=tr]").waitFor();
    await expect.poll(() => saved.at(-1)).toEqual({});
  });

  test("R-2.10-50, R-2.10-51, R-2.10-52, R-2.10-53: each region has a palette of its own", async () => {
    const { page, openPanel, choose } = await openLobby();
    await expect.poll(() => regionsOf(page)).toEqual(allNight);
    await openPanel("Theme Settings");
    await choose("Navbar", "Pine");
    await expect.poll(() => regionsOf(page)).toEqual({ ...allNight, navbar: PINE });
    await choose("Toolbar", "Velvet");
    await expect.poll(() => regionsOf(page)).toEqual({ ...allNight, navbar: PINE, toolbar: "#1d0f13" });
    await choose("Footer", "Harbour");
    await choose("Main", "Daylight");
    const all = { main: "#fbf7f0", navbar: PINE, toolbar: "#1d0f13", footer: "#10151c" };
    await expect.poll(() => regionsOf(page)).toEqual(all);
    // A bar may follow the main palette.
    await choose("Footer", "Main, light");
    await expect.poll(() => regionsOf(page)).toEqual({ ...all, footer: "#fbf7f0" });
    await choose("Footer", "Main, dark");
    await expect.poll(() => regionsOf(page)).toEqual({ ...all, footer: NIGHT });
  });

  test("R-2.10-54, R-2.10-55: custom scrollbars give way to the browser's own, and without animations nothing moves by itself", async () => {
    const { page, openPanel } = await openLobby({ moves: true });
    const bars = () => page.evaluate(() => getComputedStyle(document.documentElement).scrollbarWidth);
    // Chromium on a desk has a fine pointer.
    await expect.poll(bars).toBe("thin");
    const panel = await openPanel("Theme Settings");
    await panel.getByRole("switch", { name: "Custom Scrollbars" }).uncheck();
    await expect.poll(bars).toBe("auto");
    await panel.getByRole("switch", { name: "Custom Scrollbars" }).check();
    await expect.poll(bars).toBe("thin");
    const duration = () => panel.evaluate((element) => getComputedStyle(element).transitionDuration);
    await expect.poll(() => duration()).toBe("0.24s");
    await panel.getByRole("switch", { name: "Animations" }).uncheck();
    await expect.poll(duration).toBe("0s");
    const link = page.locator("#page a").first();
    await expect.poll(() => link.evaluate((element) => getComputedStyle(element).transitionProperty)).toBe("none");
    await panel.getByRole("switch", { name: "Animations" }).check();
    await expect.poll(duration).toBe("0.24s");
  });
});

test("R-2.10-56, R-2.10-57: a colour scheme of more than twenty is given to all four regions", async () => {
  const { page, openPanel, saved } = await openLobby();
  const panel = await openPanel("Theme Color Schemes");
  const cards = panel.getByRole("listitem").getByRole("button");
  await expect.poll(() => cards.count()).toBeGreaterThanOrEqual(20);
  await expect
    .poll(() => panel.getByRole("button", { name: "Night", exact: true }).getAttribute("aria-pressed"))
    .toBe("true");
  await panel.getByRole("button", { name: "Pine", exact: true }).click();
  await expect.poll(() => regionsOf(page)).toEqual({ main: PINE, navbar: PINE, toolbar: PINE, footer: PINE });
  await panel.locator("[aria-pressed=true]", { hasText: "Pine" }).waitFor();
  await expect.poll(() => panel.locator("[aria-pressed=true]").count()).toBe(1);
  await expect
    .poll(() => saved)
    .toEqual([{ theme: { main: "pine", navbar: "pine", toolbar: "pine", footer: "pine" } }]);
});

test("R-2.10-58, R-6-13: a player's choices are saved once a burst and said so; a guest's are drawn and never sent", async () => {
  const { page, openPanel, saved, backEnd } = await openLobby();
  const panel = await openPanel("Theme Color Schemes");
  for (const name of ["Pine", "Velvet", "Rose"]) await panel.getByRole("button", { name, exact: true }).click();
  await page.getByText("User data saved with api").waitFor();
  const rose = { theme: { main: "rose", navbar: "rose", toolbar: "rose", footer: "rose" } };
  await expect.poll(() => saved.at(-1)).toEqual(rose);
  await expect.poll(() => page.getByText("User data saved with api").count()).toBe(1);
  expect(backEnd.called().filter((call) => call === UPDATE).length).toBeLessThanOrEqual(3);

  const guest = await stage.open("/pages/auth/login", { guest: true });
  await guest.page.getByRole("button", { name: "Theme Color Schemes", exact: true }).click();
  await guest.page.getByRole("dialog").getByRole("button", { name: "Pine", exact: true }).click();
  await expect.poll(() => backgroundOf(guest.page, "html")).toBe(PINE);
  await guest.page.keyboard.press("Escape");
  await guest.page.getByRole("dialog").waitFor({ state: "detached" });
  expect(guest.backEnd.called()).not.toContain(UPDATE);
  expect(guest.complaints).toEqual([]);
});

test("a choice that cannot be saved is reported, and holds for this visit", { tags: ["long"] }, async () => {
  const { page, openPanel, backEnd } = await openLobby();
  backEnd.script(UPDATE, () => ({ httpStatus: 500, body: {} }));
  const panel = await openPanel("Theme Color Schemes");
  await panel.getByRole("button", { name: "Velvet", exact: true }).click();
  await page.getByText("Your choice holds for this visit", { exact: false }).waitFor();
  await expect.poll(() => backgroundOf(page, "html")).toBe("#1d0f13");
});

test("what an account keeps is drawn before the first page is shown, and goes with the sign-out; the operator's holds for guests", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/lobby", {
    world(world) {
      world.settings["theme"] = { main: "velvet", navbar: "nobody-knows" };
      world.signIn["settings"] = { theme: { main: "pine" }, direction: "rtl", layout: { style: "layout9" } };
    },
    async before(page) {
      // What was on the screen when the first page came.
      await page.addInitScript(() => {
        new MutationObserver((_, watch) => {
          if (document.querySelector("#page") === null) return;
          document.title = `seen ${document.documentElement.dataset["main"]}`;
          Object.assign(window, { firstPalette: document.documentElement.dataset["main"] });
          watch.disconnect();
        }).observe(document, { childList: true, subtree: true });
      });
    },
  });
  await page.locator("html[data-main=pine][data-navbar=night][dir=rtl]").waitFor();
  await page.locator("#page").waitFor();
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { firstPalette: string }).firstPalette))
    .toBe("pine");
  await page.goto(new URL("/logout", page.url()).href);
  await page.locator("html[data-main=velvet][dir=ltr]").waitFor();
});

test("at a machine the page is night, whatever the main palette", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/game/m_2/Kuzey%2002", {
    world(world) {
      world.settings["theme"] = { main: "daylight" };
    },
  });
  await page.locator("html[data-main=daylight][data-room=dark]").waitFor();
  await expect.poll(() => backgroundOf(page, "html")).toBe(NIGHT);
  await expect.poll(() => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
});

test("an operator who shows no template has no theme keys", { tags: ["long"] }, async () => {
  const { page } = await openLobby({
    world(world) {
      world.settings["showTemplatePages"] = false;
    },
  });
  await page.waitForLoadState("networkidle");
  expect(await page.getByRole("button", { name: "Theme Settings" }).count()).toBe(0);
});

test("the panels close by Escape, by their key and by a press beside them; the focus goes back; the keys hang 160 px below the top", {
  tags: ["long"],
}, async () => {
  const { page, openPanel, complaints } = await openLobby();
  const key = page.getByRole("button", { name: "Theme Settings", exact: true });
  const { x, y, width, height } = (await key.boundingBox())!;
  expect([y, width, height]).toEqual([160, 28, 44]);
  expect(x + width).toBe(1440);
  // In the margin of the page: nothing that is read lies under them.
  const margin = await page
    .locator("#page")
    .evaluate((element) => Number.parseFloat(getComputedStyle(element).paddingInlineEnd));
  expect(margin).toBeGreaterThan(width);
  for (const close of [
    () => page.keyboard.press("Escape"),
    () => page.getByRole("dialog").getByRole("button", { name: "Close" }).click(),
    () => page.mouse.click(400, 500),
  ]) {
    const panel = await openPanel("Theme Settings");
    const box = (await panel.boundingBox())!;
    expect(box.width).toBe(380);
    await close();
    await panel.waitFor({ state: "detached" });
    await expect.poll(() => key.evaluate((element) => element === document.activeElement)).toBe(true);
  }
  expect(complaints).toEqual([]);
});

test("on a phone the keys are at the end of the page, and a swipe closes the panel", { tags: ["long"] }, async () => {
  const { page, openPanel } = await openLobby({ window: PHONE });
  const panel = await openPanel("Theme Color Schemes");
  expect((await panel.boundingBox())!.width).toBeLessThanOrEqual(390 * 0.9);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  const browser = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...xs: number[]) =>
    browser.send("Input.dispatchTouchEvent", { type, touchPoints: xs.map((x) => ({ x, y: 600 })) });
  await touch("touchStart", 150);
  for (let x = 170; x <= 370; x += 20) await touch("touchMove", x);
  await touch("touchEnd");
  await panel.waitFor({ state: "detached" });
});

describe("in a light palette nothing is unreadable", { tags: ["long"] }, () => {
  const looks = [
    ["daylight", DESK],
    ["rose", PHONE],
  ] as const;
  test.each(someOf(1, looks))("%s", { timeout: LONG }, async (palette, window) => {
    const world = (world: { settings: Record<string, unknown> }) => {
      world.settings["theme"] = { main: palette, navbar: palette, toolbar: palette, footer: palette };
    };
    const login = await stage.open("/login", { guest: true, window, world });
    await login.page.locator(`html[data-main=${palette}]`).waitFor();
    await login.page.locator("main button").first().waitFor();
    expect(await axeFindings(login.page)).toEqual([]);
    const { page, backEnd } = await stage.open("/lobby", { window, world });
    for (const path of ["/lobby", "/profile", "/transactions"]) {
      await page.goto(new URL(path, backEnd.url).href);
      await page.locator(`html[data-main=${palette}]`).waitFor();
      await page.locator("#page").waitFor();
      await page.waitForLoadState("networkidle");
      expect(await axeFindings(page), path).toEqual([]);
    }
  });
});

test("both panels are without a finding from right to left", { tags: ["long"], timeout: LONG }, async () => {
  const { page } = await stage.open("/lobby", { window: { ...DESK, language: "ar" } });
  for (const key of ["settings", "schemes"]) {
    await page.locator(`[data-theme-key=${key}]`).click();
    await page.getByRole("dialog").waitFor();
    expect(await axeFindings(page), key).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
});

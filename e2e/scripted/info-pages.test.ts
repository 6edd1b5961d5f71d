import { INFO_PAGES } from "@longarm/contract/info-pages";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, setUpStage } from "./game-stage.ts";

const stage = setUpStage();
const WIDE = { width: 1000, height: 800, language: "en" } as const;
const offered = (world: { settings: Record<string, unknown> }) => {
  world.settings["externalInfo"] = true;
};
const frameOf = (page: Page) => page.locator("iframe");
const linksOf = (page: Page) => page.getByRole("contentinfo").getByRole("list", { name: "Information pages" });

test("R-2.10-36: the pages are offered only when the setting is on, six in menu and footer", async () => {
  const off = await stage.open("/lobby", { window: WIDE });
  await off.page.getByRole("contentinfo").waitFor();
  expect(await off.page.getByText("Terms of Use").count()).toBe(0);
  const { page } = await stage.open("/lobby", { window: WIDE, world: offered });
  await linksOf(page).waitFor();
  await expect.poll(() => linksOf(page).getByRole("button").count()).toBe(6);
  const menu = page.getByRole("navigation", { name: "Menu" }).getByRole("list", { name: "Information pages" });
  await expect
    .poll(() => menu.getByRole("button").allInnerTexts())
    .toEqual(Object.values(INFO_PAGES).map(({ title }) => title));
});

test("R-2.10-34, R-2.10-35, R-2.10-37, R-2.10-38, R-2.10-39, R-2.10-40, R-2.10-41, R-2.10-42, R-9-38: each page opens in a frame over 80 % of the window, with its title and address", async () => {
  const { page, complaints } = await stage.open("/lobby", { window: WIDE, world: offered });
  await linksOf(page).waitFor();
  for (const [path, title] of [
    ["/password-reset.html", "Password Reset Procedure"],
    ["/game-rules-and-content.html", "Game Rules and Content"],
    ["/player-protection-information.html", "Player Protection Information"],
    ["/terms-of-use.html", "Terms of Use"],
    ["/privacy-policy.html", "Privacy Policy"],
    ["/paytables.html", "Paytables"],
  ] as const) {
    await linksOf(page).getByRole("button", { name: title }).click();
    const modal = page.getByRole("dialog", { name: title });
    await modal.waitFor();
    await expect.poll(() => modal.evaluate((node) => [node.clientWidth, node.clientHeight])).toEqual([800, 640]);
    await expect.poll(() => frameOf(page).getAttribute("src")).toBe(path);
    await page.frameLocator("iframe").locator("#en h2").first().waitFor();
    await page.keyboard.press("Escape");
    await modal.waitFor({ state: "detached" });
  }
  expect(complaints).toEqual([]);
});

test("R-4.7-05: another page changes title and frame; closed, the frame is gone and its link has the focus", async () => {
  const { page } = await stage.open("/lobby", { window: WIDE, world: offered });
  const terms = linksOf(page).getByRole("button", { name: "Terms of Use" });
  await terms.click();
  await page.getByRole("dialog", { name: "Terms of Use" }).waitFor();
  await expect.poll(() => frameOf(page).getAttribute("title")).toBe("Terms of Use");
  await page.getByRole("button", { name: "Close" }).click();
  await expect.poll(() => frameOf(page).count()).toBe(0);
  await expect.poll(() => terms.evaluate((node) => node === document.activeElement)).toBe(true);
  await linksOf(page).getByRole("button", { name: "Paytables" }).click();
  await page.getByRole("dialog", { name: "Paytables" }).waitFor();
  await expect.poll(() => frameOf(page).getAttribute("src")).toBe("/paytables.html");
});

test("the page speaks the web's language, runs no script, and Escape inside it closes it", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/lobby", { window: { ...WIDE, language: "tr" }, world: offered });
  await page.getByRole("contentinfo").getByRole("button", { name: "Kullanım şartları" }).click();
  const inside = page.frameLocator("iframe");
  await inside.locator("#tr").getByText("Bu salon kimin").waitFor();
  expect(await inside.locator("#en").isVisible()).toBe(false);
  expect(await inside.locator("nav").isVisible()).toBe(false);
  await expect.poll(() => frameOf(page).getAttribute("sandbox")).toBe("allow-same-origin");
  await inside.locator("#tr h2").first().click();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test.each(everyWindow("phone"))(
  "an open page at $width x $height in $language: no complaint, no axe finding, no overflow",
  { tags: ["long"] },
  async (window) => {
    const { page, complaints } = await stage.open("/lobby", { window, world: offered });
    await page.getByRole("contentinfo").getByRole("list").getByRole("button").nth(1).click();
    await page.locator("iframe[data-loaded]").waitFor();
    await page.frameLocator("iframe").locator(`#${window.language} h2`).first().waitFor();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    // Last: the page would complain about axe's own script in the frame.
    expect(await axeFindings(page)).toEqual([]);
  },
);

test.each(["tr", "en", "ar"] as const)(
  "a page stands by itself in %s: one language, links to the others",
  { tags: ["long"] },
  async (language) => {
    const { page, backEnd, complaints } = await stage.open("/login", { guest: true });
    for (const { path, title } of Object.values(INFO_PAGES)) {
      await page.goto(`${backEnd.url}${path}#${language}`);
      await expect.poll(() => page.title()).toBe(title);
      await expect.poll(() => page.locator("article:visible").count()).toBe(1);
      await expect.poll(() => page.locator("article:visible").getAttribute("lang")).toBe(language);
      await expect
        .poll(() => page.locator("article:visible").evaluate((node) => getComputedStyle(node).direction))
        .toBe(language === "ar" ? "rtl" : "ltr");
      expect(await axeFindings(page)).toEqual([]);
      await page.goto(`${backEnd.url}${path}`);
      await expect.poll(() => page.locator("article:visible").getAttribute("lang")).toBe("en");
    }
    await page.getByRole("link", { name: "Türkçe" }).click();
    await page.locator("#tr:visible").waitFor();
    expect(complaints).toEqual([]);
  },
);

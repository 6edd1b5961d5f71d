import { someOf } from "@longarm/link/testing/whole-run";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { texts } from "../../rig/page/game-page.ts";
import type { Window } from "./browser.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, PHONE, setUpStage } from "./game-stage.ts";

const stage = setUpStage();
/** Several rounds of axe, on a computer that may be slow, ms. */
const LONG = 240_000;
const OFFLINE = {
  tr: "Canlı bağlantı yok. Durumlar eski olabilir.",
  en: "The live connection is down. What you see may be old.",
  ar: "الاتصال المباشر منقطع. قد تكون الحالات قديمة.",
} as const;
const PAGES = ["/lobby", "/profile", "/slot-sessions", "/transactions"] as const;

/** English words of the shell's pages that are not the same in Turkish. */
const OURS = new Set(
  ["app", "claims", "history", "lobby", "profile", "shell", "wallet"].flatMap((area) => {
    const turkish = new Set(Object.values(texts("tr", area)));
    return Object.values(texts("en", area)).filter((text) => !turkish.has(text));
  }),
);
/** Those of them that are in a line of their own. */
const ourLines = (text: string): string[] => text.split(/[\n\t]+/).filter((line) => OURS.has(line));

const headerOf = (page: Page) => page.getByRole("banner");
const menuOf = (page: Page) => page.getByRole("navigation", { name: "Menu" });
const dialogOf = (page: Page) => page.getByRole("dialog");

/** Opens the lobby with all that the shell can show; `sound` checks what is shown now. */
async function openFull(window: Window) {
  const played = await stage.open("/lobby", {
    window,
    world: (world) =>
      Object.assign(world.settings, {
        externalInfo: true,
        infoText: "Hello\nSecond line",
        footerInfo: "Longarm Oyun Salonu A.Ş. ".repeat(8),
      }),
  });
  const { page } = played;
  return {
    ...played,
    async sound() {
      expect(await axeFindings(page)).toEqual([]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    },
    async close() {
      await page.keyboard.press("Escape");
      await dialogOf(page).waitFor({ state: "detached" });
    },
  };
}

test.each(everyWindow("phone"))(
  "information, lobby and drawer at $width x $height in $language: no complaint, no axe finding, no overflow",
  { timeout: LONG },
  async (window) => {
    const { page, complaints, sound, close } = await openFull(window);
    await dialogOf(page).getByText("Second line").waitFor();
    await sound();
    await close();
    await page.locator("article").first().waitFor();
    await sound();
    if (window.width < 960) {
      await page.locator("[data-menu-key]").click();
      await dialogOf(page).getByText("v2.3.4").waitFor();
      await sound();
    }
    expect(complaints).toEqual([]);
  },
);

test.each(everyWindow("desk"))(
  "search and outage at $width x $height in $language: no complaint, no axe finding, no overflow",
  { tags: ["long"], timeout: LONG },
  async (window) => {
    const { page, backEnd, complaints, sound, close } = await openFull(window);
    await dialogOf(page).getByText("Second line").waitFor();
    await close();
    await page.keyboard.press("Control+k");
    await page.getByRole("option").nth(9).waitFor();
    await sound();
    await page.getByRole("dialog").getByRole("combobox").fill("zzz");
    await page.getByRole("option").first().waitFor({ state: "detached" });
    await close();
    await expect.poll(() => backEnd.listening()).toBe(1);
    backEnd.refuseSockets(true);
    backEnd.drop(1012, "restart");
    await page.getByText(OFFLINE[window.language]).waitFor();
    await sound();
    expect(complaints.filter((line) => !line.startsWith("The notification socket is away"))).toEqual([]);
  },
);

test("R-1-11, R-1-12, R-1-13, R-2.10-23, R-2.10-33: header and menu show one balance, and the wallet's key hides both and shows them again", async () => {
  const { page, backEnd } = await stage.open("/lobby");
  const header = headerOf(page).getByText("₺12,450.75");
  const menu = menuOf(page).getByText("₺12,450.75");
  await header.waitFor();
  await menu.waitFor();
  await headerOf(page).getByRole("button", { name: "Hide the balance" }).click();
  await headerOf(page).getByText("••• hidden").waitFor();
  await menuOf(page).getByText("••• hidden").waitFor();
  await menuOf(page).getByRole("link", { name: "Transactions" }).click();
  await page.waitForURL("**/transactions");
  await page.reload();
  await headerOf(page).getByText("••• hidden").waitFor();
  await headerOf(page).getByRole("button", { name: "Show the balance" }).click();
  await header.waitFor();
  await menu.waitFor();
  await expect.poll(() => backEnd.listening()).toBe(1);
  backEnd.push("balance", { balance: 500, onMachine: 20_000, pending: 100 });
  await headerOf(page).getByText("On the machine ₺200.00").waitFor();
  await menuOf(page).getByText("Being checked ₺1.00").waitFor();
});

test("R-9-33: the header of every page is 120 px high, and 56 px and sticky on small screens", async () => {
  const { page } = await stage.open("/lobby");
  for (const name of ["Profile", "Game Sessions", "Transactions", "Home"]) {
    await menuOf(page).getByRole("link", { name, exact: true }).click();
    await expect.poll(async () => (await headerOf(page).boundingBox())?.height).toBe(120);
  }
  const phone = await stage.open("/lobby", { window: PHONE });
  await phone.page.locator("article").nth(11).waitFor();
  await expect.poll(async () => (await headerOf(phone.page).boundingBox())?.height).toBe(56);
  await phone.page.evaluate(() => scrollTo(0, 400));
  await expect.poll(async () => (await headerOf(phone.page).boundingBox())?.y).toBe(0);
});

test("R-2.10-28, R-2.10-29, R-9-40: the footer shows the operator's line and the version, each by its setting", async () => {
  // On a large window the menu beside the page has the version.
  const { page } = await stage.open("/lobby", {
    window: PHONE,
    world: (world) => Object.assign(world.settings, { footerInfo: "Licence 8048/JAZ" }),
  });
  const footer = page.getByRole("contentinfo");
  await footer.getByText("Licence 8048/JAZ").waitFor();
  await footer.getByText("v2.3.4", { exact: true }).waitFor();
  const plain = await stage.open("/lobby", {
    world: (world) => Object.assign(world.settings, { showVersion: false, minimumAge: 0 }),
  });
  await plain.page.locator("article").first().waitFor();
  expect(await plain.page.getByRole("contentinfo").count()).toBe(0);
  expect(await plain.page.getByText("v2.3.4").count()).toBe(0);
});

test("R-2.10-30: without the header by its setting, the menu keeps wallet key, language and search", async () => {
  const { page } = await stage.open("/lobby", { world: (world) => Object.assign(world.settings, { header: false }) });
  await page.locator("article").first().waitFor();
  expect(await headerOf(page).count()).toBe(0);
  await expect.poll(() => page.getByRole("heading", { level: 1 }).innerText()).toBe("Lobby");
  await menuOf(page).getByRole("button", { name: "Hide the balance" }).click();
  await menuOf(page).getByText("••• hidden").waitFor();
  await menuOf(page).getByRole("radio", { name: "Türkçe" }).waitFor();
  await menuOf(page).getByRole("button", { name: "Search" }).click();
  await page.getByRole("dialog").getByRole("combobox").waitFor();
});

test("R-2.10-31: an information text opens once a session by itself, later by its key; without one there is neither", async () => {
  const { page } = await stage.open("/lobby", {
    world: (world) => Object.assign(world.settings, { infoText: "Hello" }),
  });
  const dialog = page.getByRole("dialog", { name: "Information" });
  await dialog.getByText("Hello").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.reload();
  await page.locator("article").first().waitFor();
  expect(await dialogOf(page).count()).toBe(0);
  const key = headerOf(page).getByRole("button", { name: "Information" });
  await key.click();
  await dialog.getByText("Hello").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => key.evaluate((node) => node === document.activeElement)).toBe(true);

  const none = await stage.open("/lobby");
  await none.page.locator("article").first().waitFor();
  expect(await dialogOf(none.page).count()).toBe(0);
  expect(await headerOf(none.page).getByRole("button", { name: "Information" }).count()).toBe(0);
});

test("R-1-16, R-1-19, R-2.10-32: the header's choice is TR, EN, then Arabic, and every page speaks the chosen language without a raw key", async () => {
  const { page } = await stage.open("/lobby");
  const choice = headerOf(page).getByRole("radio");
  await choice.first().waitFor();
  const words = headerOf(page).getByRole("radiogroup").locator("label");
  await expect.poll(() => words.allInnerTexts()).toEqual(["TR", "EN", "ع"]);
  for (const path of PAGES) {
    await page.goto(new URL(path, page.url()).href);
    await headerOf(page).getByRole("radio", { name: "English" }).click({ force: true });
    await page.getByRole("navigation", { name: "Menu" }).waitFor();
    const shown = () => page.locator("body").innerText();
    await expect.poll(async () => ourLines(await shown()).length).toBeGreaterThan(8);
    const english = await shown();
    await headerOf(page).getByRole("radio", { name: "Türkçe" }).click({ force: true });
    await page.getByRole("navigation", { name: "Menü" }).waitFor();
    await expect.poll(async () => ourLines(await shown())).toEqual([]);
    const turkish = await shown();
    for (const text of [english, turkish])
      expect(text).not.toMatch(/\b(app|auth|shell|wallet|lobby|profile|history|claims)\.[a-z]\w+/);
  }
  await expect.poll(() => page.getAttribute("html", "lang")).toBe("tr");
});

test("while Arabic is spoken it is chosen, and TR or EN leads back to left to right", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby", { window: { width: 1440, height: 900, language: "ar" } });
  const choice = headerOf(page).getByRole("radiogroup");
  await choice.waitFor();
  await choice.getByRole("radio", { name: "العربية", checked: true }).waitFor();
  await choice.getByRole("radio", { name: "English" }).click({ force: true });
  await expect.poll(() => page.getAttribute("html", "dir")).toBe("ltr");
});

test("R-2.10-32: without the setting there is no choice of language in the header", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby", {
    world: (world) => Object.assign(world.settings, { languageSelect: false }),
  });
  await page.locator("article").first().waitFor();
  expect(await headerOf(page).getByRole("radio").count()).toBe(0);
});

test("support names the operator's contacts; without any there is no key", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby");
  await headerOf(page).getByRole("button", { name: "Support" }).click();
  const links = page.getByRole("dialog", { name: "Support" }).getByRole("link");
  await links.first().waitFor();
  await expect.poll(() => links.first().getAttribute("href")).toBe("https://wa.me/905550000001");
  await expect.poll(() => links.count()).toBe(2);
  const none = await stage.open("/lobby", { world: (world) => Object.assign(world.settings, { contacts: [] }) });
  await none.page.locator("article").first().waitFor();
  expect(await headerOf(none.page).getByRole("button", { name: "Support" }).count()).toBe(0);
});

test.each(someOf(1, PAGES))(
  "an outage is shown on %s, and its end removes the words and has everything announced again",
  async (path) => {
    const { page, backEnd } = await stage.open(path);
    const words = page.getByRole("status").getByText(OFFLINE.en);
    await expect.poll(() => backEnd.listening()).toBe(1);
    backEnd.refuseSockets(true);
    backEnd.drop(1012, "restart");
    await words.waitFor();
    const before = backEnd.called().filter((call) => call === "GET /v1/player/balance").length;
    backEnd.world.balance = { balance: 100 };
    const lists = backEnd.calls.length;
    backEnd.refuseSockets(false);
    await words.waitFor({ state: "detached" });
    await headerOf(page).getByText("₺1.00").waitFor();
    await expect
      .poll(() => backEnd.called().filter((call) => call === "GET /v1/player/balance").length)
      .toBeGreaterThan(before);
    if (path === "/lobby") await expect.poll(() => backEnd.called().slice(lists)).toContain("GET /v1/machine/all");
  },
);

test("a lost network is said at once, and its return does not wait for the back-off", { tags: ["long"] }, async () => {
  const { page, backEnd } = await stage.open("/transactions");
  await expect.poll(() => backEnd.listening()).toBe(1);
  await page.context().setOffline(true);
  const words = page.getByRole("status").getByText(OFFLINE.en);
  await words.waitFor();
  await page.context().setOffline(false);
  await words.waitFor({ state: "detached" });
});

test("after a navigation the new page's heading has the focus; a brand of the lobby keeps it", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/lobby");
  await page.locator("article").first().waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("BODY");
  await menuOf(page).getByRole("link", { name: "Transactions" }).click();
  const heading = () =>
    page.evaluate(() => (document.activeElement?.tagName === "H1" ? document.activeElement.textContent : undefined));
  await expect.poll(heading).toBe("Transactions");
  await expect.poll(() => page.title()).toContain("Transactions");
  await page.goBack();
  await expect.poll(heading).toBe("Lobby");
  const brand = page.getByRole("navigation", { name: "Brands" }).getByRole("link", { name: /Nar/ });
  await brand.click();
  await page.waitForURL("**/lobby/nar/Nar");
  await expect.poll(() => brand.evaluate((node) => node === document.activeElement)).toBe(true);
});

test("the keyboard skips the menu", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby");
  await page.locator("article").first().waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("page");
});

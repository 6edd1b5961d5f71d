import { someOf } from "@longarm/link/testing/whole-run";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, logIn, setUpStage } from "./game-stage.ts";

const stage = setUpStage();

/** Bars of the shell, of which some pages have none. */
const bars = (page: Page) => page.locator("nav, header, footer, aside");

test.each([
  ["R-2.1-05, R-2.2-01", "/lobby"],
  ["R-2.1-03", "/lobby/nar/Nar"],
  ["R-2.1-10", "/game/m_2/Kuzey"],
  ["R-2.1-13", "/profile"],
  ["R-2.1-13", "/profile/99"],
  ["R-2.1-16", "/slot-sessions"],
  ["R-2.1-18, R-2.2-01, R-2.2-02", "/transactions"],
  ["R-2.2-02", "/lobby?search=Nar&x=%2Fa&flag=1#part"],
])("%s: a guest who opens %s comes to the login, nothing is called, and the login leads back", async (_, from) => {
  const { page, backEnd, path } = await stage.open(from, { guest: true });
  await page.waitForURL("**/login");
  await page.locator("main button").first().waitFor();
  expect(backEnd.calls).toEqual([]);
  await logIn(page);
  await expect.poll(path).toBe(from);
  // The login is not left behind in the history: going back does not lead to it.
  expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
});

test("R-2.1-23: a remembered /logout becomes /, and the player stays logged in", { tags: ["long"] }, async () => {
  const { page, backEnd, path } = await stage.open("/logout?x=1", { guest: true });
  await page.waitForURL("**/login");
  await logIn(page);
  await page.locator("article").first().waitFor();
  await expect.poll(path).toBe("/lobby");
  expect(backEnd.called()).not.toContain("POST /v1/player/logout");
  await expect.poll(() => page.evaluate(() => localStorage.getItem("jwt_access_token"))).toBe(backEnd.token);
});

test.each([
  ["R-2.1-01", "/", "/lobby"],
  ["R-2.1-02", "/lobby", "/lobby"],
  ["R-2.1-09", "/game", "/lobby"],
  ["R-2.1-20, R-2.2-03", "/login", "/lobby"],
  ["R-2.1-25, R-2.2-03", "/callback", "/lobby"],
])("%s: a player who opens %s comes to %s", async (_, from, to) => {
  const { page, path } = await stage.open(from);
  await page.locator("article").first().waitFor();
  await expect.poll(path).toBe(to);
});

test("R-2.1-03: the brand of the path is chosen", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby/nar/Nar");
  await expect.poll(() => page.locator("article").count()).toBe(3);
  await expect
    .poll(() => page.locator("article").allInnerTexts())
    .toEqual(Array.from({ length: 3 }, () => expect.stringContaining("Nar")));
});

test.each([
  ["R-1-06, R-2.1-06, R-2.1-08", "/game/m_2/Kuzey"],
  ["R-2.1-07, R-2.1-08", "/game/m_2"],
])("%s: %s is the game of that machine, without any bar", async (_, from) => {
  const { page, backEnd, path } = await stage.open(from);
  await expect.poll(() => backEnd.opened.game.length).toBe(1);
  expect(new URL(backEnd.opened.game[0]?.url ?? "", "ws://x").searchParams.get("machine")).toBe("m_2");
  await page.getByText("Kuzey 02").first().waitFor();
  await expect.poll(path).toBe(from);
  expect(await page.locator("a[href='/logout']").count()).toBe(0);
  expect(await bars(page).count()).toBe(0);
});

test.each(["/login", "/callback"])("R-2.1-21, R-2.1-24: %s has no bars", async (from) => {
  const { page } = await stage.open(from, { guest: true });
  await page.locator("main svg").first().waitFor();
  expect(await bars(page).count()).toBe(0);
});

test("R-2.1-24: /callback shows the splash to a guest, calls nothing and stays", { tags: ["long"] }, async () => {
  const { page, backEnd, path } = await stage.open("/callback", { guest: true, moves: true });
  await page.locator("main[aria-busy=true] svg").waitFor();
  // The logo, and something that turns.
  const turning = page.locator("main[aria-busy=true] > span").first();
  await expect.poll(() => turning.evaluate((ring) => getComputedStyle(ring).animationIterationCount)).toBe("infinite");
  await expect.poll(path).toBe("/callback");
  expect(backEnd.calls).toEqual([]);
});

test.each(
  someOf(3, [
    ["R-2.1-54", "/no/such", true],
    ["R-2.1-42, R-2.2-04", "/pages/errors/error-404", true],
    ["R-2.1-54", "/no/such", undefined],
    ["R-2.1-54", "/register", true],
    ["R-2.1-54", "/lobby/too/many/parts", true],
    ["R-2.1-42, R-2.2-04", "/pages/errors/error-404", undefined],
  ] as const),
)("%s: %s ends at the 404 page (guest: %s), with one way out", async (_, from, guest) => {
  const { page, path } = await stage.open(from, guest ? { guest } : {});
  await page.getByRole("heading", { level: 1, name: "The page you want is not here" }).waitFor();
  await expect.poll(path).toBe("/pages/errors/error-404");
  await page.getByRole("link", { name: "Back to lobby" }).click();
  await page.waitForURL(guest ? "**/login" : "**/lobby");
});

// acceptance 4
describe("R-2.1-42: the 404 page", () => {
  const WORDS = {
    en: { search: "Search machines", send: "Search", back: "Back to lobby", sorry: "Sorry, we could not find it." },
    tr: { search: "Makine ara", send: "Ara", back: "Lobiye dön", sorry: "Üzgünüz, bu sayfayı bulamadık." },
    ar: { search: "ابحث عن ماكينة", send: "بحث", back: "العودة إلى الصالة", sorry: "عذرًا، لم نعثر عليها." },
  };

  test.each(everyWindow("desk"))(
    "says 404 and sorry, and has a search field and a way back, $width in $language",
    { tags: ["long"] },
    async (window) => {
      const words = WORDS[window.language];
      const { page } = await stage.open("/no/such", { window });
      await page.getByRole("heading", { level: 1, name: /^404 / }).waitFor();
      expect(await page.title()).toMatch(/^404 .+ · Longarm$/);
      expect(await page.getByRole("main").innerText()).toContain(words.sorry);
      // By the keyboard alone: the field, its key, the link.
      const inOrder = [
        page.getByRole("searchbox", { name: words.search, exact: true }),
        page.getByRole("button", { name: words.send, exact: true }),
        page.getByRole("link", { name: words.back, exact: true }),
      ];
      for (const reached of inOrder) {
        await page.keyboard.press("Tab");
        await reached.and(page.locator(":focus")).waitFor();
      }
      expect(await axeFindings(page)).toEqual([]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    },
  );

  test("leads what is searched for to the lobby, a guest by the login, and nothing typed to the whole lobby", {
    tags: ["long"],
  }, async () => {
    const { page, path } = await stage.open("/no/such");
    const field = page.getByRole("searchbox", { name: "Search machines" });
    await field.fill(" nar 0 ");
    await field.press("Enter");
    await page.waitForURL("**/lobby?search=nar+0");
    await expect.poll(() => page.getByRole("searchbox", { name: "Search machines" }).inputValue()).toBe("nar 0");
    await page.goBack();
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await expect.poll(path).toBe("/lobby");
    expect(new URL(page.url()).search).toBe("");

    const guest = await stage.open("/no/such", { guest: true });
    await guest.page.getByRole("searchbox", { name: "Search machines" }).fill("nar");
    await guest.page.keyboard.press("Enter");
    await guest.page.waitForURL("**/login");
    await logIn(guest.page);
    await guest.page.waitForURL("**/lobby?search=nar");
  });
});

test.each(["//evil.example/x", "/\\evil.example", "/%5C%5Cevil.example", "/%2F%2Fevil.example", "/x/..//evil.example"])(
  "R-2.2-02: %s is remembered as nothing but a path of this page",
  { tags: ["long"] },
  async (evil) => {
    const { page, backEnd } = await stage.open("/login", { guest: true });
    // As if a refusal had kept it: the state of the login's history entry.
    await page.evaluate((wanted) => {
      const state = { ...(history.state as object), wanted };
      history.replaceState(state, "", "/login");
    }, evil);
    await page.reload();
    await page.locator("main button").first().waitFor();
    await logIn(page);
    await page.locator("article").first().waitFor();
    expect(new URL(page.url()).href).toBe(`${backEnd.url}/lobby`);
  },
);

test("R-2.1-55: screens come on demand: the transactions bring a script of their own", async () => {
  const scripts = new Set<string>();
  const { page } = await stage.open("/lobby", {
    before: (opened) =>
      void opened.on("request", (request) => {
        if (request.resourceType() === "script") scripts.add(request.url());
      }),
  });
  await page.locator("article").first().waitFor();
  const before = new Set(scripts);
  // Straight to it, without pointing at its link first: that alone may fetch it.
  await page.evaluate(() => {
    history.pushState(history.state, "", "/transactions");
    dispatchEvent(new PopStateEvent("popstate"));
  });
  await page.getByRole("heading", { level: 1, name: "Transactions" }).waitFor();
  expect([...scripts].filter((url) => !before.has(url)).length).toBeGreaterThan(0);
});

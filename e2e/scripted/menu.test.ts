import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { DESK, PHONE, setUpStage } from "./game-stage.ts";

const stage = setUpStage();
const TABLET = { width: 800, height: 900, language: "en" } as const;

const menuOf = (page: Page) => page.getByRole("navigation", { name: "Menu" });
const itemsOf = (page: Page) => menuOf(page).locator("ul").first().getByRole("link");
const widthOf = async (page: Page) => (await menuOf(page).boundingBox())?.width;

test("R-1-29, R-2.3-01, R-2.3-02, R-2.3-03, R-2.3-04, R-2.3-05, R-2.3-06, R-2.1-04, R-2.1-15: after login the shell is there, with the five items of the specification and two of ours, which lead where they say", async () => {
  const { page } = await stage.open("/lobby");
  await page.getByRole("banner").waitFor();
  await page.getByRole("contentinfo").waitFor();
  await expect
    .poll(() => itemsOf(page).allInnerTexts())
    .toEqual(["Home", "Profile", "Game Sessions", "Transactions", "Wallet", "Safer play", "Logout"]);
  for (const [name, path] of [
    ["Profile", "/profile"],
    ["Game Sessions", "/slot-sessions"],
    ["Transactions", "/transactions"],
    ["Wallet", "/wallet"],
    ["Safer play", "/safer-play"],
    ["Home", "/lobby"],
  ] as const) {
    await menuOf(page).getByRole("link", { name, exact: true }).click();
    await page.waitForURL(`**${path}`);
  }
  await menuOf(page).getByRole("link", { name: "Logout" }).click();
  await page.waitForURL("**/login");
});

test.each([
  { permissions: [145], type: 1, links: 7 },
  { permissions: ["145", 7], type: 9, links: 7 },
  { permissions: [145], type: "operator", links: 7 },
  { permissions: [1], type: 1, links: 0 },
  { permissions: undefined, type: undefined, links: 7 },
])(
  "R-2.3-07, R-2.3-08, R-6-08, R-6-09: with permissions $permissions and type $type the menu has $links items",
  { tags: ["long"] },
  async ({ permissions, type, links }) => {
    const { page, complaints } = await stage.open("/lobby", {
      world(world) {
        world.player = { ...world.player, Permissions: permissions, type };
        world.signIn = { ...world.signIn, Permissions: permissions };
      },
    });
    await page.locator("article").first().waitFor();
    await expect.poll(() => itemsOf(page).count()).toBe(links);
    expect(complaints).toEqual([]);
  },
);

test("R-2.10-17: only the item of this page is marked, also below it", async () => {
  const { page, backEnd } = await stage.open("/transactions");
  const current = menuOf(page).locator("[aria-current=page]");
  await current.waitFor();
  await expect.poll(() => current.allInnerTexts()).toEqual(["Transactions"]);
  const background = (name: string) =>
    menuOf(page)
      .getByRole("link", { name, exact: true })
      .evaluate((link) => getComputedStyle(link).backgroundColor);
  expect(await background("Transactions")).not.toBe(await background("Profile"));
  await page.goto(`${backEnd.url}/lobby/nar/Nar`);
  await expect.poll(() => current.allInnerTexts()).toEqual(["Home"]);
});

test("R-2.10-18: the logo leads to the lobby and takes the page's place in the history", async () => {
  const { page } = await stage.open("/lobby");
  await menuOf(page).getByRole("link", { name: "Transactions" }).click();
  await page.waitForURL("**/transactions");
  await menuOf(page).getByRole("link", { name: "Profile" }).click();
  await page.waitForURL("**/profile");
  await menuOf(page).getByRole("link", { name: "Longarm, lobby" }).click();
  await page.waitForURL("**/lobby");
  await page.goBack();
  await page.waitForURL("**/transactions");
});

test("R-2.10-19, R-2.10-20, R-2.10-21, R-2.10-22, R-2.10-23, R-2.10-24, R-2.10-25, R-2.10-26, R-2.10-27, R-9-40, R-1-12: the menu says who plays, with what, and when they were here before", async () => {
  const { page } = await stage.open("/lobby");
  await page.getByText("₺12,450.75").first().waitFor();
  const text = (await menuOf(page).innerText()).replaceAll(/\s+/g, " ");
  const order = ["Deniz Aydın", "deniz.aydin", "₺12,450.75", "IP 85.104.12.7", "Last login", "85.104.12.9", "v2.3.4"];
  const places = order.map((word) => text.indexOf(word));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  const time = await page.evaluate(() =>
    new Intl.DateTimeFormat("en-GB", { dateStyle: "short", timeStyle: "short" })
      .format(new Date("2026-11-20T20:14:00.000Z"))
      .replace(",", ""),
  );
  expect(text).toContain(`Last login ${time}`);
});

test("names and addresses of any kind are shown as text, and missing ones leave no empty line", {
  tags: ["long"],
}, async () => {
  const { page, complaints } = await stage.open("/lobby", {
    world(world) {
      world.player = {
        ...world.player,
        name: "<img src=x onerror=alert(1)>",
        lastname: null,
        username: "x".repeat(300),
      };
      world.signIn = { ...world.signIn, ip_address: "", last_logon: "yesterday", last_logon_ip: null };
    },
  });
  await menuOf(page).getByText("<img src=x onerror=alert(1)>").waitFor();
  await expect.poll(() => menuOf(page).locator("dt").allInnerTexts()).toEqual(["Last login", "Version"]);
  await menuOf(page).getByText("yesterday").waitFor();
  await expect.poll(() => widthOf(page)).toBe(280);
  expect(complaints).toEqual([]);
});

test("R-2.10-01, R-2.10-02, R-2.10-03, R-4.7-01, R-9-32, R-9-36: the menu is in the page, 280 px wide, 64 when folded, and stays so", async () => {
  const { page } = await stage.open("/lobby", { window: DESK });
  await menuOf(page).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  await expect.poll(() => widthOf(page)).toBe(280);
  await expect.poll(async () => (await page.getByRole("main").boundingBox())?.x).toBe(280);
  await page.getByRole("button", { name: "Fold the menu" }).click();
  await expect.poll(() => widthOf(page)).toBe(64);
  await expect.poll(async () => (await page.getByRole("main").boundingBox())?.x).toBe(64);
  await expect.poll(() => itemsOf(page).first().getAttribute("title")).toBe("Home");
  await page.reload();
  await expect.poll(() => widthOf(page)).toBe(64);
  await page.getByRole("button", { name: "Unfold the menu" }).focus();
  await page.keyboard.press("Enter");
  await page.mouse.move(700, 500);
  await expect.poll(async () => (await page.getByRole("main").boundingBox())?.x).toBe(280);
});

test("R-2.10-06, R-4.7-02, R-4.7-04, R-9-31: a folded menu opens 150 ms after the pointer came and closes 150 ms after it left", async () => {
  const { page } = await stage.open("/lobby", {
    clock: true,
    before: (visited) => visited.addInitScript(() => localStorage.setItem("longarm.menuFolded", "true")),
  });
  await page.locator("article").first().waitFor();
  await page.mouse.move(700, 500);
  await page.clock.pauseAt(Date.now() + 60_000);
  await expect.poll(() => widthOf(page)).toBe(64);

  await page.mouse.move(30, 500);
  await page.clock.runFor(100);
  await page.mouse.move(700, 500);
  await page.clock.runFor(1_000);
  await expect.poll(() => widthOf(page)).toBe(64);

  await page.mouse.move(30, 500);
  await page.clock.runFor(140);
  await expect.poll(() => widthOf(page)).toBe(64);
  await page.clock.runFor(20);
  await expect.poll(() => widthOf(page)).toBe(280);
  // It lies over the page, which does not move.
  await expect.poll(async () => (await page.getByRole("main").boundingBox())?.x).toBe(64);

  await page.mouse.move(700, 500);
  await page.clock.runFor(140);
  await expect.poll(() => widthOf(page)).toBe(280);
  await page.clock.runFor(20);
  await expect.poll(() => widthOf(page)).toBe(64);
});

test("a folded menu opens for the keyboard, and closes when it has left", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby", {
    before: (visited) => visited.addInitScript(() => localStorage.setItem("longarm.menuFolded", "true")),
  });
  await page.locator("article").first().waitFor();
  // A browser without windows begins with its pointer in the corner, which is over the menu.
  await page.mouse.move(900, 500);
  await expect.poll(() => widthOf(page)).toBe(64);
  await page.keyboard.press("Tab");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content");
  await page.keyboard.press("Tab");
  await expect.poll(() => widthOf(page)).toBe(280);
  await page.locator("#page").focus();
  await expect.poll(() => widthOf(page)).toBe(64);
});

test("R-2.10-04, R-2.10-07, R-4.7-03: on small screens the menu is a drawer that Escape, the backdrop and a chosen item close", async () => {
  const { page } = await stage.open("/lobby", { window: TABLET });
  const drawer = page.getByRole("dialog");
  const key = page.getByRole("button", { name: "Open the menu" });
  await key.waitFor();
  expect(await menuOf(page).count()).toBe(0);

  await key.click();
  await drawer.waitFor();
  await expect.poll(() => itemsOf(page).count()).toBe(7);
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  await expect.poll(() => key.evaluate((node) => node === document.activeElement)).toBe(true);

  await key.click();
  await drawer.waitFor();
  await page.mouse.click(750, 600);
  await drawer.waitFor({ state: "detached" });

  await key.click();
  await menuOf(page).getByRole("link", { name: "Transactions" }).click();
  await page.waitForURL("**/transactions");
  await drawer.waitFor({ state: "detached" });
});

test("the focus stays in the open drawer, and the chosen page's heading gets it", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby", { window: PHONE });
  await page.getByRole("button", { name: "Open the menu" }).press("Enter");
  await page.getByRole("dialog").waitFor();
  const inside = () => page.evaluate(() => document.activeElement?.closest("[role=dialog]") !== null);
  await expect.poll(inside).toBe(true);
  for (let step = 0; step < 20; step += 1) {
    await page.keyboard.press("Tab");
    await expect.poll(inside).toBe(true);
  }
  await menuOf(page).getByRole("link", { name: "Transactions" }).press("Enter");
  await page.waitForURL("**/transactions");
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
});

test("R-2.10-05: without a header a floating key opens the drawer, which holds what the header held", async () => {
  const { page } = await stage.open("/lobby", {
    window: TABLET,
    world: (world) => Object.assign(world.settings, { header: false, infoText: "Hello" }),
  });
  const key = page.getByRole("button", { name: "Open the menu" });
  await key.waitFor();
  expect(await page.getByRole("banner").count()).toBe(0);
  await page.evaluate(() => scrollTo(0, 300));
  await expect.poll(async () => (await key.boundingBox())?.y).toBeLessThan(20);
  await key.click();
  await menuOf(page).getByRole("radio", { name: "English" }).waitFor();
  await menuOf(page).getByRole("button", { name: "Hide the balance" }).click();
  await menuOf(page).getByText("••• hidden").waitFor();
  await menuOf(page).getByRole("button", { name: "Information" }).click();
  const information = page.getByRole("dialog", { name: "Information" });
  await information.getByText("Hello").waitFor();
  await page.keyboard.press("Escape");
  await information.waitFor({ state: "detached" });
  await expect.poll(() => key.evaluate((node) => node === document.activeElement)).toBe(true);
});

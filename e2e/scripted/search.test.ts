import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { DESK, PHONE, setUpTemplateStage } from "./game-stage.ts";

const stage = setUpTemplateStage();

const withPages = (world: { settings: Record<string, unknown> }) => {
  world.settings["externalInfo"] = true;
};
const fieldOf = (page: Page) => page.getByRole("dialog").getByRole("combobox");
const options = (page: Page) => page.getByRole("option").allInnerTexts();

async function search(page: Page): Promise<void> {
  await page.locator("article").first().waitFor();
  await page.keyboard.press("Control+k");
  await fieldOf(page).waitFor();
}

test("R-2.10-43: TRANS suggests Transactions, the source's titles are found too, and Enter leads there", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/lobby");
  await search(page);
  await fieldOf(page).fill("TRANS");
  await expect.poll(() => options(page)).toEqual(["Transactions"]);
  await fieldOf(page).fill("slot s");
  await expect.poll(() => options(page)).toEqual(["Game Sessions"]);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/slot-sessions");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("in Turkish both letters i are found by either", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby", { window: { ...DESK, language: "tr" } });
  await search(page);
  for (const text of ["işlem", "ISLEM", "İŞLEM"]) {
    await fieldOf(page).fill(text);
    await expect.poll(() => options(page)).toEqual(["İşlemler"]);
  }
});

test("R-2.10-44, R-9-39: of eleven items ten are suggested", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby", { world: withPages });
  await search(page);
  await expect.poll(async () => (await options(page)).length).toBe(10);
  await fieldOf(page).fill("paytab");
  await expect.poll(() => options(page)).toEqual(["Paytables"]);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Paytables" }).waitFor();
});

test("R-2.10-45: nothing found says so with two dots", async () => {
  const { page } = await stage.open("/lobby");
  await search(page);
  await fieldOf(page).fill("zzz");
  await page.getByRole("status").getByText("No results..", { exact: true }).waitFor();
  expect(await options(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await fieldOf(page).waitFor();
});

test("the search is worked by keyboard alone, and gives the focus back", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby");
  const key = page.getByRole("button", { name: "Search", exact: true });
  await key.waitFor();
  await expect.poll(() => key.getAttribute("title")).toBe("Search (Ctrl K or /)");
  await key.press("Enter");
  await fieldOf(page).waitFor();
  const active = () =>
    page.evaluate(() => {
      const id = document.activeElement?.getAttribute("aria-activedescendant");
      return id ? document.getElementById(id)?.textContent : undefined;
    });
  await expect.poll(active).toBe("Home");
  await page.keyboard.press("ArrowUp");
  await expect.poll(active).toBe("Logout");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect.poll(active).toBe("Profile");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(() => key.evaluate((node) => node === document.activeElement)).toBe(true);

  await page.keyboard.press("/");
  await fieldOf(page).waitFor();
  expect(await fieldOf(page).inputValue()).toBe("");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/profile");
});

test("a slash that is typed into a field stays there", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby");
  const field = page.getByRole("searchbox").first();
  await field.fill("a");
  await field.press("/");
  await expect.poll(() => field.inputValue()).toBe("a/");
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
});

test("R-2.10-46, R-3-30: a starred item is in the header's toolbar, leads there, and goes when it is unstarred", async () => {
  const { page } = await stage.open("/lobby");
  const bar = page.getByRole("navigation", { name: "Shortcuts" });
  const star = page.getByRole("button", { name: "Shortcut: Transactions" });
  await search(page);
  await star.click();
  await expect.poll(() => star.getAttribute("aria-pressed")).toBe("true");
  await page.keyboard.press("Escape");
  await bar.waitFor();
  await expect.poll(() => bar.getByRole("link").getAttribute("title")).toBe("Transactions");
  await expect.poll(() => bar.getByRole("link").locator("svg").count()).toBe(1);
  await page.reload();
  await bar.getByRole("link", { name: "Transactions" }).click();
  await page.waitForURL("**/transactions");
  await page.keyboard.press("Control+k");
  await star.click();
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });
});

test("the shortcuts begin with those that the platform sends; ids without an item are passed over", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/lobby", {
    world: (world) => Object.assign(world.signIn, { shortcuts: ["nowhere", "profile", "transactions"] }),
  });
  const links = page.getByRole("navigation", { name: "Shortcuts" }).getByRole("link");
  await expect.poll(() => links.count()).toBe(2);
  await expect.poll(() => links.first().getAttribute("aria-label")).toBe("Profile");
});

test("on a phone the drawer opens the search, and the menu key gets the focus back", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby", { window: PHONE });
  const key = page.getByRole("button", { name: "Open the menu" });
  await key.click();
  await page.getByRole("navigation", { name: "Menu" }).getByRole("button", { name: "Search" }).click();
  await fieldOf(page).waitFor();
  // The drawer has gone, and has left the focus where it is.
  await expect.poll(() => page.getByRole("navigation", { name: "Menu" }).count()).toBe(0);
  await expect.poll(() => fieldOf(page).evaluate((node) => node === document.activeElement)).toBe(true);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(() => key.evaluate((node) => node === document.activeElement)).toBe(true);
});

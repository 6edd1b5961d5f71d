/** @module-tag long */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../launcher/venue.ts";
import { DESK, PHONE, setUpStage } from "./game-stage.ts";

/** What ships: deploy/operator/Settings.json. */
const shipped = JSON.parse(await readFile(join(ROOT, "deploy/operator/Settings.json"), "utf8"));
const stage = setUpStage((world) => {
  world.settings = { ...shipped };
});

// player 5
test.each(["layout1", "layout2", "layout3"])(
  "player 5: nothing in %s leads a player to the template, and its pages are there by their addresses",
  async (layout) => {
    const { page } = await stage.open("/lobby", {
      window: DESK,
      world: ({ settings }) => Object.assign(settings, { layout }),
    });
    await page.locator("article").first().waitFor();
    // What comes last on a page that leads there has come by the time the search has.
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("typog");
    await page.getByText("No results..").waitFor();
    await page.keyboard.press("Escape");
    const names = /Theme|Quick|Documentation|Purchase|Learn More|scrollbar|RTL/i;
    expect(await page.getByRole("button", { name: names }).count()).toBe(0);
    expect(await page.getByRole("link", { name: names }).count()).toBe(0);
    expect(await page.getByText(/User Interface|React|PostgreSQL/).count()).toBe(0);
    await page.goto(new URL("/documentation", page.url()).href);
    await page.locator("main h1").first().waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe("/documentation");
  },
);

// player 6
test("player 6: help and info pages are there, and the demo says that it is one", async () => {
  const { page } = await stage.open("/lobby", { window: DESK });
  await page.getByRole("button", { name: "Player Protection Information" }).first().waitFor();
  await page.getByRole("button", { name: "Support" }).click();
  await page.getByText("Demo: enter your own support contacts in Settings.json.").waitFor();
  expect(await page.getByRole("dialog").getByRole("link").count()).toBe(0);
});

// player 29
test("player 29: the version is once in the page, no address of the computer itself, and no footer for it alone", async () => {
  const world = ({ signIn }: { signIn: Record<string, unknown> }) =>
    void Object.assign(signIn, { ip_address: "127.0.0.1", last_logon_ip: "127.0.0.1" });
  const { page } = await stage.open("/lobby", { window: DESK, world });
  await page.locator("article").first().waitFor();
  await expect.poll(() => page.getByText("v2.3.4").count()).toBe(1);
  await page.locator("footer").getByText("For ages 18 and over only").waitFor();
  expect(await page.getByText("127.0.0.1").count()).toBe(0);
  const phone = await stage.open("/lobby", {
    window: PHONE,
    world: ({ settings }) => void Object.assign(settings, { externalInfo: false, minimumAge: 0, loginNotice: "" }),
  });
  await phone.page.locator("article").first().waitFor();
  expect(await phone.page.locator("footer").count()).toBe(0);
});

// player 21
test("player 21: Arabic is in the header's language buttons, after Turkish and English", async () => {
  const { page } = await stage.open("/lobby", { window: DESK });
  const languages = page
    .getByRole("radiogroup", { name: "Language" })
    .or(page.getByRole("group", { name: "Language" }));
  await expect.poll(() => languages.first().innerText()).toMatch(/TR\s*EN\s*ع/);
  await page.getByRole("radio", { name: "العربية" }).click();
  await expect.poll(() => page.getAttribute("html", "dir")).toBe("rtl");
});

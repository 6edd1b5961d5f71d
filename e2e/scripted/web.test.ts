import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ROOT } from "../../launcher/house.ts";
import { buildWeb } from "../../launcher/web-build.ts";
import { scriptedToken } from "./answers.ts";
import type { ScriptedBackEnd } from "./back-end.ts";
import { startScriptedBackEnd } from "./back-end.ts";
import { axeFindings, openBrowser, overflowOf, visit } from "./browser.ts";
import { scriptedWorld } from "./world.ts";

const DESK = { width: 1440, height: 900, language: "en" } as const;
const folder = join(ROOT, "apps/web/dist");
let browser: Browser;
let backEnd: ScriptedBackEnd;
let token: string;

beforeAll(async () => {
  await buildWeb(ROOT, () => {});
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
});
beforeEach(async () => {
  const exp = Math.floor(Date.now() / 1000) + 3_600;
  const world = scriptedWorld(Date.now() + 600_000);
  backEnd = await startScriptedBackEnd(world, folder, exp);
  token = scriptedToken(world.player, exp);
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  await backEnd.close();
});

async function logIn(page: Page, password = "longarm-demo"): Promise<void> {
  await page.locator("main button").first().click();
  await page.fill("input[name=username]", "deniz.aydin");
  await page.fill("input[name=password]", password);
  await page.click("button[type=submit]");
}
const pathOf = (page: Page) => page.url().slice(backEnd.url.length);

const sizes = [
  [1440, 900],
  [390, 844],
  [844, 390],
] as const;
const windows = sizes.flatMap(([width, height]) =>
  (["tr", "en", "ar"] as const).map((language) => ({ width, height, language })),
);
test.each(windows)(
  "card, form and lobby at $width x $height in $language: no complaint, no axe finding, no overflow",
  async (window) => {
    const { page, complaints } = await visit(browser, window);
    await page.goto(`${backEnd.url}/lobby?x=1`);
    await page.locator("main button svg").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.getAttribute("html", "dir")).toBe(window.language === "ar" ? "rtl" : "ltr");
    await page.locator("main button").first().click();
    await page.locator("input[name=username]").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.fill("input[name=username]", "deniz.aydin");
    await page.fill("input[name=password]", "longarm-demo");
    await page.click("button[type=submit]");
    await page.locator("article").nth(11).waitFor();
    // The wanted path came back, with its query.
    expect(pathOf(page)).toBe("/lobby?x=1");
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
  },
);

test("a token in the address signs in, leaves the address, and the brand's filter stands in it", async () => {
  const { page } = await visit(browser, DESK);
  await page.goto(`${backEnd.url}/lobby?token=${token}`);
  await page.locator("article").first().waitFor();
  expect(pathOf(page)).toBe("/lobby");
  expect(backEnd.calls[0]).toBe("GET /v1/validate");
  await page.getByRole("navigation", { name: "Brands" }).getByRole("link", { name: /Nar/ }).click();
  await page.waitForURL("**/lobby/nar/Nar");
  await expect.poll(() => page.locator("article").count()).toBe(3);
});

test("a pushed status changes the cabinet, a refused one says why, and a free one opens the game", async () => {
  const { page } = await visit(browser, DESK);
  await page.goto(`${backEnd.url}/lobby?token=${token}`);
  const second = backEnd.world.machines[1];
  if (second === undefined) throw new Error("The scripted world has no second machine");
  await page.locator("[data-machine=m_2][data-lamp=available]").waitFor();
  await expect.poll(() => backEnd.listening()).toBe(1);
  second.status = 3;
  backEnd.push("machine", { id: "m_2", status: 3 });
  await page.locator("[data-machine=m_2][data-lamp=playing]").waitFor();
  await page.locator("[data-machine=m_2] a").click();
  await page.getByText("Kuzey 02 is being played now.").waitFor();
  await page.locator("[data-machine=m_3] a").click();
  await page.waitForURL("**/game/m_3/**");
});

test("an outage of the live connection is said, and a return of it takes the words away", async () => {
  const { page } = await visit(browser, DESK);
  await page.goto(`${backEnd.url}/lobby?token=${token}`);
  await expect.poll(() => backEnd.listening()).toBe(1);
  backEnd.refuseSockets(true);
  backEnd.drop(1012, "restart");
  const words = page.getByText("The live connection is down. What you see may be old.");
  await words.waitFor();
  backEnd.refuseSockets(false);
  await words.waitFor({ state: "detached" });
});

test("one 401 ends it all: token gone, one message, the login, and back to where it was", async () => {
  const { page } = await visit(browser, DESK);
  await page.goto(`${backEnd.url}/lobby/nar/Nar?token=${token}`);
  await page.locator("article").first().waitFor();
  backEnd.failNext("/v1/machine/nar", 401);
  await page.getByText("Invalid access_token").waitFor();
  await page.waitForURL("**/login");
  expect(await page.evaluate(() => localStorage.getItem("jwt_access_token"))).toBeNull();
  await logIn(page);
  await page.waitForURL("**/lobby/nar/Nar");
});

test("a wrong password is told by its code; a reload of the login keeps the wanted path; logout ends it", async () => {
  const { page } = await visit(browser, DESK);
  await page.goto(`${backEnd.url}/game/m_2/Kuzey`);
  await page.waitForURL("**/login");
  await page.reload();
  backEnd.failNext("/v1/login", 401, { code: 10700, ErrorMessage: "x", Params: { left_count: 2, block_time: 15 } });
  await logIn(page);
  await page.getByText("Wrong username or password. Remaining attempts: 2, block time: 15 minutes").waitFor();
  await page.click("button[type=submit]");
  await page.waitForURL("**/game/m_2/Kuzey");
  await page.goto(`${backEnd.url}/logout`);
  await page.waitForURL("**/login");
  expect(backEnd.calls.at(-1)).toBe("POST /v1/player/logout");
});

test.each([
  ["/", "/login"],
  ["/game", "/login"],
  ["/callback", "/callback"],
  ["/no/such/page", "/pages/errors/error-404"],
  ["/pages/errors/error-404", "/pages/errors/error-404"],
  ["/logout", "/login"],
])("a guest who opens %s ends at %s, and nothing is called", async (from, to) => {
  const { page } = await visit(browser, DESK);
  await page.goto(backEnd.url + from);
  await page.waitForURL(`**${to}`);
  expect(backEnd.calls).toEqual([]);
});

test.each([
  ["/", "/lobby"],
  ["/login", "/lobby"],
  ["/callback", "/lobby"],
  ["/game", "/lobby"],
  ["/pages/errors/error-404", "/pages/errors/error-404"],
])("a player who opens %s ends at %s", async (from, to) => {
  const { page } = await visit(browser, DESK);
  await page.goto(`${backEnd.url}${from}?token=${token}`);
  await page.waitForURL(`**${to}`);
});

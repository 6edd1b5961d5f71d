/** @module-tag long */
import { expect, test } from "vitest";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, logIn, setUpStage } from "./game-stage.ts";

const stage = setUpStage();

test.each(everyWindow("phone"))(
  "card, form and lobby at $width x $height in $language: no complaint, no axe finding, no overflow",
  async (window) => {
    const { page, complaints, path } = await stage.open("/lobby?x=1", { window, guest: true });
    await page.locator("main button svg").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await expect.poll(() => page.getAttribute("html", "dir")).toBe(window.language === "ar" ? "rtl" : "ltr");
    await page.locator("main button").first().click();
    await page.locator("input[name=username]").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.fill("input[name=username]", "deniz.aydin");
    await page.fill("input[name=password]", "longarm-demo");
    await page.click("button[type=submit]");
    await page.locator("article").nth(11).waitFor();
    // The wanted path came back, with its query.
    await expect.poll(path).toBe("/lobby?x=1");
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
  },
);

test("a token in the address signs in, leaves the address, and the brand's filter is in it", async () => {
  const { page, backEnd, path } = await stage.open("/lobby");
  await page.locator("article").first().waitFor();
  await expect.poll(path).toBe("/lobby");
  await expect.poll(() => backEnd.called()[0]).toBe("GET /v1/validate");
  await page.getByRole("navigation", { name: "Brands" }).getByRole("link", { name: /Nar/ }).click();
  await page.waitForURL("**/lobby/nar/Nar");
  await expect.poll(() => page.locator("article").count()).toBe(3);
});

test("a pushed status changes the cabinet, a refused one says why, and a free one opens the game", async () => {
  const { page, backEnd } = await stage.open("/lobby");
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
  // The game's own heading takes the focus over from the heading that said it was loading.
  await page.locator("h1 .num").waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
  await page.keyboard.press("Tab");
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
    .toBe("Back to lobby");
});

test("an outage of the live connection is said, and a return of it takes the words away", async () => {
  const { page, backEnd } = await stage.open("/lobby");
  await expect.poll(() => backEnd.listening()).toBe(1);
  backEnd.refuseSockets(true);
  backEnd.drop(1012, "restart");
  const words = page.getByText("The live connection is down. What you see may be old.");
  await words.waitFor();
  backEnd.refuseSockets(false);
  await words.waitFor({ state: "detached" });
});

test("one 401 ends it all: token gone, one message, the login, and back to where it was", async () => {
  const { page, backEnd } = await stage.open("/lobby/nar/Nar");
  await page.locator("article").first().waitFor();
  backEnd.failNext("/v1/machine/nar", 401);
  await page.getByText("Invalid access_token").waitFor();
  await page.waitForURL("**/login");
  expect(await page.evaluate(() => localStorage.getItem("jwt_access_token"))).toBeNull();
  await logIn(page);
  await page.waitForURL("**/lobby/nar/Nar");
});

test("a wrong password is shown by its code; a reload of the login keeps the wanted path; logout ends it", async () => {
  const { page, backEnd } = await stage.open("/game/m_2/Kuzey", { guest: true });
  await page.waitForURL("**/login");
  await page.reload();
  backEnd.failNext("/v1/login", 401, { code: 10700, ErrorMessage: "x", Params: { left_count: 2, block_time: 15 } });
  await logIn(page);
  await page.getByText("Wrong username or password. Remaining attempts: 2, block time: 15 minutes").waitFor();
  await page.click("button[type=submit]");
  await page.waitForURL("**/game/m_2/Kuzey");
  await page.goto(`${backEnd.url}/logout`);
  await page.waitForURL("**/login");
  await expect.poll(() => backEnd.called().at(-1)).toBe("POST /v1/player/logout");
});

test.each([
  ["/", "/login"],
  ["/game", "/login"],
  ["/callback", "/callback"],
  ["/no/such/page", "/pages/errors/error-404"],
  ["/pages/errors/error-404", "/pages/errors/error-404"],
  ["/logout", "/login"],
])("a guest who opens %s ends at %s, and nothing is called", async (from, to) => {
  const { page, backEnd } = await stage.open(from, { guest: true });
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
  const { page } = await stage.open(from);
  await page.waitForURL(`**${to}`);
});

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ok, refused } from "./answers.ts";
import { axeFindings } from "./browser.ts";
import { everyWindow, logIn, setUpStage } from "./game-stage.ts";

const stage = setUpStage();

const token = (page: Page) => page.evaluate(() => localStorage.getItem("jwt_access_token"));
const loginWithToken = ({ settings }: { settings: Record<string, unknown> }) =>
  void Object.assign(settings, { loginWithToken: true });
const notAllowed = "LOGIN is not allowed. Probably Access Token is no longer valid";

test("R-4.2-05, R-4.2-09, R-4.2-10, R-8-18: a 401 of any call clears the session once, says so, and later calls carry no token", {
  tags: ["long"],
}, async () => {
  const { page, backEnd, path } = await stage.open("/lobby/nar/Nar?x=1", {
    before: (_, { script }) => {
      for (const call of ["player/balance", "machine/brands", "machine/nar"]) {
        script(`GET /v1/${call}`, () => refused(401, 10));
      }
    },
  });
  await page.waitForURL("**/login");
  await page.getByText("Invalid access_token", { exact: true }).waitFor();
  await expect.poll(() => page.getByRole("alert").count()).toBe(1);
  expect(await token(page)).toBeNull();
  const before = backEnd.calls.length;
  for (const call of ["player/balance", "machine/brands", "machine/nar"])
    backEnd.script(`GET /v1/${call}`, () => ok([]));
  await logIn(page);
  await expect.poll(path).toBe("/lobby/nar/Nar?x=1");
  await expect.poll(() => backEnd.calls[before]).toMatchObject({ path: "/v1/login" });
  expect(backEnd.calls[before]?.headers["authorization"]).toBeUndefined();
});

test("R-8-12: a player banned while the page is open is signed out and sees why", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/lobby", {
    before: (_, { script }) => {
      for (const call of ["player/balance", "machine/brands", "machine/all"])
        script(`GET /v1/${call}`, () => refused(403, 10704));
    },
  });
  await page.waitForURL("**/login");
  await page.getByText("You have been banned", { exact: true }).waitFor();
  await expect.poll(() => page.getByRole("alert").count()).toBe(1);
  expect(await token(page)).toBeNull();
});

test("R-4.2-11, R-8-22: an expired stored token is removed without a call and without a word", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open("/lobby", {
    guest: true,
    before: (opened, { token: good }) => {
      const [head, body = "", signature] = good.split(".");
      const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as object;
      const old = Buffer.from(JSON.stringify({ ...claims, exp: 1_000 })).toString("base64url");
      return opened.addInitScript(
        (kept) => localStorage.setItem("jwt_access_token", kept),
        `${head}.${old}.${signature}`,
      );
    },
  });
  await page.waitForURL("**/login");
  await page.locator("main button").first().waitFor();
  expect(backEnd.calls).toEqual([]);
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await token(page)).toBeNull();
});

test("R-4.2-06: without a token nothing is requested, and the login is shown", { tags: ["long"] }, async () => {
  const { page, backEnd } = await stage.open("/lobby", { guest: true });
  await page.waitForURL("**/login");
  await page.locator("main button").first().waitFor();
  expect(backEnd.calls).toEqual([]);
});

test("R-4.2-03, R-8-21: a token check that fails says `Failed to login with token.`", async () => {
  const { page, backEnd } = await stage.open("/lobby", {
    before: (_, { script }) => script("GET /v1/validate", () => ({ httpStatus: 500, body: "oops" })),
  });
  await page.getByText("Failed to login with token.", { exact: true }).waitFor();
  await page.waitForURL("**/login");
  await expect.poll(() => backEnd.called()).toEqual(["GET /v1/validate"]);
});

test("R-8-18: a token that the platform refuses is cleared with `Invalid access_token`, and the form is shown", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/lobby?token=bad", { guest: true });
  await page.getByText("Invalid access_token", { exact: true }).waitFor();
  await page.waitForURL("**/login");
  expect(await token(page)).toBeNull();
  await logIn(page);
  await page.waitForURL("**/lobby");
});

test("R-8-19: without an answer the network is said to be wrong, and the session is kept for the next try", async () => {
  const { page, backEnd } = await stage.open("/lobby", {
    before: (opened) => opened.route("**/v1/validate", (route) => route.abort()),
  });
  await page.getByText("Network Error, please check your connection", { exact: true }).waitFor();
  await expect.poll(() => token(page)).toBe(backEnd.token);
  await page.unroute("**/v1/validate");
  await page.reload();
  await page.waitForURL("**/lobby");
});

test("R-2.4-05: in login-with-token mode a bad token gets the sentence instead of the form", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/lobby?token=bad", { guest: true, world: loginWithToken });
  await page.waitForURL("**/login");
  await page.locator("main").getByText(notAllowed, { exact: true }).waitFor();
  expect(await page.locator("input[name=username], form").count()).toBe(0);
});

test.each(everyWindow("desk"))(
  "R-2.4-05: the sentence at $width x $height in $language: no axe finding",
  { tags: ["long"] },
  async (window) => {
    const { page } = await stage.open("/login", { guest: true, window, world: loginWithToken });
    await page.locator("main [role=alert]").waitFor();
    expect(await axeFindings(page)).toEqual([]);
  },
);

test("R-2.4-05: in that mode there is no form after a logout either, and a good token still signs in", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await stage.open("/lobby", { world: loginWithToken });
  await page.locator("article").first().waitFor();
  await page.goto(`${backEnd.url}/logout`);
  await page.locator("main").getByText(notAllowed, { exact: true }).waitFor();
});

test("R-8-02: a code of ours speaks in our words, an unknown one by its ErrorMessage", { tags: ["long"] }, async () => {
  const { page, backEnd } = await stage.open("/login", { guest: true });
  backEnd.failNext("/v1/login", 403, { code: 10704, ErrorMessage: "X" });
  await logIn(page);
  await page.getByText("You have been banned", { exact: true }).waitFor();
  backEnd.failNext("/v1/login", 403, { code: 99999, ErrorMessage: "X of the server" });
  await page.click("button[type=submit]");
  await page.getByText("X of the server", { exact: true }).waitFor();
});

test("R-8-26, R-8-27: a message stands top centre, and goes by itself after 6 s", async () => {
  let refuse = () => {};
  const { page, backEnd } = await stage.open("/lobby", {
    clock: true,
    before: (_, { script }) =>
      script("GET /v1/validate", () => new Promise((done) => (refuse = () => done(refused(401, 10))))),
  });
  await expect.poll(() => backEnd.called()).toContain("GET /v1/validate");
  // From here on time only passes when the test says so, however slow the computer is.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 8_000));
  refuse();
  const message = page.getByRole("alert").filter({ hasText: "Invalid access_token" });
  await expect.poll(() => page.clock.runFor(10).then(() => message.count())).toBe(1);
  await settled(page);
  const box = await message.boundingBox();
  if (box === null) throw new Error("The message has no place");
  expect(Math.abs(box.x + box.width / 2 - 720)).toBeLessThan(2);
  expect(box.y).toBeLessThan(120);
  await page.clock.runFor(5_700);
  await settled(page);
  await expect.poll(() => message.count()).toBe(1);
  await page.clock.runFor(500);
  await message.waitFor({ state: "detached" });
});

/** What React had still to do at this moment is done: its work goes by message channels, as this does. */
async function settled(page: Page): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await page.evaluate(
      () =>
        new Promise((done) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = done;
          port2.postMessage(0);
        }),
    );
  }
}

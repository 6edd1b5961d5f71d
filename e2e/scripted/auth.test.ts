import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ok, refused } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { DESK, everyWindow, logIn, PHONE, setUpStage } from "./game-stage.ts";

const stage = setUpStage();

const username = (page: Page) => page.locator("input[name=username]");
const password = (page: Page) => page.locator("input[name=password]");
const submit = (page: Page) => page.locator("button[type=submit]");
const pull = (page: Page) => page.getByRole("button", { name: /Pull the arm/ });
const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key);

/** The form of a guest, its arm pulled. */
async function openForm(scene: Parameters<typeof stage.open>[1] = {}) {
  const played = await stage.open("/login", { guest: true, ...scene });
  await pull(played.page).click();
  await username(played.page).waitFor();
  return played;
}

/** The described-by text of a field. */
async function noteOf(page: Page, name: string): Promise<string> {
  const note = await page.locator(`input[name=${name}]`).getAttribute("aria-describedby");
  return page.locator(`[id="${note}"]`).innerText();
}

test("R-1-03, R-2.1-19, R-2.4-01, R-2.4-02, R-2.4-07, R-2.4-08, R-2.4-09: the card, its form, and a login by credentials", async () => {
  const { page, backEnd, path, complaints } = await stage.open("/login", { guest: true });
  await pull(page).waitFor();
  expect(await page.locator("input[name=username], input[name=password]").count()).toBe(0);
  await pull(page).click();
  await username(page).waitFor();
  // The focus is where the typing starts.
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("username");
  await expect.poll(() => page.getByLabel("User name or e-mail").count()).toBe(1);
  await expect.poll(() => page.getByLabel("Password", { exact: true }).getAttribute("type")).toBe("password");
  await expect.poll(() => page.getByRole("checkbox", { name: "Remember me" }).count()).toBe(1);
  await username(page).fill("deniz.aydin");
  await password(page).fill("longarm");
  await submit(page).click();
  await page.locator("article").first().waitFor();
  await expect.poll(path).toBe("/lobby");
  await expect.poll(() => backEnd.called()).toContain("POST /v1/login");
  expect(complaints).toEqual([]);
});

test.each(["Enter", "Space"])(
  "R-2.4-02: the card opens by %s, and the whole login goes by keyboard alone",
  { tags: ["long"] },
  async (key) => {
    const { page } = await stage.open("/login", { guest: true });
    await pull(page).focus();
    await page.keyboard.press(key);
    await username(page).waitFor();
    await page.keyboard.type("deniz.aydin");
    await page.keyboard.press("Tab");
    await page.keyboard.type("longarm");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/lobby");
  },
);

test("R-7-02, R-9-01: the login sends user name, password and site id 2011, and no token", async () => {
  const { page, backEnd } = await openForm({
    before: (opened) => opened.addInitScript(() => localStorage.setItem("jwt_access_token", "")),
  });
  await username(page).fill("  deniz.aydin ");
  await password(page).fill(" longarm ");
  await submit(page).click();
  await page.waitForURL("**/lobby");
  const call = backEnd.calls.find(({ path }) => path === "/v1/login");
  // Blanks around a name are slips; those of a password are its own.
  expect(call?.body).toEqual({ username: "deniz.aydin", password: " longarm ", site_id: "2011" });
  expect(call?.headers["authorization"]).toBeUndefined();
});

test("R-4.2-01, R-4.2-04, R-7-01, R-7-07: the token is stored first, then the balance is fetched with it", async () => {
  let atBalance: string | null = null;
  const { page, backEnd } = await stage.open("/login", {
    guest: true,
    before: (opened, { script, world }) =>
      script("GET /v1/player/balance", async () => {
        atBalance = await stored(opened, "jwt_access_token");
        return ok(world.balance);
      }),
  });
  await logIn(page);
  await page.getByText("12,450.75").first().waitFor();
  const called = backEnd.called();
  expect(called.indexOf("POST /v1/login")).toBeLessThan(called.indexOf("GET /v1/player/balance"));
  expect(called).not.toContain("GET /v1/validate");
  expect(atBalance).toBe(backEnd.token);
  const signedIn = backEnd.calls.filter(({ path }) => !path.startsWith("/v1/login"));
  expect(signedIn.length).toBeGreaterThan(2);
  for (const { headers } of signedIn) expect(headers["authorization"]).toBe(`Bearer ${backEnd.token}`);
});

test("R-7-03, R-3-07, R-3-08, R-3-31, R-3-32: who the token names and what the login answers is shown, and stored", async () => {
  const pin = "a".repeat(64);
  const { page, backEnd } = await stage.open("/login", {
    guest: true,
    world: ({ signIn }) => void Object.assign(signIn, { pin_code: pin }),
  });
  await logIn(page);
  const menu = page.locator("nav, aside").filter({ hasText: "deniz.aydin" }).first();
  for (const fact of ["Deniz", "Aydın", "deniz.aydin", "85.104.12.7", "85.104.12.9"]) {
    await menu.getByText(fact).first().waitFor();
  }
  await expect.poll(() => stored(page, "jwt_access_token")).toBe(backEnd.token);
  await expect.poll(() => stored(page, "pin_code")).toBe(pin);
});

test("R-5-01, R-5-02, R-5-03, R-5-04: the key sleeps until both fields are long enough, and says what is missing", {
  tags: ["long"],
}, async () => {
  const { page, backEnd } = await openForm();
  const disabled = () => submit(page).isDisabled();
  const tooShort = page.getByText("Min character length is 4", { exact: true });
  await expect.poll(() => disabled()).toBe(true);
  for (const [field, name] of [
    [username(page), "username"],
    [password(page), "password"],
  ] as const) {
    await field.fill("abc");
    await expect.poll(() => noteOf(page, name)).toBe("Min character length is 4");
    await expect.poll(() => disabled()).toBe(true);
    // Enter does not get around the key.
    await field.press("Enter");
    await field.blur();
    await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
    await field.fill("abcd");
    await expect.poll(() => tooShort.count()).toBe(0);
  }
  expect(await disabled()).toBe(false);
  await username(page).fill("");
  await expect.poll(() => disabled()).toBe(true);
  await username(page).fill("abcd");
  await password(page).fill("");
  await expect.poll(() => disabled()).toBe(true);
  // The form has looked which ways to sign in there are, and sent nothing.
  expect(backEnd.calls.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /v1/login/ways"]);
});

test("R-5-20: nothing but the length is checked before the request", async () => {
  const { page, backEnd } = await openForm();
  await username(page).fill("<'%;");
  await password(page).fill("    ");
  await submit(page).click();
  await page.waitForURL("**/lobby");
  const sent = () => backEnd.calls.find(({ path }) => path === "/v1/login")?.body;
  await expect.poll(sent).toMatchObject({ username: "<'%;", password: "    " });
});

test.each(["errors", "error", "Params"])(
  "R-5-05, R-5-06: field errors of the server in `%s` are shown on their inputs, and the focus goes to the first",
  { tags: ["long"] },
  async (key) => {
    const list = [
      { type: "email", message: "Nobody has this name" },
      { type: "password", message: "Not your <b>password</b>" },
    ];
    const { page, backEnd } = await openForm();
    backEnd.failNext("/v1/login", 400, { code: 40000, ErrorMessage: "no", [key]: list });
    await username(page).fill("deniz.aydin");
    await password(page).fill("wrong-one");
    await submit(page).click();
    await page.getByText("Nobody has this name").waitFor();
    await expect.poll(() => noteOf(page, "username")).toBe("Nobody has this name");
    await expect.poll(() => noteOf(page, "password")).toBe("Not your <b>password</b>");
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("username");
    expect(await axeFindings(page)).toEqual([]);
    // Typing takes the words away.
    await username(page).fill("deniz.ayd");
    await expect.poll(() => page.getByText("Nobody has this name").count()).toBe(0);
  },
);

test.each([
  ["en", "username or password is wrong"],
  ["tr", "Kullanıcı adı ya da parola yanlış"],
  ["ar", "اسم المستخدم أو كلمة المرور غير صحيحة"],
] as const)(
  "R-2.4-06: a failure code shows its text in %s, and the focus goes to the password",
  { tags: ["long"] },
  async (language, text) => {
    const { page, backEnd } = await stage.open("/login", { guest: true, window: { ...DESK, language } });
    backEnd.failNext("/v1/login", 401, { code: 10701, ErrorMessage: "from the server" });
    await logIn(page, "wrong-one");
    await expect.poll(() => page.getByRole("alert").innerText()).toBe(text);
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("password");
    // A refused login is no dead session: nothing else is said, and the form still works.
    expect(await page.getByText("access_token").count()).toBe(0);
    await submit(page).click();
    await page.waitForURL("**/lobby");
  },
);

test("R-7-04, R-8-08: code 10700 shows remaining attempts and block time", async () => {
  const { page, backEnd } = await stage.open("/login", { guest: true });
  backEnd.failNext("/v1/login", 401, { code: "10700", ErrorMessage: "x", Params: { left_count: 2, block_time: 15 } });
  await logIn(page);
  await page
    .getByText("Wrong username or password. Remaining attempts: 2, block time: 15 minutes", { exact: true })
    .waitFor();
});

test("R-2.4-10, R-3-34: the remember-me choice and the name come back, the password never", async () => {
  const { page, backEnd } = await stage.open("/login", { guest: true });
  await pull(page).click();
  await page.getByLabel("Remember me").check();
  await username(page).fill("deniz.aydin");
  await password(page).fill("longarm-secret");
  await submit(page).click();
  await page.waitForURL("**/lobby");
  await page.goto(`${backEnd.url}/logout`);
  await page.waitForURL("**/login");
  await page.reload();
  await pull(page).click();
  await expect.poll(() => page.getByLabel("Remember me").isChecked()).toBe(true);
  await expect.poll(() => username(page).inputValue()).toBe("deniz.aydin");
  await expect.poll(() => password(page).inputValue()).toBe("");
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("password");
  await expect.poll(() => stored(page, "longarm.rememberMe")).toBe("true");
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(
    "longarm-secret",
  );
  // Not ticked, the name is forgotten with the choice.
  await page.getByLabel("Remember me").uncheck();
  await password(page).fill("longarm-secret");
  await submit(page).click();
  await page.waitForURL("**/lobby");
  await expect.poll(() => stored(page, "longarm.rememberMe")).toBe("false");
  expect(await stored(page, "longarm.username")).toBeNull();
});

test("R-2.4-03, R-2.4-04, R-9-25: two contacts make two WhatsApp links, and the flag takes them away", async () => {
  const { page } = await stage.open("/login", { guest: true });
  const links = page.locator("a[href^='https://wa.me/']");
  await expect.poll(() => links.count()).toBe(2);
  expect(
    await links.evaluateAll((all) => all.map((link) => [link.getAttribute("href"), link.getAttribute("target")])),
  ).toEqual([
    ["https://wa.me/905550000001", "_blank"],
    ["https://wa.me/905550000002", "_blank"],
  ]);
  await expect.poll(() => links.first().getAttribute("rel")).toContain("noopener");
  const off = await stage.open("/login", {
    guest: true,
    world: ({ settings }) => void Object.assign(settings, { showContactOnLogin: false }),
  });
  await pull(off.page).waitFor();
  expect(await off.page.locator("a[href^='https://wa.me/']").count()).toBe(0);
});

test.each([
  ["phone", PHONE],
  ["desktop", DESK],
])("player 33: the WhatsApp buttons keep apart in English, on a %s", { tags: ["long"] }, async (_where, window) => {
  const { page } = await stage.open("/login", { guest: true, window: { ...window, language: "en" } });
  const links = page.locator("a[href^='https://wa.me/']");
  await links.first().waitFor();
  const boxes = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().toJSON() as DOMRect));
  expect(boxes).toHaveLength(2);
  const [one, other] = boxes;
  if (one === undefined || other === undefined) throw new Error("There are not two of them");
  // Beside each other or under each other.
  expect(Math.max(other.left - one.right, one.left - other.right, other.top - one.bottom)).toBeGreaterThanOrEqual(8);
});

test("R-1-04, R-4.2-02, R-4.2-07, R-4.2-08, R-7-05, R-7-29: a token in the address signs in by GET validate, without a form", async () => {
  const renewed = { token: "" };
  const { page, backEnd, path } = await stage.open("/?a=1", {
    before: (_, { token, script, world }) => {
      renewed.token = token.replace(/\.[^.]+$/, ".renewed");
      script("GET /v1/validate", () => ok({ ...world.signIn, token, pin_code: "b".repeat(64) }));
    },
  });
  await page.waitForURL("**/lobby*");
  await page.locator("article").first().waitFor();
  await expect.poll(path).toBe("/lobby?a=1");
  await expect.poll(() => backEnd.calls[0]).toMatchObject({ method: "GET", path: "/v1/validate" });
  await expect.poll(() => backEnd.calls[0]?.headers["authorization"]).toBe(`Bearer ${backEnd.token}`);
  expect(backEnd.called()).not.toContain("POST /v1/login");
  await expect.poll(() => stored(page, "jwt_access_token")).toBe(backEnd.token);
  await expect.poll(() => stored(page, "pin_code")).toBe("b".repeat(64));
  // A reload signs in with what is stored, and a renewed token replaces it.
  backEnd.script("GET /v1/validate", ({ headers }) =>
    headers["authorization"] === `Bearer ${backEnd.token}`
      ? ok({ ...backEnd.world.signIn, token: renewed.token })
      : refused(401, 10),
  );
  await page.reload();
  await expect.poll(() => stored(page, "jwt_access_token")).toBe(renewed.token);
  // What the answer leaves out of the PIN stays as it was; the world's answer says that there is none.
  await expect.poll(() => stored(page, "pin_code")).toBeNull();
});

test("R-3-09, R-3-10: after a reload the same player is signed in, with the balance", async () => {
  const { page } = await stage.open("/lobby");
  const facts = ["Deniz", "Aydın", "deniz.aydin", "85.104.12.7", "85.104.12.9", "12,450.75"];
  for (const fact of facts) await page.getByText(fact).first().waitFor();
  await page.reload();
  for (const fact of facts) await page.getByText(fact).first().waitFor();
});

test("R-3-03: before the balance arrives a placeholder is in its place, not 0", async () => {
  let release = () => {};
  const { page, backEnd } = await stage.open("/lobby", {
    before: (_, { script, refuseSockets, world }) => {
      refuseSockets(true);
      script("GET /v1/player/balance", () => new Promise((done) => (release = () => done(ok(world.balance)))));
    },
  });
  await expect.poll(() => backEnd.called()).toContain("GET /v1/player/balance");
  await page.locator("article").first().waitFor();
  const header = page.locator("header").first();
  await header.getByText("Loading", { exact: false }).first().waitFor({ state: "attached" });
  expect(await header.innerText()).not.toMatch(/0[.,]00/);
  release();
  await header.getByText("12,450.75").waitFor();
});

test("R-3-02: the balance is the server's number divided by 100, in the figures of the language", async () => {
  const world = (changed: { balance: { balance: number } }) =>
    void Object.assign(changed.balance, { balance: 123_456 });
  const english = await stage.open("/lobby", { world });
  await english.page.locator("header").getByText("1,234.56").first().waitFor();
  const turkish = await stage.open("/lobby", { world, window: { ...DESK, language: "tr" } });
  await turkish.page.locator("header").getByText("1.234,56").first().waitFor();
});

test("R-6-10: the permissions of the token's answer open the menu, and others close it", async () => {
  const items = (page: Page) => page.locator("nav a[href='/logout']");
  const open = await stage.open("/lobby");
  await items(open.page).waitFor();
  const closed = await stage.open("/lobby", {
    world: ({ signIn, player }) =>
      void [Object.assign(signIn, { Permissions: [1] }), Object.assign(player, { Permissions: [145] })],
  });
  await closed.page.locator("article").first().waitFor();
  expect(await items(closed.page).count()).toBe(0);
});

test("R-1-10, R-2.1-22, R-2.3-06, R-7-06: /logout says so while the call is out, then token and PIN are gone, even when the call fails", async () => {
  let answer = () => {};
  const { page, backEnd } = await stage.open("/lobby", {
    world: ({ signIn }) => void Object.assign(signIn, { pin_code: "c".repeat(64) }),
    before: (_, { script }) =>
      script("POST /v1/player/logout", () => new Promise((done) => (answer = () => done(refused(500, 70000))))),
  });
  await page.locator("nav a[href='/logout']").click();
  await page.getByText("Logging out..", { exact: true }).waitFor();
  await expect.poll(() => backEnd.called()).toContain("POST /v1/player/logout");
  expect(backEnd.calls.at(-1)?.body).toBeUndefined();
  answer();
  await page.waitForURL("**/login");
  expect(await stored(page, "jwt_access_token")).toBeNull();
  expect(await stored(page, "pin_code")).toBeNull();
  // Nothing to come back to: the next login starts at the lobby.
  await logIn(page);
  await page.waitForURL("**/lobby");
});

test("R-4.2-12: a guest on /logout makes no call", async () => {
  const { page, backEnd } = await stage.open("/logout", { guest: true });
  await page.waitForURL("**/login");
  expect(backEnd.calls).toEqual([]);
});

test("signed out in one tab is signed out in the other, and signed in too", async () => {
  const { page, backEnd } = await stage.open("/lobby");
  await page.locator("article").first().waitFor();
  const other = await page.context().newPage();
  await other.goto(`${backEnd.url}/logout`);
  await other.waitForURL("**/login");
  await page.waitForURL("**/login");
  await logIn(other);
  await page.waitForURL("**/lobby");
});

test.each([
  ["forbidden", "the browser forbids it"],
  ["full", "it is full"],
])("the login works for the life of the page with storage %s", { tags: ["long"] }, async (kind) => {
  const { page } = await stage.open("/login", {
    guest: true,
    before: (opened) =>
      opened.addInitScript((how) => {
        const no = () => {
          throw new DOMException(how, how === "full" ? "QuotaExceededError" : "SecurityError");
        };
        if (how === "full") Storage.prototype.setItem = no;
        else Object.defineProperty(window, "localStorage", { get: no });
      }, kind),
  });
  await page.locator("main button").first().waitFor();
  await logIn(page);
  await page.locator("article").first().waitFor();
  await page.locator("nav a[href='/logout']").click();
  await page.waitForURL("**/login");
});

test("script in a player's names is text, and a huge one breaks nothing", { tags: ["long"] }, async () => {
  const evil = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>';
  const { page } = await stage.open("/lobby", {
    world: ({ player, signIn }) =>
      void [
        Object.assign(player, { name: evil, lastname: "x".repeat(4_000), username: "javascript:alert(1)" }),
        Object.assign(signIn, { last_logon: evil, last_logon_ip: evil, versions: { [evil]: evil } }),
      ],
  });
  await page.locator("article").first().waitFor();
  await page.getByText("<img src=x", { exact: false }).first().waitFor();
  expect(await page.evaluate(() => "hurt" in window)).toBe(false);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});

test("a login that is answered with wrong types, no token, a list or a page of HTML says that it failed, and the form stays", {
  tags: ["long"],
}, async () => {
  const { page, path, backEnd } = await stage.open("/login", { guest: true });
  await pull(page).click();
  await username(page).fill("deniz.aydin");
  const failed = page.getByText("That did not work. Please try again.", { exact: true });
  for (const body of [{ token: 7 }, { code: 20000 }, [], "<html><script>alert(1)</script></html>"]) {
    backEnd.script("POST /v1/login", () => ok(body));
    await password(page).fill("longarm-demo");
    await submit(page).click();
    await failed.waitFor();
    await expect.poll(path).toBe("/login");
    expect(await stored(page, "jwt_access_token")).toBeNull();
    // What was said goes when the form changes.
    await password(page).fill("");
    await failed.waitFor({ state: "detached" });
  }
});

test.each(everyWindow("phone"))(
  "the form with an error at $width x $height in $language: no axe finding, no overflow",
  { tags: ["long"] },
  async (window) => {
    const { page, backEnd, complaints } = await stage.open("/login", { guest: true, window });
    const huge = `${"Ein sehr langer Satz ohne Ende ".repeat(60)}${"x".repeat(3_000)}`;
    backEnd.failNext("/v1/login", 200, { code: 99999, ErrorMessage: huge });
    await logIn(page, "wrong-one");
    await page.getByRole("alert").waitFor();
    expect((await page.getByRole("alert").innerText()).length).toBeLessThan(500);
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    // The key can still be reached.
    await submit(page).scrollIntoViewIfNeeded();
    expect(complaints).toEqual([]);
  },
);

test("a login without an answer says so on the form, and can be tried again", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/login", { guest: true, window: PHONE });
  await page.route("**/v1/login", (route) => route.abort(), { times: 1 });
  await logIn(page);
  await page.getByText("Network Error, please check your connection", { exact: true }).waitFor();
  await submit(page).click();
  await page.waitForURL("**/lobby");
});

import { someOf } from "@longarm/link/testing/whole-run";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ok } from "./answers.ts";
import { axeFindings, overflowOf } from "./browser.ts";
import { everyWindow, logIn, setUpStage } from "./game-stage.ts";

const stage = setUpStage();

/** Nothing chosen, as on a first visit. */
const nothingChosen = (page: Page) =>
  page.addInitScript(() => {
    if (sessionStorage.getItem("seen") === null) localStorage.clear();
    sessionStorage.setItem("seen", "yes");
  });
const lang = (page: Page) => page.getAttribute("html", "lang");
const card = (page: Page) => page.locator("main button").filter({ has: page.locator("svg") });

test("R-2.2-07, R-2.2-08, R-9-24: while the token is checked the splash is shown, and never the login", async () => {
  let answer = () => {};
  const { page, backEnd } = await stage.open("/lobby", {
    before: (opened, { script, world, token }) => {
      script("GET /v1/validate", () => new Promise((done) => (answer = () => done(ok({ ...world.signIn, token })))));
      return opened.addInitScript(() => {
        new MutationObserver(() => {
          if (location.pathname === "/login" || document.querySelector("input[name=password]"))
            document.documentElement.dataset["flashed"] = "yes";
        }).observe(document, { subtree: true, childList: true });
      });
    },
  });
  await expect.poll(() => backEnd.called()).toEqual(["GET /v1/validate"]);
  const splash = page.locator("main[aria-busy=true]");
  await splash.locator("svg").waitFor();
  await expect.poll(() => splash.getByRole("status").textContent()).toBe("Loading");
  answer();
  await page.locator("article").first().waitFor();
  expect(await splash.count()).toBe(0);
  expect(await page.getAttribute("html", "data-flashed")).toBeNull();
});

test("R-2.2-08: with the splash off the page is bare meanwhile", { tags: ["long"] }, async () => {
  let answer = () => {};
  const { page, backEnd } = await stage.open("/lobby", {
    world: ({ settings }) => void Object.assign(settings, { showSplash: false }),
    before: (_, { script, world, token }) =>
      script("GET /v1/validate", () => new Promise((done) => (answer = () => done(ok({ ...world.signIn, token }))))),
  });
  await expect.poll(() => backEnd.called()).toEqual(["GET /v1/validate"]);
  expect(await page.locator("main, svg, img").filter({ visible: true }).count()).toBe(0);
  answer();
  await page.locator("article").first().waitFor();
});

test("settings, token check and the lobby's files are requested while the page's script is still on its way, the check only once", async () => {
  const requested: string[] = [];
  let early: string[] = [];
  const { page, backEnd } = await stage.open("/lobby", {
    before(opened, { script, world, token }) {
      const checked = Promise.withResolvers<void>();
      opened.on("request", (request) => requested.push(new URL(request.url()).pathname));
      script("GET /v1/validate", () => {
        checked.resolve();
        return ok({ ...world.signIn, token });
      });
      return opened.route(/\/assets\/start-[^/]+\.js$/, async (route) => {
        await checked.promise;
        early = [...requested];
        await route.continue();
      });
    },
  });
  await page.locator("article").first().waitFor();
  await expect.poll(() => backEnd.called().filter((call) => call === "GET /v1/validate")).toHaveLength(1);
  for (const file of [/^\/Settings\.json$/, /\/lobby-[^/]+\.js$/, /\/lobby-[^/]+\.css$/, /\/texts-en-[^/]+\.js$/])
    expect(early).toContainEqual(expect.stringMatching(file));
});

test("the lobby's lists, balance and first pictures are requested while the page's script is on its way, and once; not before the token is known", {
  tags: ["long"],
}, async () => {
  const order: string[] = [];
  const { page, backEnd } = await stage.open("/lobby", {
    world: ({ settings, machines }) => {
      // Long enough for the slowest computer: a list is taken as long as the lobby would show one.
      Object.assign(settings, { updateLobby: 86_400 });
      for (const machine of machines) machine.image = `machine/${machine.id}/still`;
    },
    before(opened, { script, world, token }) {
      script("GET /v1/validate", () => {
        order.push("known");
        return ok({ ...world.signIn, token });
      });
      const still = opened.waitForRequest(/\/v1\/machine\/[^/]+\/still$/);
      opened.on("request", (request) => order.push(new URL(request.url()).pathname));
      return opened.route(/\/assets\/start-[^/]+\.js$/, async (route) => {
        await still;
        await route.continue();
      });
    },
  });
  await page.locator("article").first().waitFor();
  const requested = ["/v1/machine/all", "/v1/machine/brands", "/v1/player/balance"];
  for (const path of requested) expect(order.indexOf(path)).toBeGreaterThan(order.indexOf("known"));
  await expect
    .poll(() => requested.map((path) => backEnd.called().filter((call) => call === `GET ${path}`).length))
    .toEqual([1, 1, 1]);
});

test("the login's files are requested while the page's script is still on its way", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/", {
    guest: true,
    before(opened) {
      const requested = (file: RegExp) => opened.waitForRequest(file);
      const files = Promise.all([
        requested(/\/assets\/floor-[\w-]{8}\.webp$/),
        requested(/\/assets\/login-[^/]+\.js$/),
      ]);
      return opened.route(/\/assets\/start-[^/]+\.js$/, async (route) => {
        await files;
        await route.continue();
      });
    },
  });
  await card(page).waitFor();
});

test("R-4.2-08: the token leaves the address before anything is requested, goes nowhere else, and the rest of the query stays", {
  tags: ["long"],
}, async () => {
  const seen: { url: string; page: string; referer: string }[] = [];
  const { page, backEnd, path, complaints } = await stage.open("/lobby?a=%20b&flag#part", {
    before: (opened) =>
      opened.route("**/*", async (route) => {
        const request = route.request();
        seen.push({ url: request.url(), page: opened.url(), referer: (await request.allHeaders())["referer"] ?? "" });
        await route.continue();
      }),
  });
  await page.locator("article").first().waitFor();
  const { token } = backEnd;
  await expect.poll(path).toMatch(/^\/lobby\?a=(%20|\+)b&flag=?#part$/);
  await expect.poll(() => page.evaluate(() => localStorage.getItem("jwt_access_token"))).toBe(token);
  const settings = seen.findIndex(({ url }) => url.endsWith("/Settings.json"));
  expect(settings).toBeGreaterThan(0);
  for (const [index, { url, page: at, referer }] of seen.entries()) {
    // The page itself was requested with it; nothing else is, and no request carries a referrer.
    if (index > 0) expect(url).not.toContain(token);
    expect(referer).not.toContain(token);
    if (index >= settings) expect(at).not.toContain(token);
  }
  expect(complaints.join("\n")).not.toContain(token);
});

test("R-1-01, R-1-24: the settings are the first thing the page asks for, and nothing else answers but this back end", async () => {
  const requested: string[] = [];
  const { page, backEnd } = await stage.open("/lobby", {
    before: (opened) =>
      void opened.on("request", (request) => {
        if (["fetch", "xhr"].includes(request.resourceType())) requested.push(new URL(request.url()).pathname);
        if (
          !request.url().startsWith("data:") &&
          new URL(request.url()).host !== new URL(opened.url()).host &&
          opened.url() !== "about:blank"
        ) {
          requested.push(`elsewhere: ${request.url()}`);
        }
      }),
  });
  await page.locator("article").first().waitFor();
  expect(requested[0]).toBe("/Settings.json");
  expect(requested.filter((path) => path.startsWith("elsewhere"))).toEqual([]);
  await expect.poll(() => backEnd.called()[0]).toBe("GET /v1/validate");
});

test("the settings are requested while the page's own script is still on its way, and once", {
  tags: ["long"],
}, async () => {
  const requested = Promise.withResolvers<void>();
  let times = 0;
  const { page } = await stage.open("/login", {
    guest: true,
    before: async (opened) => {
      await opened.route("**/assets/index-*.js", async (route) => {
        await requested.promise;
        await route.continue();
      });
      await opened.route("**/Settings.json", async (route) => {
        times += 1;
        requested.resolve();
        await route.continue();
      });
    },
  });
  await card(page).waitFor();
  expect(times).toBe(1);
});

test("R-1-25, R-7-28: one key of the settings changes that key, and the others keep their defaults", async () => {
  const { page, backEnd } = await stage.open("/login", {
    guest: true,
    world: (world) => void Object.assign(world, { settings: { currency: "USD", unknown: { a: 1 } } }),
  });
  await logIn(page);
  await page.locator("header").getByText(/\$/).first().waitFor();
  const login = backEnd.calls.find(({ path }) => path === "/v1/login");
  expect(login?.body).toMatchObject({ site_id: "2011" });
});

test.each(
  someOf(1, [
    ["is not there", 404, "gone"],
    ["fails", 500, {}],
    ["is no JSON", 200, "<html>not JSON"],
    ["is no object", 200, [1, 2]],
    [
      "has wrong types",
      200,
      { volume: "loud", contacts: "nobody", language: 7, loginWithToken: "yes", currency: "lira" },
    ],
  ] as const),
)("R-1-26: a Settings.json that %s is logged, and the page starts with the defaults", async (_, httpStatus, body) => {
  const { page, complaints } = await stage.open("/lobby", {
    before: (__, { script }) => script("GET /Settings.json", () => ({ httpStatus, body })),
  });
  await page.locator("article").first().waitFor();
  await expect.poll(() => complaints.some((line) => line.includes("Settings.json"))).toBe(true);
  await page.locator("header").getByText(/₺/).first().waitFor();
});

test("R-1-26: a Settings.json that never comes does not hold the start", { tags: ["long"] }, async () => {
  const { page, complaints } = await stage.open("/login", {
    guest: true,
    before: (_, { script }) => script("GET /Settings.json", () => new Promise(() => {})),
  });
  await card(page).waitFor();
  await expect.poll(() => complaints.some((line) => line.includes("Settings.json"))).toBe(true);
});

test("R-1-20, R-9-04: a first visit is Turkish, and so is the page for its readers", async () => {
  const { page } = await stage.open("/login", { guest: true, before: (opened) => nothingChosen(opened) });
  await page.getByText("Girmek için kolu çekin").waitFor();
  await expect.poll(() => lang(page)).toBe("tr");
  await expect.poll(() => page.getAttribute("html", "dir")).toBe("ltr");
});

test.each(
  someOf(1, [
    ["en", "Pull the arm to enter"],
    ["de", "Girmek için kolu çekin"],
    ["ar", "اسحب الذراع للدخول"],
    ["tr", "Girmek için kolu çekin"],
  ] as const),
)(
  "R-1-18, R-9-42: the language %s of the settings is taken when there is one, else the default",
  async (language, text) => {
    const { page } = await stage.open("/login", {
      guest: true,
      world: ({ settings }) => void Object.assign(settings, { language }),
      before: (opened) => nothingChosen(opened),
    });
    await page.getByText(text).waitFor();
    await expect.poll(() => lang(page)).toBe(language === "de" ? "tr" : language);
  },
);

test("R-1-18: a kept language that is not ours is ignored", { tags: ["long"] }, async () => {
  const { page } = await stage.open("/login", {
    guest: true,
    before: (opened) => opened.addInitScript(() => localStorage.setItem("longarm.language", "de")),
  });
  await page.getByText("Girmek için kolu çekin").waitFor();
});

test("the door offers all three languages; a change holds at once, and after a reload", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/login", { guest: true });
  await card(page).waitFor();
  const languages = page.getByRole("radiogroup", { name: "Language" }).getByRole("radio");
  await expect.poll(() => languages.count()).toBe(3);
  await page.getByRole("radio", { name: "العربية" }).click({ force: true });
  await page.getByText("اسحب الذراع للدخول").waitFor();
  expect([await lang(page), await page.getAttribute("html", "dir")]).toEqual(["ar", "rtl"]);
  await page.getByRole("radio", { name: "Türkçe" }).click({ force: true });
  await page.getByText("Girmek için kolu çekin").waitFor();
  expect([await lang(page), await page.getAttribute("html", "dir")]).toEqual(["tr", "ltr"]);
  await page.reload();
  await page.getByText("Girmek için kolu çekin").waitFor();
  // No key of the catalogue shows through.
  expect(await page.locator("body").innerText()).not.toMatch(/\b(app|auth|code)\.[a-z]/);
});

test.each(someOf(2, ["/lobby", "/profile", "/slot-sessions", "/transactions", "/pages/errors/error-404"]))(
  "R-1-16: %s speaks the chosen language, and no key of the catalogue shows through",
  { tags: ["long"] },
  async (path) => {
    const headings: string[] = [];
    for (const language of ["en", "tr", "ar"] as const) {
      const { page } = await stage.open(path, { window: { width: 1440, height: 900, language } });
      const heading = page.locator("h1").first();
      await heading.waitFor({ state: "attached" });
      headings.push((await heading.textContent()) ?? "");
      const text = await page.locator("body").innerText();
      expect(text).not.toMatch(/\b(app|auth|claims|code|history|lobby|lock|play|profile|shell|wallet)\.[a-z]\w*/);
      expect(text).not.toMatch(/\{\w+\}/);
    }
    expect(headings[1]).not.toBe(headings[0]);
    expect(headings[2]).toMatch(/\p{Script=Arabic}/u);
  },
);

test("the first load of the login brings one language, and neither query cache nor sockets", {
  tags: ["long"],
}, async () => {
  const scripts: Promise<string>[] = [];
  const { page } = await stage.open("/login", {
    guest: true,
    window: { width: 1440, height: 900, language: "tr" },
    before: (opened) =>
      void opened.on("response", (response) => {
        if (response.request().resourceType() === "script") scripts.push(response.text());
      }),
  });
  await card(page).click();
  await page.locator("input[name=username]").waitFor();
  const all = (await Promise.all(scripts)).join("\n");
  expect(all.includes("Girmek için kolu çekin")).toBe(true);
  for (const other of [
    "Pull the arm to enter",
    "اسحب الذراع",
    "Logging out..",
    "new WebSocket(",
    "queryHash",
    "RTCPeerConnection(",
  ]) {
    expect(all.includes(other), other).toBe(false);
  }
});

test.each(everyWindow("lying"))(
  "a page whose files cannot be had says so at $width x $height in $language, with one way out",
  { tags: ["long"] },
  async (window) => {
    const { page } = await stage.open("/login", {
      guest: true,
      window,
      // The texts of every language: small chunks that only the catalogues have.
      before: (opened) => opened.route(/\/assets\/texts-[^/]*\.js$/, (route) => route.abort()),
    });
    await page.getByText("The page could not be loaded. Check your connection and try again.").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.unroute(/\/assets\/texts-[^/]*\.js$/);
    await page.getByRole("link", { name: /Try again/ }).click();
    await card(page).waitFor();
  },
);

test("a screen whose files cannot be had says so inside the shell, and a reload brings it", {
  tags: ["long"],
}, async () => {
  const { page } = await stage.open("/lobby");
  await page.locator("article").first().waitFor();
  await page.route(/\.js$/, (route) => route.abort());
  await page.locator("nav a[href='/transactions']").click();
  await page.getByRole("heading", { name: "This page could not be opened" }).waitFor();
  // The menu is still there, and there is one main part only.
  await expect.poll(() => page.locator("nav a[href='/lobby']").count()).toBeGreaterThan(0);
  await expect.poll(() => page.locator("main").count()).toBe(1);
  expect(await axeFindings(page)).toEqual([]);
  await page.unroute(/\.js$/);
  await page.getByRole("button", { name: "Reload the page" }).click();
  await page.getByRole("heading", { level: 1, name: "Transactions" }).waitFor();
});

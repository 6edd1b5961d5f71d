import { expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { loadCatalogue } from "../../shared/i18n/load-catalogue.ts";
import { memoryStorage, scriptedFetch, testToken } from "../../shared/testing/fakes.ts";
import type { App } from "../app.ts";
import { takeToken } from "./sign-in.ts";
import type { StartDeps } from "./start.ts";
import { startUp } from "./start.ts";

const NOW_MS = 1_800_000_000_000;
const claims = { id: 7, username: "deniz.aydin", name: "Deniz", exp: NOW_MS / 1000 + 60 };
const settingsFile = { "/Settings.json": { json: {} } };

async function start(
  answers: Parameters<typeof scriptedFetch>[0],
  kept: Record<string, string> = {},
  arrivedWith: string | null = null,
  more: Partial<StartDeps> = {},
) {
  const storage = memoryStorage({ "longarm.language": "en", ...kept });
  const { fetch, asked } = scriptedFetch(answers);
  const log = vi.fn();
  const ready: App[] = [];
  const app = await startUp({
    fetch,
    storage,
    log,
    clock: { now: () => NOW_MS },
    timers: { after: () => () => {} },
    random: () => 0.5,
    newId: () => "id",
    page: new URL("http://page.test/lobby"),
    arrivedWith,
    loadCatalogue,
    onReady: (early) => void ready.push(early),
    ...more,
  });
  const said = app.messages.shown.getState().map(({ text }) => text);
  return { app, storage, asked, log, said, ready, calls: asked.map(({ method, path }) => `${method} ${path}`) };
}

test("the address's token is found and taken out, everything else stays", () => {
  const CODE = "Ab_-".repeat(11).slice(1);
  expect(takeToken("https://x.test/lobby?a=1&token=abc&b=2#c")).toEqual({
    ...{ token: "abc", once: null, clean: "/lobby?a=1&b=2#c" },
  });
  expect(takeToken("https://x.test/lobby?token=")).toEqual({ token: null, once: null, clean: "/lobby" });
  expect(takeToken(`https://x.test/lobby?a=1#once=${CODE}`)).toEqual({ token: null, once: CODE, clean: "/lobby?a=1" });
  for (const answer of ["#code=a&state=b", "?error=access_denied&state=b"])
    expect(takeToken(`https://x.test/callback${answer}`)).toEqual({ token: null, once: answer, clean: "/callback" });
  expect(takeToken("https://x.test/callback/levent#code=a&state=b")).toEqual({
    ...{ token: null, once: "levent#code=a&state=b", clean: "/callback" },
  });
  expect(takeToken("https://x.test/callback?x=1")).toMatchObject({ once: null, clean: "/callback?x=1" });
  expect(takeToken("https://x.test/lobby?a=%20b+c&flag&token=1&b[]=/&%74oken=2")).toEqual({
    ...{ token: "1", once: null, clean: "/lobby?a=%20b+c&flag&b[]=/" },
  });
  expect(takeToken("https://x.test/lobby?tokens=1&x=token#token=3")).toEqual({
    ...{ token: null, once: null, clean: "/lobby?tokens=1&x=token#token=3" },
  });
});

test("R-4.2-06: without a token the page starts as a guest and asks nothing but the settings", async () => {
  const { app, calls } = await start(settingsFile);
  expect(calls).toEqual(["GET /Settings.json"]);
  expect(app.auth.state.getState().is).toBe("guest");
});

test("R-4.2-02: a stored token signs in by GET validate, after the settings", async () => {
  const token = testToken(claims);
  const answers = { ...settingsFile, "/v1/validate": { json: { token, ip_address: "1.2.3.4" } } };
  const { app, calls, asked, ready } = await start(answers, { jwt_access_token: token });
  expect(calls).toEqual(["GET /Settings.json", "GET /v1/validate"]);
  expect(asked[1]?.headers["authorization"]).toBe(`Bearer ${token}`);
  expect(ready).toHaveLength(1);
  expect(app.auth.state.getState()).toMatchObject({
    is: "player",
    player: { id: "7", name: "Deniz", IP: "1.2.3.4" },
  });
});

test("the code of a link signs in by POST, in place of the stored token, which holds where the code is over", async () => {
  const [hers, his] = [testToken(claims), testToken({ ...claims, id: 8 })];
  const kept = { jwt_access_token: his };
  const once = { once: "A".repeat(43) };
  const good = await start({ ...settingsFile, "/v1/login/link": { json: { token: hers } } }, kept, null, once);
  expect(good.calls.at(-1)).toBe("POST /v1/login/link");
  expect(good.app.auth.state.getState()).toMatchObject({ is: "player", player: { id: "7" } });
  const over = { status: 400, json: { code: 60059 } };
  const answers = { ...settingsFile, "/v1/login/link": over, "/v1/validate": { json: { token: his } } };
  const bad = await start(answers, kept, null, once);
  expect(bad.app.auth.state.getState()).toMatchObject({ is: "player", player: { id: "8" } });
  expect(bad.said.join()).toContain("This link to sign in was used already");
});

test("the token check is asked for while the texts are on their way, and counts after them", async () => {
  const token = testToken(claims);
  const texts = Promise.withResolvers<void>();
  const answers = { ...settingsFile, "/v1/validate": { json: {} } };
  const { fetch, asked } = scriptedFetch(answers);
  const started = start({}, { jwt_access_token: token }, null, {
    fetch,
    loadCatalogue: async (language, area) => {
      await texts.promise;
      return loadCatalogue(language, area);
    },
  });
  await vi.waitFor(() => expect(asked.map(({ path }) => path)).toEqual(["/Settings.json", "/v1/validate"]), 15_000);
  texts.resolve();
  expect((await started).app.auth.state.getState().is).toBe("player");
  expect(asked).toHaveLength(2);
});

test.each([
  ["the gate", { ipCheck: true }, {}],
  ["the lock", { pinCheck: true }, {}],
  ["a lock that is on", {}, { "longarm.lock": "{}" }],
])("before %s is passed the token is not looked at", async (_, json, kept) => {
  const gate = Promise.withResolvers<void>();
  const { fetch, asked } = scriptedFetch({ "/Settings.json": { json }, "/v1/validate": { json: {} } });
  const onReady = vi.fn(() => gate.promise);
  const started = start({}, { jwt_access_token: testToken(claims), ...kept }, null, { fetch, onReady });
  await vi.waitFor(() => expect(onReady).toHaveBeenCalled(), 15_000);
  expect(asked.map(({ path }) => path)).toEqual(["/Settings.json"]);
  gate.resolve();
  expect((await started).app.auth.state.getState().is).toBe("player");
});

test("settings that are on their way are not asked for again; a failed asking leaves the defaults", async () => {
  const answered = Promise.resolve(new Response('{"currency":"EUR"}'));
  const { app, calls } = await start(settingsFile, {}, null, { underWay: { settings: answered } });
  expect([app.settings.currency, calls]).toEqual(["EUR", []]);
  const failed = Promise.reject(new TypeError("Failed to fetch"));
  const { app: other, log } = await start(settingsFile, {}, null, { underWay: { settings: failed } });
  expect([other.settings.currency, log.mock.calls.length]).toEqual(["TRY", 1]);
});

test("a token check that is on its way is not asked for again, unless it is that of another token", async () => {
  const token = testToken(claims);
  const answers = { ...settingsFile, "/v1/validate": { json: { name: "asked here" } } };
  const underWay = (of: string, href = "http://page.test/v1/validate") => ({
    check: Promise.resolve({
      href,
      token: of,
      answer: Promise.resolve(new Response('{"ip_address":"1.2.3.4"}')),
      age: () => 0,
    }),
  });
  const same = await start(answers, { jwt_access_token: token }, null, { underWay: underWay(token) });
  expect(same.calls).toEqual(["GET /Settings.json"]);
  expect(same.app.auth.state.getState()).toMatchObject({ is: "player", player: { IP: "1.2.3.4" } });
  const asked = ["GET /Settings.json", "GET /v1/validate"];
  const others = [
    () => underWay("x.y.z"),
    () => underWay(token, "http://page.test/v2/validate"),
    () => ({ check: Promise.reject(new Error("no settings")) }),
  ];
  for (const other of others) {
    expect((await start(answers, { jwt_access_token: token }, null, { underWay: other() })).calls).toEqual(asked);
  }
});

test("a list that is on its way is taken once, unless it is another token's, too old, or brought none", async () => {
  const href = "http://page.test/v1/machine/all";
  const token = testToken(claims);
  const machines = [{ id: "asked-ahead" }];
  const asking = async (asked: object = {}) => {
    const answer = Promise.resolve(new Response(JSON.stringify({ machines })));
    const lists = Promise.resolve([{ href, token, answer, age: () => 9_999, ...asked }]);
    const answers = { ...settingsFile, "/v1/validate": { json: {} }, "/v1/machine/all": { json: { machines: [] } } };
    const { app, asked: calls } = await start(answers, { jwt_access_token: token }, null, { underWay: { lists } });
    const before = calls.length;
    const first = await app.api.read("allMachines", {}, z.unknown());
    const later = calls.length - before;
    await app.api.read("allMachines", {}, z.unknown());
    return { first, askedFirst: later, askedInAll: calls.length - before };
  };
  const lost = Promise.reject(new TypeError("Failed to fetch"));
  lost.catch(() => {});
  expect(await asking()).toEqual({ first: { ok: true, data: { machines } }, askedFirst: 0, askedInAll: 1 });
  for (const other of [
    { token: "x.y.z" },
    { age: () => 10_000 },
    { answer: lost },
    { answer: Promise.resolve(new Response("{}", { status: 503 })) },
  ])
    expect(await asking(other)).toEqual({ first: { ok: true, data: { machines: [] } }, askedFirst: 1, askedInAll: 2 });
});

test("R-4.2-07, R-4.2-08: a token in the address wins over the stored one and is stored", async () => {
  const token = testToken(claims);
  const answers = { ...settingsFile, "/v1/validate": { json: {} } };
  const { storage, asked } = await start(answers, { jwt_access_token: "old" }, token);
  expect(asked[1]?.headers["authorization"]).toBe(`Bearer ${token}`);
  expect(storage.all.get("jwt_access_token")).toBe(token);
});

test("a renewed token replaces the stored one", async () => {
  const renewed = testToken({ ...claims, jti: "new" });
  const answers = { ...settingsFile, "/v1/validate": { json: { token: renewed } } };
  const { storage } = await start(answers, { jwt_access_token: testToken(claims) });
  expect(storage.all.get("jwt_access_token")).toBe(renewed);
});

test("R-4.2-11: an expired stored token is removed without a call", async () => {
  const { app, storage, calls } = await start(settingsFile, {
    jwt_access_token: testToken({ ...claims, exp: NOW_MS / 1000 - 1 }),
  });
  expect(calls).toEqual(["GET /Settings.json"]);
  expect(storage.all.has("jwt_access_token")).toBe(false);
  expect(app.auth.state.getState().is).toBe("guest");
});

test("D-09: a token that is no JWT is left to the server", async () => {
  const answers = { ...settingsFile, "/v1/validate": { json: {} } };
  const { app } = await start(answers, { jwt_access_token: "opaque" });
  expect(app.auth.state.getState().is).toBe("player");
});

test("R-8-18: a refused token is cleared, with one message", async () => {
  const answers = { ...settingsFile, "/v1/validate": { status: 401, json: { code: 10, ErrorMessage: "x" } } };
  const { storage, said } = await start(answers, { jwt_access_token: testToken(claims) });
  expect(storage.all.has("jwt_access_token")).toBe(false);
  expect(said).toEqual(["Invalid access_token"]);
});

test("R-4.2-03: a failed check says so", async () => {
  const answers = { ...settingsFile, "/v1/validate": { status: 500 } };
  const { app, said } = await start(answers, { jwt_access_token: testToken(claims) });
  expect(said).toEqual(["Failed to login with token."]);
  expect(app.auth.state.getState().is).toBe("guest");
});

test("D-60: without an answer the token is kept for the next try", async () => {
  const { storage, said } = await start(settingsFile, { jwt_access_token: testToken(claims) });
  expect(said).toEqual(["Network Error, please check your connection"]);
  expect(storage.all.has("jwt_access_token")).toBe(true);
});

test("without Settings.json the page starts with the defaults, and the failure is logged", async () => {
  const { app, log } = await start({});
  expect(app.settings.siteId).toBe("2011");
  expect(log).toHaveBeenCalledWith(expect.stringContaining("Settings.json"), expect.anything());
});

test.each(["<html>", "[]", "null", '{"volume": 7, "currency": "try"}'])(
  "a garbage Settings.json (%s) changes nothing and is told",
  async (text) => {
    const { app, log } = await start({ "/Settings.json": { text } });
    expect(app.settings.volume).toBe(1);
    expect(app.settings.currency).toBe("TRY");
    expect(log).toHaveBeenCalled();
  },
);

test("the language: the kept one, else the settings', else Turkish", async () => {
  const german = { "longarm.language": "de" };
  expect((await start(settingsFile)).app.texts.speech.getState().language).toBe("en");
  expect((await start(settingsFile, german)).app.texts.speech.getState().language).toBe("tr");
  const arabic = { "/Settings.json": { json: { language: "ar" } } };
  expect((await start(arabic, german)).app.texts.speech.getState().language).toBe("ar");
});

// player 21
test("player 21: with languageOfBrowser the first visit speaks the browser's language, a kept choice wins, and others get the settings'", async () => {
  const asked = { "/Settings.json": { json: { languageOfBrowser: true } } };
  const spoken = async (answers: Parameters<typeof start>[0], kept: Record<string, string>, languages: string[]) =>
    (await start(answers, kept, null, { browserLanguages: languages })).app.texts.speech.getState().language;
  const none = { "longarm.language": "" };
  expect(await spoken(asked, none, ["de-DE", "ar-EG", "en"])).toBe("ar");
  expect(await spoken(asked, none, ["de"])).toBe("tr");
  expect(await spoken(asked, { "longarm.language": "tr" }, ["en-GB"])).toBe("tr");
  // R-1-20: without the setting the first visit is Turkish.
  expect(await spoken(settingsFile, none, ["en-GB"])).toBe("tr");
});

import type { MemorySocket } from "@longarm/link/testing";
import { fakeTimers, socketPair } from "@longarm/link/testing";
import { expect, test, vi } from "vitest";
import { loadCatalogue } from "../../shared/i18n/load-catalogue.ts";
import { memoryStorage, scriptedFetch, testToken } from "../../shared/testing/fakes.ts";
import { renewToken } from "../start/sign-in.ts";
import { startUp } from "../start/start.ts";
import { keepPlayerLink } from "./keep-player-link.ts";
import { BLIP_MS, RENEW_MS, SETTLE_MS, startPlayerLink } from "./player-link.ts";

const token = testToken({ id: "p_1", username: "deniz" });

async function signedIn(answers: Parameters<typeof scriptedFetch>[0] = {}) {
  const { fetch, asked } = scriptedFetch({
    "/Settings.json": { json: {} },
    "/v1/validate": { json: {} },
    "/v1/player/balance": { json: { balance: 100 } },
    ...answers,
  });
  const timers = fakeTimers();
  const app = await startUp({
    ...{ fetch, timers, loadCatalogue, arrivedWith: null, onReady() {}, log() {} },
    storage: memoryStorage({ jwt_access_token: token }),
    clock: { now: () => 0 },
    random: () => 0.5,
    newId: () => "id",
    page: new URL("http://page.test/"),
  });
  const state = app.auth.state.getState();
  if (state.is !== "player") throw new Error("not signed in");
  const servers: MemorySocket[] = [];
  const urls: string[] = [];
  const part = startPlayerLink(app, state.player, async ({ url }) => {
    urls.push(url);
    const [ours, theirs] = socketPair();
    theirs.listen({ text() {}, binary() {}, closed() {} });
    servers.push(theirs);
    return ours;
  });
  const push = (method: string, data: unknown) =>
    servers.at(-1)?.send(JSON.stringify({ notification: true, method, data }));
  await vi.waitFor(() => expect(servers).toHaveLength(1), { timeout: 60_000 });
  return { app, part, servers, urls, push, timers, asked };
}

test("R-4.2-01: the balance is asked after the token is there; pushes change it", async () => {
  const { part, push, urls } = await signedIn();
  await vi.waitFor(() => expect(part.wallet.getState()).toEqual({ balance: 100 }), { timeout: 60_000 });
  push("balance", { balance: 70, onMachine: 30 });
  expect(part.wallet.getState()).toEqual({ balance: 70, onMachine: 30 });
  expect(urls[0]).toBe(`ws://page.test/notifications?token=${token}`);
  part.end();
});

test("a balance by HTTP never undoes one that was pushed meanwhile", async () => {
  const made: { push?: (method: string, data: unknown) => void } = {};
  let answered = false;
  const world = await signedIn({
    "/v1/player/balance": () => {
      made.push?.("balance", { balance: 7 });
      answered = true;
      return { json: { balance: 100 } };
    },
  });
  world.push("balance", { balance: 7 });
  await vi.waitFor(() => expect(answered).toBe(true), { timeout: 60_000 });
  await vi.waitFor(() => expect(world.part.wallet.getState()).toBeDefined(), { timeout: 60_000 });
  expect(world.part.wallet.getState()).toEqual({ balance: 7 });
  world.part.end();
});

test("an open play session comes and goes", async () => {
  const { part, push } = await signedIn();
  push("session", { status: true, id: 4, name: "Nar 4", machine_status: "waiting" });
  expect(part.openSession.getState()).toMatchObject({ id: "4", machine_status: "waiting" });
  push("session", { status: false, id: "none", name: "", machine_status: "unknown" });
  expect(part.openSession.getState()).toBeUndefined();
  part.end();
});

test("an end of play checks the sign-in anew: a break may hold from now on", async () => {
  const { part, push, asked: calls } = await signedIn();
  const checks = () => calls.filter(({ path }) => path === "/v1/validate").length;
  push("session", { status: false, id: "none", name: "", machine_status: "unknown" });
  const before = checks();
  push("session", { status: true, id: 4, name: "Nar 4", machine_status: "playing" });
  push("session", { status: false, id: "none", name: "", machine_status: "unknown" });
  await vi.waitFor(() => expect(checks()).toBe(before + 1), { timeout: 60_000 });
  part.end();
});

test("a blip says nothing, an outage does, and its end too", async () => {
  const { part, servers, timers } = await signedIn();
  servers[0]?.close(1012, "restart");
  timers.advance(BLIP_MS - SETTLE_MS - 1);
  await vi.waitFor(() => expect(servers).toHaveLength(2), { timeout: 60_000 });
  await vi.waitFor(
    () => {
      timers.advance(SETTLE_MS);
      expect(part.returns.getState()).toBe(1);
    },
    { timeout: 60_000 },
  );
  expect(part.online.getState()).toBe(true);
  servers[1]?.close(1012, "restart");
  timers.advance(50);
  expect(part.online.getState()).toBe(true);
  timers.advance(BLIP_MS);
  expect(part.online.getState()).toBe(false);
  await vi.waitFor(() => expect(servers).toHaveLength(3), { timeout: 60_000 });
  await vi.waitFor(
    () => {
      timers.advance(SETTLE_MS);
      expect(part.online.getState()).toBe(true);
    },
    { timeout: 60_000 },
  );
  part.end();
});

test("a socket that is closed as soon as it is open is not back; one that holds has the balance told anew, once", async () => {
  const { part, servers, timers, asked } = await signedIn();
  const balances = () => asked.filter(({ path }) => path === "/v1/player/balance").length;
  timers.advance(SETTLE_MS);
  expect(part.returns.getState()).toBe(0);
  servers[0]?.close(1012, "restart");
  timers.advance(BLIP_MS);
  expect(part.online.getState()).toBe(false);
  await vi.waitFor(() => expect(servers).toHaveLength(2), { timeout: 60_000 });
  timers.advance(SETTLE_MS - 1);
  servers[1]?.close(1013, "later");
  expect(part.online.getState()).toBe(false);
  timers.advance(BLIP_MS);
  await vi.waitFor(() => expect(servers).toHaveLength(3), { timeout: 60_000 });
  expect([part.online.getState(), part.returns.getState(), balances()]).toEqual([false, 0, 1]);
  await vi.waitFor(
    () => {
      timers.advance(SETTLE_MS);
      expect(part.returns.getState()).toBe(1);
    },
    { timeout: 60_000 },
  );
  expect([part.online.getState(), balances()]).toEqual([true, 2]);
  part.end();
});

test("a final close has the token checked; a dead one signs out", async () => {
  let valid = true;
  const { app, servers, asked } = await signedIn({ "/v1/validate": () => (valid ? { json: {} } : { status: 401 }) });
  valid = false;
  servers[0]?.close(4000, "logged out");
  await vi.waitFor(() => expect(app.auth.state.getState().is).toBe("guest"), { timeout: 60_000 });
  expect(asked.filter(({ path }) => path === "/v1/validate")).toHaveLength(2);
  expect(app.messages.shown.getState().map(({ text }) => text)).toEqual([
    "Oturumunuz geçersiz. Lütfen yeniden giriş yapın.",
  ]);
});

test("a page that stays open has its token renewed", async () => {
  let answer: string | undefined;
  const { app, part, timers } = await signedIn({
    "/v1/validate": () => ({ json: answer === undefined ? {} : { token: answer } }),
  });
  answer = testToken({ id: "p_1", jti: "renewed" });
  timers.advance(RENEW_MS);
  await vi.waitFor(() => expect(app.auth.token()).toBe(answer), { timeout: 60_000 });
  part.end();
});

test("ended, it leaves no timer and no socket behind", async () => {
  const { part, servers, timers } = await signedIn();
  part.end();
  await vi.waitFor(() => expect(timers.waiting).toBe(0), { timeout: 60_000 });
  timers.advance(RENEW_MS);
  expect(servers).toHaveLength(1);
});

test("ended while its token is being renewed, it does not go on renewing", async () => {
  const { app, part, timers, asked } = await signedIn();
  const checks = () => asked.filter(({ path }) => path === "/v1/validate").length;
  timers.advance(RENEW_MS);
  part.end();
  await vi.waitFor(() => expect(checks()).toBe(2), { timeout: 60_000 });
  await renewToken(app);
  expect([checks(), timers.waiting]).toEqual([3, 0]);
});

test("of two askings for the balance the later one holds, whichever is answered first", async () => {
  const { part, app } = await signedIn();
  await vi.waitFor(() => expect(part.wallet.getState()).toBeDefined(), { timeout: 60_000 });
  const answers = [100, 250].map((balance) => ({ balance, ...Promise.withResolvers<void>() }));
  const turns = [...answers];
  vi.spyOn(app.api, "call").mockImplementation(async () => {
    const turn = turns.shift();
    await turn?.promise;
    return { ok: true, data: { balance: turn?.balance } } as never;
  });
  const askings = [part.refreshBalance(), part.refreshBalance()];
  answers[1]?.resolve();
  await askings[1];
  answers[0]?.resolve();
  await askings[0];
  expect(part.wallet.getState()).toEqual({ balance: 250 });
  part.end();
});

test("there is one part per sign-in, and none for a guest", async () => {
  const { app, part } = await signedIn();
  part.end();
  const playerLink = keepPlayerLink(app);
  vi.stubGlobal("WebSocket", class {});
  const [first, second] = await Promise.all([playerLink(), playerLink()]);
  expect(first).toBe(second);
  app.auth.end();
  await expect(playerLink()).rejects.toThrow("No player is signed in");
});

// player 11
test.each([
  ["handPay", "Sahil 02 makinesindeki ₺21,80 elden ödemeniz cüzdanınıza aktarıldı. İşlemlerinizde görünür."],
  ["jackpot", "Sahil 02 makinesindeki ₺21,80 jackpotunuz cüzdanınıza aktarıldı. İşlemlerinizde görünür."],
])("a %s that an attendant has paid is said with amount and machine, once", async (kind, words) => {
  const { app, push } = await signedIn();
  push("paid", { id: "t_1", kind, amount: 2_180, machine: "Sahil\u202e 02" });
  await vi.waitFor(() => expect(app.messages.shown.getState()).toHaveLength(1), { timeout: 60_000 });
  const [said] = app.messages.shown.getState();
  expect(said?.text.replaceAll(/[\u2066-\u2069]/g, "")).toBe(words);
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../../config.ts";
import { openSocket } from "../../../testing/open-socket.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { PASSWORD, testVenue } from "../../../testing/test-venue.ts";

let open: TestVenue;
let guarded: TestVenue;
beforeAll(async () => {
  open = await testVenue();
  await open.addPlayer("traveller");
  guarded = await testVenue({
    database: open.db,
    env: { TRUSTED_PROXY_HOPS: "1", COUNTRY_HEADER: "X-Country", COUNTRIES_ALLOWED: "tr,DE" },
  });
});
afterAll(async () => {
  await guarded.close(true);
  await open.close();
});

const from = (country?: string) => ({ ...(country !== undefined && { "x-country": country }) });

test("/check beside the API base answers status, code, ip and country, and is never kept", async () => {
  const reply = await guarded.get("/check", undefined, { ...from("TR"), "x-forwarded-for": "198.51.100.7" });
  expect(reply.statusCode).toBe(200);
  expect(reply.headers["cache-control"]).toBe("no-store");
  expect(reply.json()).toEqual({ status: true, code: 20000, ip: "198.51.100.7", country: "TR" });
  const blocked = await guarded.get("/check", undefined, from("FR"));
  expect(blocked.statusCode).toBe(200);
  expect(blocked.json()).toEqual({ status: false, code: 10703, ip: "127.0.0.1", country: "FR" });
});

describe("the country", () => {
  test.each([
    ["tr", "TR", true],
    ["DE", "DE", true],
    ["GR", "GR", false],
    ["", null, false],
    ["TUR", null, false],
    ["T\u0130", null, false],
    ["TR, FR", null, false],
    ["<b>", null, false],
    [undefined, null, false],
  ])("%j is read as %j, let in: %j", async (told, country, status) => {
    expect((await guarded.get("/check", undefined, from(told))).json()).toMatchObject({ status, country });
  });

  test("decides on signing in as well", async () => {
    const signIn = (country: string) =>
      guarded.app.inject({
        method: "POST",
        url: "/v1/login",
        headers: from(country),
        payload: { username: "traveller", password: PASSWORD, site_id: 2011 },
      });
    expect((await signIn("FR")).json()).toMatchObject({ code: 10703 });
    expect((await signIn("TR")).json()).toMatchObject({ code: 20000 });
  });

  test("is not believed of anybody where no proxy of ours tells it", async () => {
    expect((await open.get("/check", undefined, from("FR"))).json()).toEqual({
      status: true,
      code: 20000,
      ip: "127.0.0.1",
      country: null,
    });
  });
});

test.each([
  [{ COUNTRY_HEADER: "X-Country" }, "TRUSTED_PROXY_HOPS"],
  [{ COUNTRIES_ALLOWED: "TR" }, "COUNTRY_HEADER"],
  [{ COUNTRY_HEADER: "X Country", TRUSTED_PROXY_HOPS: "1" }, "COUNTRY_HEADER"],
  [{ COUNTRIES_ALLOWED: "Turkey", COUNTRY_HEADER: "X-Country", TRUSTED_PROXY_HOPS: "1" }, "COUNTRIES_ALLOWED"],
])("the configuration %j is complained about", (environment, named) => {
  expect(() => readConfig(environment)).toThrow(named);
});

describe("a token that travels", () => {
  test("opens neither calls nor sockets from a place that is kept out, and can be signed out from there", async () => {
    const token = await open.signIn("traveller");
    const ask = (url: string, country: string, method: "GET" | "POST" = "GET") =>
      guarded.app.inject({ method, url, headers: { authorization: `Bearer ${token}`, ...from(country) } });
    expect((await ask("/v1/player/balance", "TR")).statusCode).toBe(200);
    for (const url of ["/v1/player/balance", "/v1/validate", "/v1/machine/all"]) {
      const reply = await ask(url, "FR");
      expect({ url, status: reply.statusCode, code: reply.json().code }).toEqual({ url, status: 403, code: 10703 });
    }
    const base = (await guarded.platform.listen()).replace("http", "ws");
    const away = openSocket(`${base}/notifications?token=${token}`, { headers: from("FR") });
    expect(await away.closed).toEqual({ code: 4000, reason: "bad token" });
    const home = openSocket(`${base}/notifications?token=${token}`, { headers: from("TR") });
    await home.opened;
    expect((await ask("/v1/player/logout", "FR", "POST")).statusCode).toBe(200);
    expect(await home.closed).toEqual({ code: 4000, reason: "logged out" });
  });

  test("what a caller writes into X-Forwarded-For changes its address only by as many proxies as stand in front", async () => {
    const behind = (hops: string) =>
      testVenue({ database: open.db, env: { TRUSTED_PROXY_HOPS: hops, BLOCKED_ADDRESSES: "127.0.0.0/8" } });
    const [none, one] = [await behind("0"), await behind("1")];
    const ipOf = async (venue: TestVenue, forwarded: string) =>
      (await venue.get("/check", undefined, { "x-forwarded-for": forwarded })).json();
    expect(await ipOf(none, "198.51.100.7")).toMatchObject({ status: false, ip: "127.0.0.1" });
    expect(await ipOf(one, "198.51.100.7")).toMatchObject({ status: true, ip: "198.51.100.7" });
    expect(await ipOf(one, "198.51.100.7, 127.0.0.9")).toMatchObject({ status: false, ip: "127.0.0.9" });
    await none.close(true);
    await one.close(true);
  });
});

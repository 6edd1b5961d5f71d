import type { IntegrationCallName } from "@longarm/contract/integration";
import { integrationCalls } from "@longarm/contract/integration";
import { integrationOpenApi } from "@longarm/contract/integration-openapi";
import type { Answer, Given, IntegrationKey } from "@longarm/link/integration-client";
import { macOf, signatureBase, signedHeaders } from "@longarm/link/integration-client";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import type { Over } from "../../../testing/signed-call.ts";
import { addSystem, nonce, signedCall, systemClient } from "../../../testing/signed-call.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import { prove } from "../../play/reconciliation/index.ts";
import { removeIntegration, rotateKey } from "../keys/index.ts";

/* Signed calls of the operator's systems: who is let in, what acts once, and what a player is protected by. */

let venue: TestVenue;
let key: IntegrationKey;
beforeAll(async () => {
  venue = await testVenue({ env: { INTEGRATION_PORT: "0" } });
  key = await addSystem(venue, "cashier", [
    "players.read",
    "players.add",
    "players.link",
    "money.move",
    "protection.add",
  ]);
});
afterAll(async () => {
  const { checks } = await prove(venue.db.kysely, { is: "all" });
  expect(checks.filter(({ breaches }) => breaches.length > 0)).toEqual([]);
  await venue.close();
});

const call = (path: string, body?: object, { as = key, ...over }: Over & { readonly as?: IntegrationKey } = {}) =>
  signedCall(venue, as, [path, body], over);

/** Whether a token opens the address to watch. */
async function watches(token: unknown): Promise<boolean> {
  const headers = { host: "127.0.0.1", authorization: `Bearer ${token}`, "content-type": "application/sdp" };
  const reply = await venue.platform.app.inject({ method: "POST", url: "/whep/nar-01", headers, payload: "v=0" });
  return reply.statusCode !== 401;
}

const problem = async (sent: ReturnType<typeof call>) => (await sent).body["problem"];

test("the mac is the one of RFC 9421, B.2.5", () => {
  const secret = "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==";
  const base = signatureBase(
    ["date", "@authority", "content-type"],
    { date: "Tue, 20 Apr 2021 02:07:55 GMT", "@authority": "example.com", "content-type": "application/json" },
    '("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
  );
  expect(macOf(Buffer.from(secret, "base64"), base).toString("base64")).toBe(
    "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=",
  );
});

describe("a player of a system", () => {
  test("is added, gets money once for a key, and is read", async () => {
    const player = await call("players", { externalId: "crm-1", username: "deniz.aydin" });
    expect(player).toMatchObject({ status: 200, body: { externalId: "crm-1", username: "deniz.aydin" } });
    const body = { amount: 5_000, reason: "card" };
    const first = await call("players/crm-1/deposits", body, { idempotencyKey: "deposit-0001" });
    expect(first).toMatchObject({ status: 200, body: { amount: 5_000, before: 0, after: 5_000 } });
    const again = await call("players/crm-1/deposits", body, { idempotencyKey: "deposit-0001" });
    expect(again.body).toEqual(first.body);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(
      await problem(call("players/crm-1/deposits", { ...body, amount: 1 }, { idempotencyKey: "deposit-0001" })),
    ).toBe("idempotency.otherRequest");
    expect((await call("players/crm-1/balance")).body).toEqual({
      ...{ available: 5_000, onMachine: 0, beingChecked: 0, wallet: "longarm" },
    });
    const refused = await call(
      "players/crm-1/withdrawals",
      { amount: 9_000, reason: "bank" },
      { idempotencyKey: "withdraw-01" },
    );
    expect(refused).toMatchObject({ status: 409, body: { problem: "wallet.insufficient", status: 409 } });
    expect(refused.headers["content-type"]).toContain("application/problem+json");
    // A refusal stays one, also when the money is there by now.
    await call("players/crm-1/deposits", { amount: 5_000, reason: "card" });
    expect(
      await problem(
        call("players/crm-1/withdrawals", { amount: 9_000, reason: "bank" }, { idempotencyKey: "withdraw-01" }),
      ),
    ).toBe("wallet.insufficient");
    expect((await call("players/crm-1/withdrawals", { amount: 2_000, reason: "bank" })).body).toMatchObject({
      after: 8_000,
    });
    expect((await call("players/crm-1/play-sessions?limit=5")).body).toEqual({ rows: [], next: null });
    expect((await call("players/crm-1/games")).body).toEqual({ games: [] });
  });

  test("gets one deposit of twenty with one key that come at once", async () => {
    await call("players", { externalId: "crm-2", username: "mira.kaya" });
    const sent = Array.from({ length: 20 }, () =>
      call("players/crm-2/deposits", { amount: 100, reason: "card" }, { idempotencyKey: "deposit-at-once" }),
    );
    const statuses = new Set((await Promise.all(sent)).map(({ status, body }) => body["problem"] ?? status));
    expect([...statuses].every((one) => one === 200 || one === "idempotency.inProgress")).toBe(true);
    expect((await call("players/crm-2/balance")).body["available"]).toBe(100);
  });

  test("is limited and excluded, never the other way, and then gets no deposit", async () => {
    await call("players", { externalId: "crm-3", username: "ali.demir" });
    const set = await call("players/crm-3/limits", { limit: "deposit.day", value: 1_000 });
    expect(set.body["limits"]).toMatchObject([{ limit: "deposit.day", value: 1_000, by: "house", holds: true }]);
    expect(await problem(call("players/crm-3/limits", { limit: "deposit.day", value: 2_000 }))).toBe("limit.looser");
    expect((await call("players/crm-3/deposits", { amount: 1_001, reason: "card" })).body).toMatchObject({
      problem: "money.refused",
      reason: "limit.deposit",
    });
    const until = "2099-01-01T00:00:00.000Z";
    expect((await call("players/crm-3/exclusions", { until })).body["excludedUntil"]).toBe(until);
    expect(await problem(call("players/crm-3/exclusions", { until: "2098-01-01T00:00:00Z" }))).toBe("limit.looser");
    expect((await call("players/crm-3/deposits", { amount: 1, reason: "card" })).body["reason"]).toBe(
      "player.excluded",
    );
    const { rows } = await sql<{ actors: string[] }>`select array_agg(distinct actor) as actors from audit.entries
      where type in ('player.limit', 'integration.called')`.execute(venue.db.kysely);
    expect(rows[0]?.actors).toEqual(["integration:cashier"]);
  });
});

describe("a caller", () => {
  test("is let in once for a signature, in time, with the body that was signed", async () => {
    const used = nonce();
    expect(await problem(call("players/none/balance", undefined, { nonce: used }))).toBe("player.unknown");
    expect(await problem(call("players/none/balance", undefined, { nonce: used }))).toBe("signature.repeated");
    const old = Math.floor(Date.now() / 1_000) - 200;
    expect(await problem(call("players/none/balance", undefined, { created: old }))).toBe("signature.time");
    const body = { externalId: "x", username: "some.body" };
    expect(await problem(call("players", body, { sent: JSON.stringify({ ...body, externalId: "y" }) }))).toBe(
      "digest.wrong",
    );
    const stranger = { keyId: "ik_aaaaaaaaaaaaaaaaaaaa", secret: key.secret };
    expect(await problem(call("players/none", undefined, { as: stranger }))).toBe("signature.wrong");
    expect(await problem(call("players/none", undefined, { as: { ...key, secret: "AAAA" } }))).toBe("signature.wrong");
    const bare = await venue.platform.integrations?.app.inject({
      url: "/integration/v1/players/x",
      headers: { host: "127.0.0.1" },
    });
    expect(bare?.json()).toMatchObject({ problem: "signature.missing" });
  });

  test("reaches only its own players, and does only what it may", async () => {
    const other = await addSystem(venue, "other", ["players.read"]);
    expect(await problem(call("players/crm-1/balance", undefined, { as: other }))).toBe("player.unknown");
    expect(await problem(call("players", { externalId: "x", username: "some.body" }, { as: other }))).toBe(
      "scope.missing",
    );
    expect(await problem(call("reports/daily?day=2026-11-28"))).toBe("scope.missing");
  });

  test("uses two keys while one is replaced, and none once it is removed", async () => {
    const old = await addSystem(venue, "rotating", ["players.read"]);
    const trx = venue.db.kysely;
    const next = await rotateKey(trx, systemRandom, { name: "rotating", overlapMinutes: 60 });
    if (next === undefined) throw new Error("no key");
    for (const as of [old, next]) expect(await problem(call("players/x", undefined, { as }))).toBe("player.unknown");
    await rotateKey(trx, systemRandom, { name: "rotating", overlapMinutes: 60 });
    expect(await problem(call("players/x", undefined, { as: old }))).toBe("signature.wrong");
    await removeIntegration(trx, "rotating");
    expect(await problem(call("players/x", undefined, { as: next }))).toBe("signature.wrong");
  });
});

describe("the client", () => {
  test("makes every call, by the schemas that the platform serves", async () => {
    const client = await systemClient(venue, await addSystem(venue, "all"));
    const made = new Set<string>();
    async function done<Name extends IntegrationCallName>(name: Name, given: Given<Name>) {
      made.add(name);
      const found: Answer<Name> = await client.call(name, given);
      if (found.is === "refused") throw new Error(`${name}: ${found.problem.title} ${found.problem.detail ?? ""}`);
      return found;
    }
    await venue.addPlayer("was.here");
    const externalId = "all-1";
    await done("addPlayer", { body: { externalId, username: "all.one", name: "All" }, key: nonce() });
    await done("linkPlayer", { body: { externalId: "all-2", username: "was.here" }, key: nonce() });
    expect((await done("loginLink", { externalId, body: {}, key: nonce() })).answer.code).toHaveLength(43);
    const deposit = { externalId, body: { amount: 5_000, reason: "card" }, key: nonce() };
    expect(await done("deposit", deposit)).toMatchObject({ isRepeat: false, answer: { before: 0, after: 5_000 } });
    expect(await done("deposit", deposit)).toMatchObject({ isRepeat: true, answer: { before: 0, after: 5_000 } });
    await done("withdraw", { externalId, body: { amount: 1_000, reason: "bank" }, key: nonce() });
    expect((await done("balance", { externalId })).answer.available).toBe(4_000);
    expect((await done("player", { externalId })).answer.state).toBe("active");
    await done("setLimit", { externalId, body: { limit: "loss.week", value: 100 }, key: nonce() });
    await done("exclude", { externalId, body: { until: "2099-01-01T00:00:00Z" }, key: nonce() });
    expect((await done("protection", { externalId })).answer.limits).toHaveLength(1);
    await done("playSessions", { externalId, query: { limit: 5 } });
    await done("games", { externalId, query: {} });
    const until = "2027-01-01T00:00:00.000Z";
    const wall = { name: "lobby-wall", machines: null, until };
    const { token } = (await done("addWatchKey", { body: wall, key: nonce() })).answer;
    const newer = (await done("addWatchKey", { body: { ...wall, watches: 4 }, key: nonce() })).answer;
    expect(await watches(token)).toBe(false);
    expect(await watches(newer.token)).toBe(true);
    expect((await done("watchKeys", {})).answer).toEqual({
      keys: [{ name: "lobby-wall", machines: null, watches: 4, until, watching: 0 }],
    });
    await done("endWatchKey", { body: { name: "lobby-wall" }, key: nonce() });
    expect(await watches(newer.token)).toBe(false);
    expect((await done("dailyReport", { query: { day: "2026-11-28" } })).answer.all.games).toBe(0);
    expect(Object.keys(integrationCalls).filter((name) => !made.has(name))).toEqual([]);
    expect(await client.call("balance", { externalId: "a/b?c" })).toMatchObject({
      is: "refused",
      problem: { problem: "request.invalid" },
    });
  });
});

test("keys to watch are the system's that made them, hold their bounds, and end with it", async () => {
  const [wall, studio] = [await addSystem(venue, "wall", ["video.share"]), await addSystem(venue, "studio")];
  const day = 86_400_000;
  const body = { name: "entrance", machines: null, until: new Date(Date.now() + day).toISOString() };
  const made = await call("watch-keys", body, { as: wall });
  expect(made.status).toBe(200);
  expect((await call("watch-keys", undefined, { as: studio })).body).toEqual({ keys: [] });
  expect(await problem(call("watch-keys", body, { as: studio }))).toBe("watchKey.taken");
  expect(await problem(call("watch-keys/end", { name: "entrance" }, { as: studio }))).toBe("watchKey.unknown");
  expect(await problem(call("watch-keys", body))).toBe("scope.missing");
  for (const wrong of [
    { name: "Entrance" },
    { machines: [] },
    { machines: ["no-such-machine"] },
    { watches: 0 },
    { until: new Date(Date.now() - day).toISOString() },
    { until: new Date(Date.now() + 401 * day).toISOString() },
  ])
    expect(await problem(call("watch-keys", { ...body, ...wrong }, { as: wall }))).toBe("request.invalid");
  // Whatever was refused, the key that there was is good.
  expect(await watches(made.body["token"])).toBe(true);
  await removeIntegration(venue.db.kysely, "wall");
  expect(await watches(made.body["token"])).toBe(false);
});

test("an address, a method and a body that the port does not know are problems too", async () => {
  const send = async (given: {
    method: "GET" | "PUT" | "POST" | "DELETE";
    url: string;
    headers?: object;
    payload?: string;
  }) => await venue.platform.integrations?.app.inject({ ...given, headers: { host: "127.0.0.1", ...given.headers } });
  const post = { method: "POST", url: "/integration/v1/players" } as const;
  const text = JSON.stringify({ externalId: "x".repeat(20_000), username: "some.body" });
  const signed = (body: string, more: object) => {
    const own = { created: Math.floor(Date.now() / 1_000), nonce: nonce(), idempotencyKey: `k-${nonce()}` };
    const headers = signedHeaders(key, { method: "POST", target: post.url, body, ...own });
    return { ...post, headers: { ...headers, ...more }, payload: body };
  };
  for (const [given, status, name] of [
    [{ method: "GET", url: "/integration/v1/none" }, 404, "address.unknown"],
    [{ method: "GET", url: "/integration/v2/players" }, 404, "address.unknown"],
    [{ method: "DELETE", url: "/integration/v1/players" }, 405, "method.unknown"],
    [{ method: "PUT", url: "/integration/v1/players/crm-1/balance", payload: "{}" }, 405, "method.unknown"],
    [signed(text, {}), 413, "body.tooLarge"],
    [signed("{}", { "content-type": "text/plain" }), 415, "type.wrong"],
    [signed("{", {}), 400, "request.invalid"],
    [{ method: "GET", url: "/integration/v1/players/%zz" }, 400, "request.invalid"],
  ] as const) {
    const reply = await send(given);
    expect([given.url, reply?.statusCode, reply?.json()["problem"]]).toEqual([given.url, status, name]);
    expect(reply?.headers["content-type"]).toContain("application/problem+json");
    if (status === 405) expect(reply?.headers["allow"]).toMatch(/^(GET|POST)$/);
  }
});

test("anybody may read the reference, which says nothing of this venue and runs no foreign script", async () => {
  const get = async (url: string) =>
    await venue.platform.integrations?.app.inject({ url, headers: { host: "127.0.0.1" } });
  const document = await get("/integration/v1/openapi.json");
  expect(document?.json()).toEqual(integrationOpenApi());
  for (const [url, type] of [
    ["/", "text/html"],
    ["/reference.css", "text/css"],
    ["/reference.mjs", "text/javascript"],
  ] as const) {
    const reply = await get(url);
    expect(reply?.headers["content-type"]).toContain(type);
    expect(reply?.headers["content-security-policy"]).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
  }
  expect((await get("/page.mjs"))?.json()).toMatchObject({ problem: "address.unknown" });
});

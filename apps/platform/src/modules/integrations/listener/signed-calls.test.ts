import { createHmac, randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import type { MadeKey } from "../keys/index.ts";
import { addIntegration, removeIntegration, rotateKey } from "../keys/index.ts";
import { digestOf, macOf, signatureBase } from "./signature.ts";

/* Signed calls of the operator's systems: who is let in, what acts once, and what a player is protected by. */

let venue: TestVenue;
let key: MadeKey;
beforeAll(async () => {
  venue = await testVenue({ env: { INTEGRATION_PORT: "0" } });
  key = await added("cashier", ["players.read", "players.add", "players.link", "money.move", "protection.add"]);
});
afterAll(() => venue.close());

async function added(name: string, scopes: string[]): Promise<MadeKey> {
  const made = await addIntegration(venue.db.kysely, systemRandom, { name, scopes: scopes as never, by: "ece" });
  if (made === undefined) throw new Error("the name is taken");
  return made;
}

type Over = {
  readonly as?: MadeKey;
  readonly nonce?: string;
  readonly created?: number;
  readonly key?: string;
  readonly sent?: string;
};
const nonce = () => randomBytes(12).toString("hex");

/** Signs and sends as docs/integrating.md says; `sent`: another body than the one that was signed. */
async function call(path: string, body?: object, over: Over = {}) {
  const method = body === undefined ? "GET" : "POST";
  const text = body === undefined ? "" : JSON.stringify(body);
  const idempotencyKey = over.key ?? `k-${nonce()}`;
  const url = `/integration/v1/${path}`;
  const [pathname = "", query] = url.split("?");
  const values = {
    "@method": method,
    "@path": pathname,
    "@query": `?${query ?? ""}`,
    ...(method === "POST" && { "content-digest": digestOf(Buffer.from(text)), "idempotency-key": idempotencyKey }),
  };
  const { keyId, secret } = over.as ?? key;
  const created = over.created ?? Math.floor(Date.now() / 1_000);
  const params = `(${Object.keys(values)
    .map((one) => `"${one}"`)
    .join(" ")});created=${created};keyid="${keyId}";nonce="${over.nonce ?? nonce()}"`;
  const base = signatureBase(Object.keys(values), values as never, params);
  const signature = createHmac("sha256", Buffer.from(secret, "base64")).update(base).digest("base64");
  const reply = await venue.platform.integrations?.app.inject({
    method,
    url,
    headers: {
      host: "127.0.0.1",
      "signature-input": `sig=${params}`,
      signature: `sig=:${signature}:`,
      ...(method === "POST" && {
        "content-type": "application/json",
        "content-digest": values["content-digest" as never],
        "idempotency-key": idempotencyKey,
      }),
    },
    ...(method === "POST" && { payload: over.sent ?? text }),
  });
  if (reply === undefined) throw new Error("this venue has no integration listener");
  return { status: reply.statusCode, headers: reply.headers, body: reply.json() as Record<string, unknown> };
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
    const first = await call("players/crm-1/deposits", body, { key: "deposit-0001" });
    expect(first).toMatchObject({ status: 200, body: { amount: 5_000, before: 0, after: 5_000 } });
    const again = await call("players/crm-1/deposits", body, { key: "deposit-0001" });
    expect(again.body).toEqual(first.body);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(await problem(call("players/crm-1/deposits", { ...body, amount: 1 }, { key: "deposit-0001" }))).toBe(
      "idempotency.otherRequest",
    );
    expect((await call("players/crm-1/balance")).body).toEqual({ available: 5_000, onMachine: 0, beingChecked: 0 });
    const refused = await call("players/crm-1/withdrawals", { amount: 9_000, reason: "bank" }, { key: "withdraw-01" });
    expect(refused).toMatchObject({ status: 409, body: { problem: "wallet.insufficient", status: 409 } });
    expect(refused.headers["content-type"]).toContain("application/problem+json");
    // A refusal stays one, also when the money is there by now.
    await call("players/crm-1/deposits", { amount: 5_000, reason: "card" });
    expect(
      await problem(call("players/crm-1/withdrawals", { amount: 9_000, reason: "bank" }, { key: "withdraw-01" })),
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
      call("players/crm-2/deposits", { amount: 100, reason: "card" }, { key: "deposit-at-once" }),
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
    const other = await added("other", ["players.read"]);
    expect(await problem(call("players/crm-1/balance", undefined, { as: other }))).toBe("player.unknown");
    expect(await problem(call("players", { externalId: "x", username: "some.body" }, { as: other }))).toBe(
      "scope.missing",
    );
    expect(await problem(call("reports/daily?day=2026-11-28"))).toBe("scope.missing");
  });

  test("uses two keys while one is replaced, and none once it is removed", async () => {
    const old = await added("rotating", ["players.read"]);
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

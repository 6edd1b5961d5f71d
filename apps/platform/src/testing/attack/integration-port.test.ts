import { createHash, randomBytes } from "node:crypto";
import { connect } from "node:net";
import { INTEGRATION_BASE } from "@longarm/contract/integration";
import type { IntegrationKey } from "@longarm/link/integration-client";
import { digestOf, signedHeaders } from "@longarm/link/integration-client";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { removeIntegration, rotateKey } from "../../modules/integrations/keys/index.ts";
import { systemRandom } from "../../random.ts";
import type { Over } from "../signed-call.ts";
import { addSystem, nonce, openPort, signedCall } from "../signed-call.ts";
import type { TestVenue } from "../test-venue.ts";
import { testVenue } from "../test-venue.ts";
import { bugsIn } from "./answers.ts";

/* A hostile caller of the integration port, with and without a key of its own, on two nodes. Whatever it sends, the money is what good calls moved. */

let venue: TestVenue;
let other: TestVenue;
let key: IntegrationKey;
let portNumber: number;
let deposited = 0;

beforeAll(async () => {
  const env = { INTEGRATION_PORT: "0", CALLS_PER_MINUTE_ADDRESS: "100000" };
  venue = await testVenue({ env });
  other = await testVenue({ env, database: venue.db, sharedBus: venue.bus });
  ({ portNumber } = await openPort(venue));
  key = await addSystem(venue, "cashier");
  await call("players", { externalId: "vera", username: "vera.demir" });
});
afterAll(async () => {
  await other.close(true);
  await venue.close();
});

const call = (path: string, body?: object, over: Over = {}, at = venue, as = key) =>
  signedCall(at, as, [path, body], over);
const problem = async (sent: ReturnType<typeof call>) => (await sent).body["problem"];
const deposit = { amount: 100, reason: "card" };
const DEPOSITS = "players/vera/deposits";
const now = () => Math.floor(Date.now() / 1_000);

async function expectSound(): Promise<void> {
  expect((await call("players/vera/balance")).body["available"]).toBe(deposited);
  expect(bugsIn([...venue.lines, ...other.lines])).toEqual([]);
}

/** Sends bytes as they are, and perhaps that no more come; answers all that comes until the platform ends the connection. */
function send(bytes: string, ends = false): Promise<string> {
  return new Promise((ended) => {
    let answer = "";
    const stream = connect(portNumber, "127.0.0.1");
    stream.on("data", (part) => {
      answer += String(part);
    });
    stream.on("error", () => {});
    stream.on("close", () => ended(answer));
    if (ends) stream.end(bytes);
    else stream.write(bytes);
  });
}

/** A signed deposit as bytes, with further lines of its head. */
function signedBytes(lines: readonly string[] = [], text = JSON.stringify(deposit)): string {
  const target = INTEGRATION_BASE + DEPOSITS;
  const own = { created: now(), nonce: nonce(), idempotencyKey: `k-${nonce()}` };
  const signed = signedHeaders(key, { method: "POST", target, body: text, ...own });
  const head = [
    `POST ${target} HTTP/1.1`,
    "host: localhost",
    "connection: close",
    ...Object.entries(signed).map(([name, value]) => `${name}: ${value}`),
    ...lines,
  ];
  return `${head.join("\r\n")}\r\n\r\n`;
}
const BODY = JSON.stringify(deposit);
const LENGTH = `content-length: ${BODY.length}`;

describe("bytes", () => {
  test("of a good call are one: the others differ from it in one thing", async () => {
    expect(await send(signedBytes([LENGTH]) + BODY)).toMatch(/^HTTP\/1\.1 200 /);
    deposited += 100;
    await expectSound();
  });

  test.each<[string, () => string]>([
    ["no HTTP", () => "hello\r\n\r\n"],
    ["HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["two lengths", () => signedBytes([LENGTH, "content-length: 5"]) + BODY],
    ["a length and chunks", () => `${signedBytes([LENGTH, "transfer-encoding: chunked"])}0\r\n\r\n${BODY}`],
    ["a length shorter than the body", () => signedBytes(["content-length: 5"]) + BODY],
    ["a body that never comes whole", () => signedBytes([`content-length: ${BODY.length + 1}`]) + BODY],
    ["a header within a header", () => signedBytes(["x: a\rset-cookie: b", LENGTH]) + BODY],
    ["a head too large", () => signedBytes([`x: ${"y".repeat(40_000)}`, LENGTH]) + BODY],
    ["thousands of headers", () => signedBytes([...Array<string>(3_000).fill("x: y"), LENGTH]) + BODY],
    ["an address too long", () => `GET /${"y".repeat(40_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`],
    ["a second signature", () => signedBytes(["signature: sig=:AAAA:", LENGTH]) + BODY],
    ["a second list of what is signed", () => signedBytes(['signature-input: b=("@method");created=1', LENGTH]) + BODY],
    ["a second digest", () => signedBytes([`content-digest: ${digestOf(Buffer.from("x"))}`, LENGTH]) + BODY],
    ["a second idempotency key", () => signedBytes(["idempotency-key: another-key", LENGTH]) + BODY],
    ["a body that is packed", () => signedBytes(["content-encoding: gzip", LENGTH], "x") + BODY],
    [
      "a body of another type",
      () => signedBytes(["content-type: text/plain", LENGTH]).replace("content-type: application/json\r\n", "") + BODY,
    ],
    ["a body too large", () => signedBytes(["content-length: 20000"], "x".repeat(20_000)) + "x".repeat(20_000)],
  ])("%s are refused", async (name, bytes) => {
    const answer = await send(bytes(), name === "a body that never comes whole");
    if (answer !== "") expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).not.toMatch(/\bat .+:\d+:\d+|node:internal|\.ts\b|postgres|"transfer"/);
    await expectSound();
  });

  test("of a request within a body are no second request", async () => {
    const answer = await send(signedBytes([LENGTH]) + BODY + signedBytes([LENGTH]) + BODY);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    // What comes after a request that ends its connection may end that request too.
    const found = Number((await call("players/vera/balance")).body["available"]);
    expect([deposited, deposited + 100]).toContain(found);
    deposited = found;
    await expectSound();
  });

  test("that come slowly end with the connection, and nothing of them is done", async () => {
    const answer = await send(signedBytes([LENGTH]).slice(0, 100));
    expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
    await expectSound();
  });

  test("of a body that comes slowly end with the connection too", { tags: ["long"] }, async () => {
    expect(await send(signedBytes([LENGTH]) + BODY.slice(0, 5))).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
    await expectSound();
  });
});

describe("a signature", () => {
  test.each<[string, () => Promise<unknown>, string]>([
    ["made too long ago", () => problem(call(DEPOSITS, deposit, { created: now() - 125 })), "signature.time"],
    ["made too far ahead", () => problem(call(DEPOSITS, deposit, { created: now() + 125 })), "signature.time"],
    [
      "made at the end of numbers",
      () => problem(call(DEPOSITS, deposit, { created: 999_999_999_999 })),
      "signature.time",
    ],
    ["made at no whole second", () => problem(call(DEPOSITS, deposit, { created: 1.5 })), "signature.missing"],
    ["with a nonce too short", () => problem(call(DEPOSITS, deposit, { nonce: "short" })), "signature.missing"],
    [
      "with text that ends the parameter",
      () => problem(call(DEPOSITS, deposit, { nonce: 'aaaaaaaaaaaaaaaaaa";alg="none' })),
      "signature.missing",
    ],
    ["of another body", () => problem(call(DEPOSITS, deposit, { sent: BODY.replace("100", "900") })), "digest.wrong"],
    [
      "of another body, with the digest of that",
      () => {
        const sent = BODY.replace("100", "900");
        return problem(call(DEPOSITS, deposit, { sent, headers: { "content-digest": digestOf(Buffer.from(sent)) } }));
      },
      "signature.wrong",
    ],
    [
      "with a digest of another kind",
      () => {
        const sha512 = createHash("sha512").update(BODY).digest("base64");
        return problem(call(DEPOSITS, deposit, { headers: { "content-digest": `sha-512=:${sha512}:` } }));
      },
      "signature.wrong",
    ],
    [
      "for another idempotency key",
      () => problem(call(DEPOSITS, deposit, { headers: { "idempotency-key": "another-key" } })),
      "signature.wrong",
    ],
    [
      "that covers less",
      () =>
        problem(
          call(DEPOSITS, deposit, {
            headers: { "signature-input": `sig=("@method");created=${now()};keyid="${key.keyId}";nonce="${nonce()}"` },
          }),
        ),
      "signature.missing",
    ],
    [
      "with a secret that is empty",
      () => problem(call(DEPOSITS, deposit, {}, venue, { ...key, secret: "" })),
      "signature.wrong",
    ],
    [
      "of a key that does not exist",
      () => problem(call(DEPOSITS, deposit, {}, venue, { keyId: `ik_${"a".repeat(20)}`, secret: key.secret })),
      "signature.wrong",
    ],
  ])("%s is refused", async (_, made, wanted) => {
    expect(await made()).toBe(wanted);
    await expectSound();
  });

  test("for one address is none for another that the router reads alike", async () => {
    const target = `${INTEGRATION_BASE}players/vera/balance`;
    const get = async (sent: string, method = "GET") => {
      const own = { created: now(), nonce: nonce(), idempotencyKey: "" };
      const signed = Object.entries(signedHeaders(key, { method: "GET", target, body: "", ...own }));
      const lines = signed.map(([name, value]) => `${name}: ${value}`);
      const head = [`${method} ${sent} HTTP/1.1`, "host: localhost", "connection: close", ...lines];
      return (await send(`${head.join("\r\n")}\r\n\r\n`)).slice(9, 12);
    };
    expect(await get(target)).toBe("200");
    expect(await get(`${target}?`)).toBe("200");
    for (const sent of [
      target.replace("vera", "%76era"),
      target.replace("players/", "players//"),
      `${target}/`,
      `${target}?limit=1`,
      `${target}#part`,
      target.replace("balance", "BALANCE"),
      target.replace("vera", "other/../vera"),
      `http://evil.example${target}`,
    ])
      expect({ sent, status: await get(sent) }).toEqual({ sent, status: expect.stringMatching(/^4/) });
    expect(await get(target, "HEAD")).toBe("405");
  });

  test("is accepted by one of two nodes, also long after, by a clock that is late", async () => {
    const late = { nonce: nonce(), created: now() + 118 };
    const both = await Promise.all([venue, other].map((at) => call("players/vera", undefined, late, at)));
    expect(both.map(({ body }) => body["problem"] ?? "ok").sort()).toEqual(["ok", "signature.repeated"]);
    // The last moment at which the time would be good, on a node whose clock is right, however long the calls before took.
    await sql`update integration_nonce set seen_at = seen_at - interval '237 seconds'`.execute(venue.db.kysely);
    const shiftMs = (late.created + 119) * 1_000 - Date.now();
    other.clock.shift(shiftMs);
    expect(await problem(call("players/vera", undefined, late, other))).toBe("signature.repeated");
    other.clock.shift(-shiftMs);
  });

  test("of each of two keys is good while one replaces the other, and of neither by the other's name", async () => {
    const old = await addSystem(venue, "rotating");
    const next = await rotateKey(venue.db.kysely, systemRandom, { name: "rotating", overlapMinutes: 60 });
    if (next === undefined) throw new Error("no key");
    const same = nonce();
    for (const at of [venue, other])
      for (const as of [old, next])
        expect(await problem(call("players/x", undefined, {}, at, as))).toBe("player.unknown");
    for (const as of [old, next])
      expect(await problem(call("players/x", undefined, { nonce: same }, venue, as))).toBe("player.unknown");
    const mixed = { keyId: old.keyId, secret: next.secret };
    expect(await problem(call("players/x", undefined, {}, venue, mixed))).toBe("signature.wrong");
    await removeIntegration(venue.db.kysely, "rotating");
    for (const at of [venue, other])
      for (const as of [old, next])
        expect(await problem(call("players/x", undefined, {}, at, as))).toBe("signature.wrong");
  });
});

describe("a body", () => {
  test.each<[string, string]>([
    ["no JSON", "hello"],
    ["no UTF-8", "\ud800"],
    ["nothing", ""],
    ["a list", "[]"],
    ["null", "null"],
    ["deep", `${"[".repeat(8_000)}${"]".repeat(8_000)}`],
    ["a prototype", '{"amount":1,"reason":"a","__proto__":{"amount":9}}'],
    ["another field", '{"amount":1,"reason":"a","player":"p_1"}'],
    ["a negative amount", '{"amount":-100,"reason":"a"}'],
    ["no whole amount", '{"amount":0.5,"reason":"a"}'],
    ["an amount beyond numbers", '{"amount":1e30,"reason":"a"}'],
    ["an amount as text", '{"amount":"100","reason":"a"}'],
    ["a reason of two lines", '{"amount":1,"reason":"a\\nb"}'],
    ["a reason that turns the line", `{"amount":1,"reason":"${"x".repeat(300)}"}`],
  ])("that is %s moves nothing", async (_, text) => {
    const sent = { sent: text, headers: { "content-digest": digestOf(Buffer.from(text)) } };
    const target = INTEGRATION_BASE + DEPOSITS;
    const own = { created: now(), nonce: nonce(), idempotencyKey: `k-${nonce()}` };
    const signed = signedHeaders(key, { method: "POST", target, body: text, ...own });
    const reply = await call(DEPOSITS, {}, { ...sent, headers: signed });
    expect(reply).toMatchObject({ status: 400, body: { problem: "request.invalid" } });
    expect(reply.headers["content-type"]).toContain("application/problem+json");
    await expectSound();
  });
});

test("one idempotency key on two nodes at once moves the money once", async () => {
  const idempotencyKey = `k-${nonce()}`;
  const sent = Array.from({ length: 20 }, (_, at) =>
    call(DEPOSITS, deposit, { idempotencyKey }, at % 2 === 0 ? venue : other),
  );
  const answers = await Promise.all(sent);
  deposited += 100;
  for (const { status, body } of answers)
    expect([200, "idempotency.inProgress"]).toContain(status === 200 ? 200 : body["problem"]);
  const again = await call(DEPOSITS, deposit, { idempotencyKey }, other);
  expect([again.status, again.headers["idempotency-replayed"]]).toEqual([200, "true"]);
  await expectSound();
});

test("guesses fill neither the audit log nor the table of nonces", async () => {
  const nonces = async () =>
    (await sql<{ rows: number }>`select count(*)::int as rows from integration_nonce`.execute(venue.db.kysely)).rows[0];
  const before = await nonces();
  const guess = () => ({ keyId: key.keyId, secret: randomBytes(32).toString("base64") });
  for (let at = 0; at < 200; at += 1)
    expect(await problem(call("players/vera", undefined, {}, venue, guess()))).toBe("signature.wrong");
  expect(await nonces()).toEqual(before);
  const { rows } = await sql<{ rows: number }>`select count(*)::int as rows from audit.entries
    where type = 'integration.refused' and facts ->> 'problem' = 'signature.wrong'`.execute(venue.db.kysely);
  expect(rows[0]?.rows).toBeLessThan(20);
});

test("a system that calls too often waits, and no other one does", async () => {
  const env = { INTEGRATION_PORT: "0", INTEGRATION_CALLS_PER_MINUTE: "3" };
  const narrow = await testVenue({ env, database: venue.db, sharedBus: venue.bus });
  try {
    const polite = await addSystem(venue, "polite");
    for (let at = 0; at < 3; at += 1) expect((await call("players/vera", undefined, {}, narrow)).status).toBe(200);
    const refused = await call("players/vera", undefined, {}, narrow);
    expect(refused).toMatchObject({ status: 429, body: { problem: "request.tooMany" } });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(await problem(call("players/vera", undefined, {}, narrow, polite))).toBe("player.unknown");
  } finally {
    await narrow.close(true);
  }
});

test("no other name of the port is answered, and no page of another origin reads it", async () => {
  const app = venue.platform.integrations?.app;
  const evil = await app?.inject({ url: "/integration/v1/openapi.json", headers: { host: "evil.example" } });
  expect(evil?.statusCode).toBe(421);
  const page = await app?.inject({ url: "/", headers: { host: "127.0.0.1", origin: "https://evil.example" } });
  expect(page?.headers["access-control-allow-origin"]).toBeUndefined();
});

import { generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { PASSWORD, testVenue } from "../../../testing/test-venue.ts";
import { createTokens } from "./tokens.ts";

let venue: TestVenue;
let good: string;
let kid: string;
let secret: Buffer;
let claims: Record<string, unknown>;
beforeAll(async () => {
  venue = await testVenue();
  await venue.addPlayer("bora");
  good = await venue.signIn("bora");
  const { rows } = await sql<{
    kid: string;
    secret: Buffer;
  }>`select kid, secret from platform_key where purpose = 'token'`.execute(venue.db.kysely);
  ({ kid, secret } = rows[0]!);
  claims = JSON.parse(Buffer.from(good.split(".")[1]!, "base64url").toString());
});
afterAll(() => venue.close());

const status = async (token: string) => (await venue.get("/v1/validate", token)).statusCode;
const sign = (payload: Record<string, unknown>, header: Record<string, unknown>, key: Uint8Array = secret) =>
  new SignJWT(payload).setProtectedHeader({ alg: "HS256", kid, ...header }).sign(key);

test("a good token is good", async () => {
  expect(await status(good)).toBe(200);
  expect(await status(await sign(claims, {}))).toBe(200);
});

test("tokens that are not ours are refused with code 10", async () => {
  const { privateKey } = await generateKeyPair("RS256");
  const hostile = {
    empty: "",
    words: "not.a.token",
    dots: "..",
    huge: `${good}${"A".repeat(9_000)}`,
    "changed payload": good.replace(
      /\.[^.]+\./,
      `.${Buffer.from(JSON.stringify({ ...claims, id: "p_other" })).toString("base64url")}.`,
    ),
    "alg none": new UnsecuredJWT(claims).encode(),
    "another key": await sign(claims, {}, Buffer.alloc(32, 7)),
    "an unknown kid": await sign(claims, { kid: "k_unknown" }),
    "a hostile kid": await sign(claims, { kid: "' or 1=1 --" }),
    "the pin key's kid": await sign(claims, { kid: await pinKid() }, await pinSecret()),
    "no kid": await new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(secret),
    "another algorithm": await new SignJWT(claims).setProtectedHeader({ alg: "HS512", kid }).sign(Buffer.alloc(64, 1)),
    "an asymmetric one": await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid }).sign(privateKey),
    expired: await sign({ ...claims, exp: 1_000 }, {}),
    "no exp": await sign({ ...claims, exp: undefined }, {}),
    "no jti": await sign({ ...claims, jti: undefined }, {}),
    "a jti without a row": await sign({ ...claims, jti: "jti_none" }, {}),
    "another player's id": await sign({ ...claims, id: "p_somebody" }, {}),
    "an object as id": await sign({ ...claims, id: { $ne: 1 } }, {}),
  };
  for (const [name, token] of Object.entries(hostile)) {
    const reply = await venue.get("/v1/validate", token);
    expect({ name, status: reply.statusCode, code: reply.json().code }).toEqual({ name, status: 401, code: 10 });
  }
  expect(
    (await venue.app.inject({ url: "/v1/validate", headers: { authorization: `Basic ${good}` } })).statusCode,
  ).toBe(401);
});

async function pinRow() {
  const { rows } = await sql<{
    kid: string;
    secret: Buffer;
  }>`select kid, secret from platform_key where purpose = 'pin'`.execute(venue.db.kysely);
  return rows[0]!;
}
const pinKid = async () => (await pinRow()).kid;
const pinSecret = async () => (await pinRow()).secret;

test("logging out ends the token at once, on every node, and only that one", async () => {
  const other = await venue.signIn("bora");
  const token = await venue.signIn("bora");
  const secondNode = await testVenue({ database: venue.db });
  try {
    expect((await secondNode.get("/v1/validate", token)).statusCode).toBe(200);
    const out = await venue.app.inject({
      method: "POST",
      url: "/v1/player/logout",
      headers: { authorization: `Bearer ${token}` },
    });
    expect(out.json()).toEqual({ code: 20000 });
    expect(await status(token)).toBe(401);
    // The other node has no bus to this one here: its cache is good for 5 s at most.
    secondNode.clock.shift(5_001);
    expect((await secondNode.get("/v1/validate", token)).statusCode).toBe(401);
    expect(await status(other)).toBe(200);
  } finally {
    await secondNode.close(true);
  }
});

test("the tokens of a start before this one are good", async () => {
  const token = await venue.signIn("bora");
  const next = await testVenue({ database: venue.db });
  try {
    expect((await next.get("/v1/validate", token)).statusCode).toBe(200);
  } finally {
    await next.close(true);
  }
});

test("validate renews after half the life of a token, under the same sign-in", async () => {
  const token = await venue.signIn("bora");
  expect((await venue.get("/v1/validate", token)).json().token).toBe(token);
  venue.clock.shift(6.1 * 3_600_000);
  const renewed = (await venue.get("/v1/validate", token)).json().token;
  expect(renewed).not.toBe(token);
  expect(await status(renewed)).toBe(200);
  await venue.app.inject({ method: "POST", url: "/v1/player/logout", headers: { authorization: `Bearer ${renewed}` } });
  expect(await status(token)).toBe(401);
});

test("a token ends by itself, also one that was good a moment ago", async () => {
  const token = await venue.signIn("bora", PASSWORD);
  expect(await status(token)).toBe(200);
  venue.clock.shift(13 * 3_600_000);
  expect(await status(token)).toBe(401);
});

test("however often it is renewed, a sign-in ends 30 days after the password was typed", async () => {
  const later = await testVenue({ database: venue.db });
  try {
    const token = await later.signIn("bora");
    const { jti } = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());
    const db = venue.db.kysely;
    await sql`update auth_session set created_at = now() - interval '29 days 23 hours' where jti = ${jti}`.execute(db);
    later.clock.shift(6.1 * 3_600_000);
    expect((await later.get("/v1/validate", token)).json().token).not.toBe(token);
    const { rows } = await sql<{ at30Days: boolean }>`
      select expires_at = created_at + interval '30 days' as "at30Days" from auth_session where jti = ${jti}`.execute(
      db,
    );
    expect(rows).toEqual([{ at30Days: true }]);
  } finally {
    await later.close(true);
  }
});

test("a signature is checked once, and its key looked at again for all tokens together: one that changed or is gone opens none of them", async () => {
  const clock = manualClock(0);
  const kept = new Map([["k_one", Buffer.alloc(32, 1)]]);
  const current = async () => ({ kid: "k_one", secret: Buffer.alloc(32, 1) });
  let looks = 0;
  const find = async (kid: string) => {
    looks += 1;
    const key = kept.get(kid);
    return key && { kid, secret: key };
  };
  const tokens = createTokens({ current, find }, clock);
  const player = (await venue.platform.players.findByName("bora"))!;
  const [one, two] = await Promise.all(["one", "two"].map((jti) => tokens.sign(player, jti, new Date(60_000))));
  const known = () => [one!, two!].map((token) => tokens.known(token)?.jti);
  expect(known()).toEqual([undefined, undefined]);
  for (const token of [one!, two!]) await tokens.read(token);
  expect([known(), looks]).toEqual([["one", "two"], 2]);
  clock.advance(6_000);
  expect(known()).toEqual([undefined, undefined]);
  await tokens.read(two!);
  expect([known(), looks]).toEqual([["one", "two"], 3]);
  kept.set("k_one", Buffer.alloc(32, 2));
  expect(await tokens.read(two!)).toBeUndefined();
  expect(known()).toEqual([undefined, undefined]);
  kept.set("k_one", Buffer.alloc(32, 1));
  expect(await tokens.read(two!)).toMatchObject({ jti: "two" });
  kept.clear();
  expect(await tokens.read(two!)).toBeUndefined();
  expect(known()).toEqual([undefined, undefined]);
});

test("a key that was retired signs nothing more, and one that was removed opens nothing more, on every node without a start", async () => {
  const nodes = [await testVenue({ database: venue.db }), await testVenue({ database: venue.db })] as const;
  const kidIn = (token: string) => JSON.parse(Buffer.from(token.split(".")[0]!, "base64url").toString()).kid;
  const bothSay = async (token: string) => {
    // What was read of a sign-in is good for 5 s.
    for (const { clock } of nodes) clock.shift(5_001);
    return await Promise.all(nodes.map(async (node) => (await node.get("/v1/validate", token)).statusCode));
  };
  try {
    const before = await nodes[0].signIn("bora");
    expect([kidIn(before), await bothSay(before)]).toEqual([kid, [200, 200]]);
    await sql`update platform_key set retired_at = now() where kid = ${kid}`.execute(venue.db.kysely);
    const after = await Promise.all(nodes.map((node) => node.signIn("bora")));
    const kids = new Set(after.map(kidIn));
    expect([kids.size, kids.has(kid)]).toEqual([1, false]);
    expect(await bothSay(before)).toEqual([200, 200]);
    await sql`delete from platform_key where kid = ${kid}`.execute(venue.db.kysely);
    expect(await bothSay(before)).toEqual([401, 401]);
    for (const token of after) expect(await bothSay(token)).toEqual([200, 200]);
  } finally {
    for (const node of nodes) await node.close(true);
  }
});

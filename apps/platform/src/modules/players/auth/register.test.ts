import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bugsIn, expectAnswer } from "../../../testing/attack/answers.ts";
import { mutationsOf } from "../../../testing/attack/hostile-values.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";

const GOOD = "sunfish over the reef";

let venue: TestVenue;
beforeAll(async () => {
  const many = { REGISTRATIONS_PER_HOUR_ADDRESS: "10000", LOGINS_PER_MINUTE_ADDRESS: "10000" };
  venue = await testVenue({ env: { REGISTRATION: "yes", CALLS_PER_MINUTE_ADDRESS: "1000000", ...many } });
});
afterAll(() => venue.close());

const register = (payload: unknown, { app } = venue, from = "127.0.0.1") =>
  app.inject({
    method: "POST",
    url: "/api/auth/register",
    headers: { "content-type": "application/json", "x-forwarded-for": from },
    payload: JSON.stringify(payload) ?? "",
  });
const account = (more: object = {}) => ({
  displayName: "Selin Ak",
  email: "selin@example.test",
  password: GOOD,
  ...more,
});
const playersNow = async () =>
  (await sql<{ n: number }>`select count(*)::int as n from player`.execute(venue.db.kysely)).rows[0]?.n;

test("R-7-16: a visitor opens an account and is signed in, with an empty wallet and nothing else", async () => {
  const reply = await register(
    account({ email: " Selin@Example.test ", group: "vip", Permissions: [1], balance: 1e9 }),
  );
  expect(reply.statusCode).toBe(200);
  expect(reply.headers["cache-control"]).toBe("no-store");
  const { user, access_token, ...rest } = reply.json();
  expect(rest).toEqual({});
  expect(user).toEqual({
    uuid: expect.stringMatching(/^p_/),
    from: "longarm",
    role: ["user"],
    data: { displayName: "Selin Ak", email: "selin@example.test" },
  });
  expect((await venue.get("/v1/validate", access_token)).json()).toMatchObject({
    Group: "player",
    Permissions: [145],
    pin_code: "",
    last_logon: null,
  });
  expect(await venue.ledger.account(`player:${user.uuid}`)).toMatchObject({ balanceMinor: 0, heldMinor: 0 });
  expect(await venue.signIn("SELIN@example.test", GOOD)).toBeTypeOf("string");
  const told = await sql<{ type: string; actor: string; address: string | null }>`
    select type, actor, address from audit.entries where subject = ${`player:${user.uuid}`} order by id`.execute(
    venue.db.kysely,
  );
  expect(told.rows.slice(0, 2)).toEqual([
    { type: "player.added", actor: "visitor", address: null },
    { type: "success", actor: `player:${user.uuid}`, address: "127.0.0.1" },
  ]);
});

test.each([
  ["an address that is none", { email: "nowhere" }, "email", "invalid"],
  ["an address longer than a user name", { email: `${"x".repeat(60)}@example.test` }, "email", "invalid"],
  ["an address with a zero character", { email: "a\u0000b@example.test" }, "email", "invalid"],
  ["a name of nothing", { displayName: " \u200b " }, "username", "invalid"],
  ["a name that turns the line round", { displayName: "\u202eSelin" }, "username", "invalid"],
  ["a name that nobody sees", { displayName: "\u3164\u3164" }, "username", "invalid"],
  ["a name that covers its neighbours", { displayName: `Se${"\u0301\u0323".repeat(3)}lin` }, "username", "invalid"],
  ["half a letter", { displayName: "Selin \ud83d" }, "username", "invalid"],
  ["a password of seven letters", { password: "sunfish" }, "password", "short"],
  ["a password that many people use", { password: "password123" }, "password", "common"],
  ["a password that says the name", { password: "selin ak" }, "password", "common"],
  [
    "a password that says the address",
    { email: "deep.reef@example.test", password: "deep.reef7" },
    "password",
    "common",
  ],
])("R-7-16: %s is told on its field, and nobody is added", async (_what, wrong, type, reason) => {
  const before = await playersNow();
  const reply = await register(account({ email: "other@example.test", ...wrong }));
  expect(reply.statusCode).toBe(200);
  expect(reply.json()).toEqual({ error: [{ type, reason, message: expect.any(String) }] });
  expect(await playersNow()).toBe(before);
});

test("every wrong field is told at once", async () => {
  const { error } = (await register({ displayName: "\n", email: "x", password: "y" })).json();
  expect(error.map(({ type }: { type: string }) => type)).toEqual(["username", "email", "password"]);
});

test("R-7-16: one address has one account, in whatever spelling, with staff's players too, and for many at once", async () => {
  const taken = { error: [{ type: "email", reason: "taken", message: expect.any(String) }] };
  await venue.addPlayer("staffs.own", { email: "Staffs.Own@Example.test" });
  expect((await register(account({ email: "staffs.own@example.TEST" }))).json()).toEqual(taken);
  const many = await Promise.all(
    ["once@example.test", "ONCE@example.test", " once@Example.test", "once@example.test"].map((email) =>
      register(account({ email })),
    ),
  );
  const answers = many.map((reply) => reply.json());
  expect(answers.filter(({ access_token }) => access_token !== undefined)).toHaveLength(1);
  expect(answers.filter(({ error }) => error !== undefined)).toEqual([taken, taken, taken]);
});

test("whatever stands in the body, the answer is a user, a list or an error of the catalogue", async () => {
  const before = venue.lines.length;
  for (const [count, body] of mutationsOf(account({ email: "hostile@example.test" })).entries()) {
    const reply = await register(body);
    expectAnswer(body, reply);
    if (reply.statusCode === 200) expect(Object.keys(reply.json()).length, `${count}`).toBeGreaterThan(0);
  }
  expect(bugsIn(venue.lines.slice(before))).toEqual([]);
});

test("neither passwords nor tokens stand in the log", async () => {
  const reply = await register(account({ email: "quiet@example.test", password: "my very own secret" }));
  const { access_token } = reply.json();
  expect(access_token).toBeTypeOf("string");
  expect(venue.lines.join("")).toContain("registered");
  for (const secret of ["my very own secret", access_token]) expect(venue.lines.join("")).not.toContain(secret);
});

test("a venue that says nothing is closed: 60070, and nobody is added", async () => {
  const closed = await testVenue({ database: venue.db });
  const kept = await testVenue({ database: venue.db, env: { REGISTRATION: "yes", BLOCKED_ADDRESSES: "127.0.0.1" } });
  try {
    const before = await playersNow();
    const reply = await register(account({ email: "late@example.test" }), closed);
    expect([reply.statusCode, reply.json().code]).toEqual([403, 60070]);
    const blocked = await register(account({ email: "late@example.test" }), kept);
    expect([blocked.statusCode, blocked.json().code]).toEqual([403, 10703]);
    expect(await playersNow()).toBe(before);
  } finally {
    await closed.close(true);
    await kept.close(true);
  }
});

test("an address has so many registrations an hour, good or bad, and others go on", async () => {
  const env = { REGISTRATION: "yes", REGISTRATIONS_PER_HOUR_ADDRESS: "3", TRUSTED_PROXY_HOPS: "1" };
  const strict = await testVenue({ database: venue.db, env });
  try {
    const statuses: number[] = [];
    for (const email of ["h1@example.test", "none", "h1@example.test", "h2@example.test"])
      statuses.push((await register(account({ email }), strict, "198.51.100.7")).statusCode);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await register(account({ email: "h3@example.test" }), strict, "203.0.113.7")).json().user).toBeDefined();
  } finally {
    await strict.close(true);
  }
});

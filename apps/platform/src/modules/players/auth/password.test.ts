import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openSocket } from "../../../testing/open-socket.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { PASSWORD, testVenue } from "../../../testing/test-venue.ts";

const PATIENT = { timeout: 60_000 };

let venue: TestVenue;
let base: string;
let id: string;
let name: string;
let token: string;
let players = 0;

beforeAll(async () => {
  venue = await testVenue({ env: { LOGINS_PER_MINUTE_ADDRESS: "10000" } });
  base = (await venue.platform.listen()).replace("http", "ws");
});
afterAll(() => venue.close());
beforeEach(async () => {
  players += 1;
  name = `changer${players}`;
  id = await venue.addPlayer(name);
  token = await venue.signIn(name);
});

const post = (payload: unknown, withToken = token, headers: Record<string, string> = {}) =>
  venue.app.inject({
    method: "POST",
    url: "/v1/player/password",
    headers: { authorization: `Bearer ${withToken}`, "content-type": "application/json", ...headers },
    payload: typeof payload === "string" ? payload : JSON.stringify(payload),
  });
const change = (old_password: string, new_password: string, withToken = token) =>
  post({ old_password, new_password }, withToken);

test("R-5-16: a password is changed, and only the new one signs in from then on", async () => {
  expect((await change(PASSWORD, "a new long password")).json()).toEqual({ code: 20000 });
  await expect(venue.signIn(name)).rejects.toThrow("10700");
  expect(await venue.signIn(name, "a new long password")).toBeTypeOf("string");
});

test("R-5-17: a wrong old password is 40001, and nothing changes", async () => {
  const reply = await change("not my password", "a new long password");
  expect(reply.statusCode).toBe(400);
  expect(reply.json()).toEqual({ code: 40001, ErrorMessage: "Old password is wrong" });
  expect(await venue.signIn(name)).toBeTypeOf("string");
});

test.each(["x", "1234567", "😀😀😀😀😀😀😀", "şifreşş"])(
  "R-5-18: %s is too short for a new password: 40101, and costs no try",
  async (short) => {
    for (let tries = 0; tries < 8; tries += 1) {
      const reply = await change(PASSWORD, short);
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual({ code: 40101, ErrorMessage: "Password is too short" });
    }
    expect((await change(PASSWORD, "brook 48")).json()).toEqual({ code: 20000 });
  },
);

describe("guessing the old password", () => {
  test("is stopped after five, from whatever address and token, also for the right one", async () => {
    const second = await venue.signIn(name);
    for (let tries = 0; tries < 5; tries += 1)
      expect((await change(`guess ${tries}`, "brook 48", tries % 2 ? token : second)).json()).toMatchObject({
        code: 40001,
      });
    const blocked = await change(PASSWORD, "brook 48", second);
    expect(blocked.statusCode).toBe(403);
    expect(blocked.json()).toMatchObject({ code: 10702, Params: { block_time: 15 } });
    // The owner still signs in: the thief of a token cannot shut the door.
    expect(await venue.signIn(name)).toBeTypeOf("string");
  });

  test("many at once do not pass the limit", async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, (_, guess) => change(`guess ${guess}`, "brook 48")));
    const codes = replies.map((reply) => reply.json().code);
    expect(codes.filter((code) => code === 40001)).toHaveLength(5);
    expect(codes.filter((code) => code === 10702)).toHaveLength(7);
  });

  test("the right one takes the wrong ones off the count", async () => {
    for (let round = 0; round < 3; round += 1) {
      const [from, to] = round % 2 ? ["second password", PASSWORD] : [PASSWORD, "second password"];
      for (let tries = 0; tries < 4; tries += 1) await change("guess", "brook 48");
      expect((await change(from ?? "", to ?? "")).json()).toEqual({ code: 20000 });
    }
  });
});

test("whoever was signing in with the old password while it was changed is not let in", async () => {
  const written = Promise.withResolvers<void>();
  const change = Promise.withResolvers<void>();
  const changing = venue.db.kysely.transaction().execute(async (trx) => {
    await sql`update player set password = 'another' where id = ${id}`.execute(trx);
    written.resolve();
    await change.promise;
  });
  await written.promise;
  // The old one still stands there for everybody else: it is right, and the sign-in waits for the change.
  const late = venue.signIn(name).catch(String);
  await expect
    .poll(async () => {
      const waiting = await sql`select from pg_locks l join pg_stat_activity a using (pid)
        where not l.granted and a.datname = current_database() and a.query like 'insert into "auth_session"%'`.execute(
        venue.db.kysely,
      );
      return waiting.rows.length;
    }, PATIENT)
    .toBeGreaterThan(0);
  change.resolve();
  await changing;
  expect(await late).toContain("10701");
});

test("of two changes at once one wins, and its password signs in", async () => {
  const wanted = ["the first of two", "the second of two"];
  const replies = await Promise.all(wanted.map((password) => change(PASSWORD, password)));
  const won = replies.findIndex((reply) => reply.json().code === 20000);
  expect(replies.map((reply) => reply.json().code).sort()).toEqual([20000, 40001]);
  expect(await venue.signIn(name, wanted[won])).toBeTypeOf("string");
});

test("all other sign-ins of the player end with their sockets; the caller's stays, and so do other players'", async () => {
  const other = await venue.signIn(name);
  await venue.addPlayer(`bystander${players}`);
  const bystander = await venue.signIn(`bystander${players}`);
  const own = openSocket(`${base}/notifications?token=${token}`);
  const others = openSocket(`${base}/notifications?token=${other}`);
  await Promise.all([own.opened, others.opened]);
  // Answered, so the platform has looked at their tokens.
  for (const page of [own, others]) page.send({ request: true, id: 1, method: "init", data: { id } });
  await expect.poll(() => own.frames.length > 0 && others.frames.length > 0).toBe(true);

  expect((await change(PASSWORD, "a new long password")).statusCode).toBe(200);
  expect(await others.closed).toEqual({ code: 4000, reason: "logged out" });
  expect((await venue.get("/v1/validate", other)).statusCode).toBe(401);
  expect((await venue.get("/v1/validate", token)).statusCode).toBe(200);
  expect((await venue.get("/v1/validate", bystander)).statusCode).toBe(200);
  expect(own.socket.readyState).toBe(own.socket.OPEN);
  own.socket.terminate();
});

describe("hostile bodies", () => {
  test.each([
    ["no JSON", "{", 400],
    ["a list", [], 400],
    ["null", "null", 400],
    ["wrong types", { old_password: { $ne: null }, new_password: ["brook 48"] }, 400],
    ["numbers", { old_password: 12345678, new_password: 12345678 }, 400],
    ["nothing old", { new_password: "brook 48" }, 400],
    ["an empty new one", { old_password: PASSWORD, new_password: "" }, 400],
    ["a new one that is far too long", { old_password: PASSWORD, new_password: "x".repeat(257) }, 400],
    ["a huge body", { old_password: PASSWORD, new_password: "x".repeat(9_000) }, 413],
  ])("%s is refused with a clear code", async (_name, payload, status) => {
    const reply = await post(payload);
    expect(reply.statusCode).toBe(status);
    expect([40000, 60031]).toContain(reply.json().code);
    expect(await venue.signIn(name)).toBeTypeOf("string");
  });

  test("nobody changes anything without a token", async () => {
    const reply = await venue.app.inject({
      method: "POST",
      url: "/v1/player/password",
      payload: { old_password: PASSWORD, new_password: "brook 48" },
    });
    expect(reply.statusCode).toBe(401);
  });

  test("neither password stands in the log or in the answer", async () => {
    const replies = [await change("my wrong secret", "my new secret"), await change(PASSWORD, "my new secret")];
    const said = venue.lines.join("") + replies.map(({ body }) => body).join("");
    expect(said).toContain("changed password");
    for (const secret of ["my wrong secret", "my new secret", PASSWORD]) expect(said).not.toContain(secret);
  });
});

describe("R-2.7-04, R-2.7-05: the age of a password", () => {
  const told = async () => (await venue.get("/v1/validate", token)).json();

  test("R-2.7-04: login and validate tell when it was changed; before the first change that is null", async () => {
    expect(await told()).toMatchObject({ password_changed: null, password_expired: false });
    await change(PASSWORD, "a new long password");
    const { password_changed } = await told();
    const { rows } = await sql<{ at: Date }>`select password_changed_at as at from player where id = ${id}`.execute(
      venue.db.kysely,
    );
    expect(password_changed).toBe(rows[0]?.at.toISOString());
  });

  test("R-2.7-05: one that is older than the limit is told to be expired, and still works", async () => {
    const strict = await testVenue({ database: venue.db, env: { PASSWORD_DAYS_MAX: "90" } });
    try {
      const expired = async () =>
        (await strict.get("/v1/validate", await strict.signIn(name))).json().password_expired as boolean;
      expect(await expired()).toBe(false);
      // Never changed: the age is that of the player.
      await sql`update player set created_at = now() - interval '91 days' where id = ${id}`.execute(venue.db.kysely);
      expect(await expired()).toBe(true);
      await sql`update player set password_changed_at = now() - interval '89 days' where id = ${id}`.execute(
        venue.db.kysely,
      );
      expect(await expired()).toBe(false);
      expect(await told()).toMatchObject({ password_expired: false });
    } finally {
      await strict.close(true);
    }
  });
});

describe("a new password", () => {
  test.each([
    ["seven letters", "sunfish", 40101],
    ["what many people use", "password123", 60052],
    ["the same in capitals", "PassWord123", 60052],
    ["the same in full width", "ｐａｓｓｗｏｒｄ", 60052],
    ["figures in a row", "1234567890", 60052],
    ["the venue and a figure", "Longarm1longarm", 60052],
  ])("of %s is refused, and costs no try of the old one", async (_name, asked, code) => {
    for (let tries = 0; tries < 7; tries += 1) expect((await change(PASSWORD, asked)).json()).toMatchObject({ code });
    expect((await change(PASSWORD, "sunfish over the reef")).statusCode).toBe(200);
  });

  test("may be of any letters, and of 256 of them", async () => {
    const long = "ağaç 🌳 ".repeat(40).slice(0, 256).toWellFormed();
    expect((await change(PASSWORD, long)).statusCode).toBe(200);
    expect((await change(long, "        x")).statusCode, "spaces are letters like others").toBe(200);
  });
});

import { MAIL_CODE_LENGTH } from "@longarm/contract/player-mail";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { authenticatorApp } from "../../../testing/authenticator-app.ts";
import { longarm } from "../../../testing/longarm.ts";
import type { MailServer } from "../../../testing/mail-server.ts";
import { openMailServer } from "../../../testing/mail-server.ts";
import { eventually } from "../../../testing/play-venue.ts";
import { softwarePasskey } from "../../../testing/software-passkey.ts";
import { staffMember } from "../../../testing/staff-client.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { PASSWORD, testVenue } from "../../../testing/test-venue.ts";

/* Addresses, new passwords and notices by e-mail, and who would misuse them. */

const NEW = "a harbour in the rain";

let server: MailServer;
let venue: TestVenue;
let id: string;
let name: string;
let address: string;
let token: string;
let players = 0;

beforeAll(async () => {
  server = await openMailServer();
  venue = await testVenue({
    env: {
      LOGINS_PER_MINUTE_ADDRESS: "10000",
      REGISTRATION: "yes",
      TRUSTED_PROXY_HOPS: "1",
      STAFF_PORT: "0",
      SMTP_URL: server.url,
      MAIL_FROM: "no-reply@example.test",
    },
  });
  await venue.platform.listen();
});
afterAll(async () => {
  await venue.close();
  await server.close();
});
beforeEach(async () => {
  server.fail("none");
  players += 1;
  name = `writer${players}`;
  address = `${name}@example.test`;
  id = await venue.addPlayer(name);
  token = await venue.signIn(name);
});

const post = (path: string, payload: object, withToken?: string, from = "198.51.100.7", device = "Firefox") =>
  venue.app.inject({
    method: "POST",
    url: `/v1/${path}`,
    headers: {
      "x-forwarded-for": from,
      "user-agent": device,
      ...(withToken !== undefined && { authorization: `Bearer ${withToken}` }),
    },
    payload,
  });
const wanted = (more: object = {}, withToken = token) =>
  post("player/mail/ask", { address, language: "en", ...more }, withToken);
const codeIn = (text: string) => /\d{4} \d{4}/.exec(text)?.[0] ?? "";
async function newest(subject: RegExp, to = address): Promise<string> {
  const found = () => server.to(to).filter(({ headers }) => subject.test(headers["subject"] ?? ""));
  await eventually(() => expect(found().length).toBeGreaterThan(0));
  return found().at(-1)?.text ?? "";
}
/** The player shows that mail arrives. */
async function confirm(): Promise<void> {
  expect((await wanted()).statusCode).toBe(200);
  const code = codeIn(await newest(/^Your code/));
  expect((await post("player/mail", { code }, token)).json()).toEqual({ address, confirmed: true });
}
const forgot = async (username: string, from?: string) =>
  (await post("login/reset", { username, language: "en" }, undefined, from)).json<{ reset: string; code?: number }>();
const choose = (given: object, from?: string) =>
  post("login/reset/password", { new_password: NEW, ...given }, undefined, from);
async function resetCode(): Promise<{ reset: string; code: string }> {
  const sent = () => server.to(address).filter(({ headers }) => headers["subject"]?.startsWith("A new password"));
  const before = sent().length;
  const { reset } = await forgot(name);
  await eventually(() => expect(sent().length).toBeGreaterThan(before));
  return { reset, code: codeIn(sent().at(-1)?.text ?? "") };
}
/** What the browser sends for a new passkey of the player. */
async function newPasskey() {
  const { ceremony, options } = (await post("player/passkeys/ask", {}, token)).json();
  const origin = `http://localhost:${new URL(String(venue.app.listeningOrigin)).port}`;
  const response = softwarePasskey("localhost").register({ origin, challenge: options.challenge });
  return { ceremony, response, name: "My phone" };
}
const queued = async (kind: string) => {
  const { rows } = await sql<{ state: string; channel: string; last_answer: string }>`
    select d.state, d.channel, d.last_answer from outbox_delivery d join outbox_fact f on f.seq = d.fact_seq
    where f.type = ${`mail.${kind}`} order by d.id`.execute(venue.db.kysely);
  return rows;
};

describe("an address", () => {
  test("is the player's once its code comes back, and the old one learns of a new one", async () => {
    expect((await venue.get("/v1/player/mail", token)).json()).toEqual({ address: null, confirmed: false });
    await confirm();
    const [mail] = server.to(address);
    expect(mail?.from).toBe("no-reply@example.test");
    expect(mail?.headers).toMatchObject({ "auto-submitted": "auto-generated", to: address });
    expect(mail?.headers["message-id"]).toMatch(/^<ml_[\w-]+@example\.test>$/);
    expect(mail?.html).toContain(codeIn(mail?.text ?? ""));
    expect((await venue.platform.players.find(id))?.email).toBe(address);

    const other = `other-${address}`;
    await wanted({ address: other, language: "tr" });
    const code = codeIn(await newest(/^Longarm kodunuz/, other));
    expect((await post("player/mail", { code }, token)).json()).toEqual({ address: other, confirmed: true });
    expect(await newest(/has changed$/)).toContain(name);
    expect(await newest(/artık bu$/, other)).toContain(name);
  });

  test("of a registration gets its code at once, in a language of the browser, and the profile says where it went", async () => {
    const email = `new-${address}`;
    const opened = await venue.app.inject({
      method: "POST",
      url: "/api/auth/register",
      headers: { "accept-language": "de-DE,AR-eg;q=0.8,en;q=0.5" },
      payload: { displayName: "Selin Ak", email: ` ${email.toUpperCase()}`, password: NEW },
    });
    const own = opened.json<{ access_token: string }>().access_token;
    const waits = { address: email, confirmed: false, sentTo: email };
    expect((await venue.get("/v1/player/mail", own)).json()).toEqual(waits);
    await eventually(() => expect(server.to(email)).toHaveLength(1));
    expect(server.to(email)[0]?.html).toContain('<html lang="ar" dir="rtl">');
    const code = codeIn(server.to(email)[0]?.text ?? "");
    expect((await post("player/mail", { code }, token)).json()).toMatchObject({ code: 60115 });
    expect((await post("player/mail", { code }, own)).json()).toEqual({ address: email, confirmed: true });
  });

  test("takes a fresh sign-in or a proof, and a name of the mail's own language", async () => {
    await sql`update auth_session set created_at = created_at - interval '11 minutes' where player_id = ${id}`.execute(
      venue.db.kysely,
    );
    expect((await wanted()).json()).toMatchObject({ code: 60058 });
    expect((await wanted({ proof: { password: "wrong" } })).json()).toMatchObject({ code: 40001 });
    expect((await wanted({ proof: { password: PASSWORD }, language: "ar" })).statusCode).toBe(200);
    await eventually(() => expect(server.to(address)).toHaveLength(1));
    expect(server.to(address)[0]?.html).toContain('<html lang="ar" dir="rtl">');
  });

  test("of somebody else stays theirs, and only who receives its mail learns that it is taken", async () => {
    await confirm();
    const owner = token;
    await venue.addPlayer(`${name}-two`);
    token = await venue.signIn(`${name}-two`);
    const spelt = address.replace(name, name.toUpperCase());
    expect((await wanted({ address: spelt })).statusCode).toBe(200);
    const code = codeIn(await newest(/^Your code/, spelt));
    expect((await post("player/mail", { code }, token)).json()).toMatchObject({ code: 60116 });
    expect((await venue.get("/v1/player/mail", owner)).json()).toEqual({ address, confirmed: true });
  });

  test("that is taken leaves the player the one that was confirmed before", async () => {
    await confirm();
    await venue.addPlayer(`${name}-two`);
    token = await venue.signIn(`${name}-two`);
    const own = `two-${address}`;
    await wanted({ address: own });
    const first = codeIn(await newest(/^Your code/, own));
    expect((await post("player/mail", { code: first }, token)).statusCode).toBe(200);
    server.mails.splice(0);
    await wanted({ address });
    const second = codeIn(await newest(/^Your code/));
    expect((await post("player/mail", { code: second }, token)).json()).toMatchObject({ code: 60116 });
    expect((await venue.get("/v1/player/mail", token)).json()).toEqual({ address: own, confirmed: true });
  });

  test.each([
    "a\r\nBcc: mallory@evil.test@example.test",
    "a@example.test\nBcc: mallory@evil.test",
    "a@example.test, mallory@evil.test",
    "Vera <a@example.test>",
    `${"a".repeat(250)}@example.test`,
    "",
  ])("%j is none", async (given) => {
    expect((await wanted({ address: given })).statusCode).toBe(400);
  });

  test("gets at most five codes in a while, and each code five tries, also when they come at once", async () => {
    await wanted();
    const code = codeIn(await newest(/^Your code/));
    const wrong = code.replaceAll(/\d/g, (figure) => String((Number(figure) + 1) % 10));
    const replies = await Promise.all(Array.from({ length: 8 }, () => post("player/mail", { code: wrong }, token)));
    expect(replies.map((reply) => reply.json().code)).toEqual(Array(8).fill(60115));
    expect((await post("player/mail", { code }, token)).json()).toMatchObject({ code: 60115 });
    for (let nth = 1; nth < 5; nth += 1) expect((await wanted()).statusCode).toBe(200);
    expect((await wanted()).json()).toMatchObject({ code: 10702 });
  });

  test("is none for a code of before a newer one, one that was used, and figures of another script are figures", async () => {
    await wanted();
    const old = codeIn(await newest(/^Your code/));
    await wanted();
    await eventually(() => expect(server.to(address)).toHaveLength(2));
    const code = codeIn(server.to(address)[1]?.text ?? "");
    expect((await post("player/mail", { code: old }, token)).json()).toMatchObject({ code: 60115 });
    const arabic = code.replaceAll(/\d/g, (figure) => String.fromCharCode(0x660 + Number(figure)));
    expect((await post("player/mail", { code: arabic }, token)).statusCode).toBe(200);
    expect((await post("player/mail", { code }, token)).json()).toMatchObject({ code: 60115 });
    expect(code.replace(" ", "")).toHaveLength(MAIL_CODE_LENGTH);
  });
});

describe("a forgotten password", () => {
  test("is replaced by the code of a mail: every sign-in ends, and a notice leaves", async () => {
    await confirm();
    expect((await venue.get("/v1/login/ways")).json()).toMatchObject({ reset: true });
    const { reset, code } = await resetCode();
    expect((await choose({ reset, code, new_password: "short" })).json()).toMatchObject({ code: 40101 });
    expect((await choose({ reset, code, new_password: `${name}  x` })).json()).toMatchObject({ code: 60052 });
    expect((await choose({ reset, code })).json()).toEqual({ code: 20000 });
    expect((await venue.get("/v1/validate", token)).statusCode).toBe(401);
    await expect(venue.signIn(name)).rejects.toThrow("10700");
    expect(await venue.signIn(name, NEW)).toBeTypeOf("string");
    expect(await newest(/^Your password/)).toContain(name);
    expect((await choose({ reset, code, new_password: "another harbour here" })).json()).toMatchObject({ code: 60115 });
  });

  test("may be requested by the address too", async () => {
    await confirm();
    const before = server.to(address).length;
    const { reset } = await forgot(` ${address.toUpperCase()}`);
    await eventually(() => expect(server.to(address).length).toBeGreaterThan(before));
    const code = codeIn(server.to(address).at(-1)?.text ?? "");
    expect((await choose({ reset, code })).json()).toEqual({ code: 20000 });
  });

  test("of no player, of one without a confirmed address, of a demo or a banned player reads and writes the same", async () => {
    await venue.addPlayer(`${name}-demo`, { demo: true, email: "demo@example.test" });
    await confirm();
    await venue.platform.auth.ban(id);
    await venue.addPlayer(`${name}-plain`, { email: "plain@example.test" });
    const sent = server.mails.length;
    const written: number[] = [];
    const rows = async () =>
      Number((await sql<{ n: string }>`select count(*) n from outgoing_mail`.execute(venue.db.kysely)).rows[0]?.n);
    await eventually(async () => expect(await rows()).toBe(0));
    const shapes = [];
    for (const typed of [name, `${name}-demo`, `${name}-plain`, "no such player", "no-one@example.test", "\0"]) {
      const answer = await post("login/reset", { username: typed, language: "en" });
      shapes.push([answer.statusCode, Object.keys(answer.json()).toSorted().join()]);
      written.push(await rows());
      const guess = await choose({ reset: answer.json().reset, code: "0000 0000" });
      shapes.push([guess.statusCode, guess.json().code]);
      await eventually(async () => expect(await rows()).toBe(0));
    }
    expect(new Set(shapes.map(String))).toEqual(new Set(["200,expiresAt,reset", "400,60115"]));
    expect(server.mails).toHaveLength(sent);
    const dropped = async () => (await queued("reset")).filter(({ state }) => state === "dropped").length;
    await eventually(async () => expect(await dropped()).toBe(6));
  });

  test("is not guessed: five tries of each code, however many come at once, and the owner's own code is not spent by a stranger", async () => {
    await confirm();
    const own = await resetCode();
    const stranger = await forgot(name, "203.0.113.9");
    const guesses = await Promise.all(
      Array.from({ length: 9 }, (_, nth) => choose({ reset: stranger.reset, code: `0000 000${nth}` }, "203.0.113.9")),
    );
    expect(guesses.map((reply) => reply.json().code)).toEqual(Array(9).fill(60115));
    expect((await choose({ reset: stranger.reset, code: own.code }, "203.0.113.9")).json()).toMatchObject({
      code: 60115,
    });
    expect((await choose(own)).json()).toEqual({ code: 20000 });
  });

  test("floods no mailbox, and a stranger's flood does not keep the owner out", async () => {
    await confirm();
    await venue.app.inject({
      method: "POST",
      url: "/v1/login",
      headers: { "x-forwarded-for": "192.0.2.44" },
      payload: { username: name, password: PASSWORD, site_id: 1 },
    });
    const codes: (number | undefined)[] = [];
    for (let nth = 0; nth < 30; nth += 1) codes.push((await forgot(name, `203.0.113.${nth}`)).code);
    expect(codes.filter((code) => code === undefined)).toHaveLength(20);
    expect((await forgot(name, "203.0.113.200")).code).toBe(10702);
    expect((await forgot(name, "192.0.2.44")).code).toBeUndefined();
  });

  test("of two codes at once changes the password once", async () => {
    await confirm();
    const [one, two] = [await resetCode(), await resetCode()];
    const replies = await Promise.all([choose(one), choose({ ...two, new_password: "another harbour here" })]);
    expect(replies.map((reply) => reply.json().code).toSorted()).toEqual([20000, 60115]);
    expect((await queued("passwordChanged")).length).toBeGreaterThan(0);
  });

  test("is over after its half hour", async () => {
    await confirm();
    const own = await resetCode();
    await sql`update mailed_code set expires_at = now() - interval '1 second' where id = ${own.reset}`.execute(
      venue.db.kysely,
    );
    expect((await choose(own)).json()).toMatchObject({ code: 60115 });
  });

  test("of a player with a passkey takes a recovery code too, and a ban holds", async () => {
    await confirm();
    expect((await post("player/passkeys", await newPasskey(), token)).statusCode).toBe(200);
    const { codes } = (await post("player/recovery-codes", {}, token)).json();
    const mine = await resetCode();
    expect((await choose(mine)).json()).toMatchObject({ code: 60117 });
    expect((await choose({ ...mine, second: "AAAA-BBBB" })).json()).toMatchObject({ code: 60117 });
    expect((await choose({ ...mine, second: codes[0] })).json()).toEqual({ code: 20000 });

    const { reset, code } = await resetCode();
    await venue.platform.auth.ban(id);
    expect((await choose({ reset, code, second: codes[1] })).json()).toMatchObject({ code: 10704 });
  });

  test("takes a code that was on its way when its key was retired", async () => {
    await confirm();
    const mine = await resetCode();
    await sql`update platform_key set retired_at = now() where purpose = 'mail' and retired_at is null`.execute(
      venue.db.kysely,
    );
    const later = await resetCode();
    expect((await choose({ ...later, code: mine.code })).json()).toMatchObject({ code: 60115 });
    expect((await choose(mine)).json()).toEqual({ code: 20000 });
  });

  test("of a player with an authenticator app takes a code of it too", async () => {
    await confirm();
    const { ceremony, secret } = (await post("player/app/ask", {}, token)).json();
    const codeAt = authenticatorApp(secret, venue.clock);
    const paired = codeAt(-1);
    expect((await post("player/app", { ceremony, code: paired }, token)).statusCode).toBe(200);
    const mine = await resetCode();
    expect((await choose(mine)).json()).toMatchObject({ code: 60117 });
    expect((await choose({ ...mine, second: paired })).json()).toMatchObject({ code: 60117 });
    expect((await choose({ ...mine, second: codeAt() })).json()).toEqual({ code: 20000 });
  });
});

describe("a notice", () => {
  const signInFrom = (from: string, device: string) =>
    post("login", { username: name, password: PASSWORD, site_id: 1 }, undefined, from, device);

  test("leaves for a new browser or network, and for neither again", async () => {
    await confirm();
    const count = async () => (await queued("newSignIn")).length;
    const before = await count();
    await signInFrom("198.51.100.20", "Mozilla/5.0 (Windows NT 10.0) Chrome/141.0 Safari/537.36");
    expect(await count()).toBe(before + 1);
    const text = await newest(/^A new log-in/);
    expect(text).toContain("Chrome, Windows · 198.51.100.20");
    await signInFrom("198.51.100.20", "Mozilla/5.0 (Windows NT 10.0) Chrome/142.3 Safari/537.36");
    expect(await count()).toBe(before + 1);
    await signInFrom("198.51.100.20", "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0");
    await signInFrom("192.0.2.1", "Mozilla/5.0 (Windows NT 10.0) Chrome/142.3 Safari/537.36");
    expect(await count()).toBe(before + 3);
  });

  test("of a changed password leaves with the change, and nothing of a player's becomes markup or a header", async () => {
    await confirm();
    const reply = await post("player/password", { old_password: PASSWORD, new_password: NEW }, token);
    expect(reply.statusCode).toBe(200);
    expect(await newest(/^Your password/)).toContain(name);
    await signInFrom("198.51.100.21", "x");
    await post(
      "login",
      { username: name, password: NEW, site_id: 1 },
      undefined,
      "198.51.100.22",
      "<img src=x onerror=1>",
    );
    await newest(/^A new log-in/);
    expect(server.to(address).at(-1)?.html).not.toContain("<img");
  });
});

describe("a notice of a change", () => {
  const counts = async () =>
    await Promise.all(
      ["passkeyAdded", "passkeyRemoved", "appAdded", "appRemoved"].map(async (kind) => (await queued(kind)).length),
    );

  test("of a passkey leaves with it, once, and none with what was refused", async () => {
    await confirm();
    const [added = 0, removed = 0, ...rest] = await counts();
    const given = await newPasskey();
    const { passkeys } = (await post("player/passkeys", given, token)).json();
    expect(await newest(/^A new passkey/)).toContain(name);
    expect((await post("player/passkeys", given, token)).json()).toMatchObject({ code: 60055 });
    const remove = (which: string) => post(`player/passkeys/${which}/remove`, {}, token);
    expect((await remove("pk_of_no_player")).statusCode).toBe(404);
    expect(await counts()).toEqual([added + 1, removed, ...rest]);
    expect((await remove(passkeys[0].id)).statusCode).toBe(200);
    expect(await newest(/^A passkey at/)).toContain(name);
    expect(await counts()).toEqual([added + 1, removed + 1, ...rest]);
  });

  test("of an authenticator app too", async () => {
    await confirm();
    const [passkeys, gone, added = 0, removed = 0] = await counts();
    const { ceremony, secret } = (await post("player/app/ask", {}, token)).json();
    const add = (code: string) => post("player/app", { ceremony, code }, token);
    expect((await add("000 00")).json()).toMatchObject({ code: 60119 });
    expect((await add(authenticatorApp(secret, venue.clock)())).statusCode).toBe(200);
    expect(await newest(/^An authenticator app/)).toContain(name);
    expect(await counts()).toEqual([passkeys, gone, added + 1, removed]);
    expect((await post("player/app/remove", {}, token)).statusCode).toBe(200);
    expect(await newest(/^The authenticator app/)).toContain(name);
    expect((await post("player/app/remove", {}, token)).statusCode).toBe(404);
    expect(await counts()).toEqual([passkeys, gone, added + 1, removed + 1]);
  });

  test("leaves for no player without a confirmed address, and the change is made", async () => {
    const before = await counts();
    expect((await post("player/passkeys", await newPasskey(), token)).statusCode).toBe(200);
    expect(await counts()).toEqual(before);
  });
});

describe("the server", () => {
  test("that fails is tried again with the same mail; a mailbox that is not there ends it quietly", async () => {
    server.fail("later");
    await wanted();
    await eventually(async () => expect((await queued("confirm")).at(-1)?.last_answer).toContain("451"));
    server.fail("none");
    await sql`update outbox_delivery set due_at = clock_timestamp() where state = 'waiting' and channel = 'mail'`.execute(
      venue.db.kysely,
    );
    expect(codeIn(await newest(/^Your code/))).toHaveLength(9);

    server.fail("unknown");
    await wanted();
    await eventually(async () => expect((await queued("confirm")).at(-1)).toMatchObject({ state: "dropped" }));
    expect(JSON.stringify(await queued("confirm"))).not.toContain("vera@");
    const { rows } = await sql`select from outgoing_mail where address = ${address}`.execute(venue.db.kysely);
    expect(rows).toEqual([]);
  });

  test("that keeps failing until the code is over is a dead delivery, which staff sees", async () => {
    server.fail("later");
    await wanted();
    await eventually(async () => expect((await queued("confirm")).at(-1)?.last_answer).toContain("451"));
    await sql`update outgoing_mail set good_until = now()`.execute(venue.db.kysely);
    await sql`update outbox_delivery set due_at = clock_timestamp() where state = 'waiting' and channel = 'mail'`.execute(
      venue.db.kysely,
    );
    await eventually(async () => expect((await queued("confirm")).at(-1)).toMatchObject({ state: "dead" }));
    expect(venue.lines.some((line) => line.includes('"alarm":"delivery"'))).toBe(true);
  });

  test("no code, address or name of a mail is in a fact, and no webhook receives one", async () => {
    await confirm();
    const { rows } = await sql<{
      data: object;
      subject: string;
    }>`select data, subject from outbox_fact where type like 'mail.%'`.execute(venue.db.kysely);
    expect(rows.every(({ data, subject }) => JSON.stringify(data) === "{}" && subject.startsWith("mail:ml_"))).toBe(
      true,
    );
    expect(venue.lines.join("\n")).not.toMatch(new RegExp(`${address}|${codeIn(server.to(address)[0]?.text ?? "x")}`));
  });
});

describe("what staff does", () => {
  const removed = /^Your passkeys at .* were removed$/;
  const arrived = (subject: RegExp) =>
    server.to(address).filter(({ headers }) => subject.test(headers["subject"] ?? ""));

  test("to passkeys, codes and app, or to the password, is mailed to the player; what was refused is not", async () => {
    const okan = await staffMember({ platform: venue.platform, db: venue.db }, "okan", ["supervisor"]);
    const remove = () => okan.act("removePlayerKeys", { id }, { reason: "a lost phone" });
    await confirm();
    expect((await remove()).status).toBe(409);
    expect((await post("player/passkeys", await newPasskey(), token)).statusCode).toBe(200);
    expect((await remove()).body).toMatchObject({ is: "done" });
    expect(await newest(removed)).toContain(name);
    expect((await okan.act("newPlayerPassword", { id }, { reason: "forgotten" })).body).toMatchObject({ is: "done" });
    expect(await newest(/^Your password at .* has changed$/)).toContain(name);
    expect(arrived(removed)).toHaveLength(1);
  });

  test("on the command line is mailed by the running platform, where the command knows of the mail server", async () => {
    await confirm();
    expect((await post("player/passkeys", await newPasskey(), token)).statusCode).toBe(200);
    const known = { DATABASE_URL: venue.db.url, SMTP_URL: server.url, MAIL_FROM: "no-reply@example.test" };
    const typed = { environment: known, answer: "yes", beginWithinMs: 1 };
    expect(await longarm(["players", "remove-keys", name], typed)).toMatchObject({ code: 0 });
    expect(await newest(removed)).toContain(name);
    expect(await longarm(["players", "remove-keys", name], typed)).toMatchObject({ code: 0 });
    await longarm(["players", "password", name, "--generate"], {
      ...typed,
      environment: { DATABASE_URL: venue.db.url },
    });
    await longarm(["players", "password", name, "--generate"], typed);
    await newest(/^Your password at .* has changed$/);
    expect(arrived(removed)).toHaveLength(1);
    expect(arrived(/^Your password at/)).toHaveLength(1);
  });
});

import { PLAYER_CODES, PLAYER_PASSKEYS_MAX } from "@longarm/contract/player-keys";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { authenticatorApp } from "../../../testing/authenticator-app.ts";
import type { SoftwarePasskey } from "../../../testing/software-passkey.ts";
import { softwarePasskey } from "../../../testing/software-passkey.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { PASSWORD, testVenue } from "../../../testing/test-venue.ts";
import type { PasskeyTables } from "../passkeys/index.ts";
import { removeAllKeys } from "../passkeys/index.ts";

const ORIGIN = "https://play.example.org";
const OTHER = "https://m.example.org";
const SITE = "example.org";

let venue: TestVenue;
let id: string;
let name: string;
let token: string;
let players = 0;

beforeAll(async () => {
  venue = await testVenue({
    env: {
      PUBLIC_URL: ORIGIN,
      ALLOWED_ORIGINS: `${OTHER},https://play.example.com`,
      PASSKEY_DOMAIN: SITE,
      LOGINS_PER_MINUTE_ADDRESS: "10000",
      LOGIN_ATTEMPTS: "3",
    },
  });
});
afterAll(() => venue.close());
beforeEach(async () => {
  players += 1;
  name = `keeper${players}`;
  id = await venue.addPlayer(name, { pin: "4711" });
  token = await venue.signIn(name);
});

type Begun = { ceremony: string; options: { challenge: string; allowCredentials?: { id: string }[] } };
const post = (path: string, payload: object = {}, withToken?: string, remoteAddress = "127.0.0.1") =>
  venue.app.inject({
    method: "POST",
    remoteAddress,
    url: `/v1/${path}`,
    headers: { host: "play.example.org", ...(withToken && { authorization: `Bearer ${withToken}` }) },
    payload,
  });
const own = (path: string, payload?: object, withToken = token) => post(`player/${path}`, payload, withToken);
const keys = async (withToken = token) =>
  (await venue.get("/v1/player/passkeys", withToken, { host: "play.example.org" })).json();

async function enrol(withToken = token, key: SoftwarePasskey = softwarePasskey(SITE), origin = ORIGIN) {
  const { ceremony, options } = (await own("passkeys/ask", {}, withToken)).json<Begun>();
  const response = key.register({ origin, challenge: options.challenge });
  return { key, reply: await own("passkeys", { ceremony, response, name: "My phone" }, withToken) };
}
async function answer(key: SoftwarePasskey, origin = ORIGIN, flags = {}) {
  const { ceremony, options } = (await post("login/passkey/ask")).json<Begun>();
  return { ceremony, response: key.sign({ origin, challenge: options.challenge }, flags) };
}
const signIn = async (given: object) => await post("login/passkey", { ...given, site_id: 2011 });
async function confirm(key: SoftwarePasskey, act: string, withToken = token) {
  const { ceremony, options } = (await own("confirm/ask", { act }, withToken)).json<Begun>();
  return { ceremony, response: key.sign({ origin: ORIGIN, challenge: options.challenge }) };
}
/** As if the sign-in had been made so long ago. */
const ageSignIns = () =>
  sql`update auth_session set created_at = created_at - interval '11 minutes' where player_id = ${id}`.execute(
    venue.db.kysely,
  );

describe("a passkey of a player", () => {
  test("is added after a fresh sign-in, signs in like the password, and says when it was used", async () => {
    const { key, reply } = await enrol();
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toMatchObject({ passkeys: [{ name: "My phone", usedAt: null }], keepsLast: false });

    const signedIn = await signIn(await answer(key));
    expect(signedIn.statusCode).toBe(200);
    expect(signedIn.headers["cache-control"]).toBe("no-store");
    const byPassword = await post("login", { username: name, password: PASSWORD, site_id: 2011 });
    expect(Object.keys(signedIn.json()).toSorted()).toEqual(Object.keys(byPassword.json()).toSorted());
    expect((await keys(signedIn.json().token)).passkeys[0].usedAt).not.toBeNull();
    const rows = await venue.db.kysely
      .withTables<{ "audit.entries": { type: string; subject: string; facts: unknown } }>()
      .selectFrom("audit.entries")
      .select(["type", "facts"])
      .where("subject", "=", `player:${id}`)
      .execute();
    expect(rows.map(({ type }) => type)).toEqual(expect.arrayContaining(["player.passkey", "success"]));
    expect(rows).toContainEqual({ type: "success", facts: { how: "passkey" } });
    expect(JSON.stringify(rows)).not.toContain(key.id);
  });

  test("is good on every origin of the site, and on no other", async () => {
    const { key } = await enrol();
    expect((await signIn(await answer(key, OTHER))).statusCode).toBe(200);
    for (const origin of ["https://play.example.com", "https://evil.example.org", "http://play.example.org"])
      expect((await signIn(await answer(key, origin))).json()).toMatchObject({ code: 60055 });
    expect((await enrol(token, softwarePasskey(SITE), "https://evil.example.org")).reply.json().code).toBe(60055);
    expect((await enrol(token, softwarePasskey("example.com"))).reply.json().code).toBe(60055);
  });

  test("answers each challenge once, in time, with the person verified, and never with an older counter", async () => {
    const { key } = await enrol();
    const given = await answer(key);
    expect((await signIn(given)).statusCode).toBe(200);
    expect((await signIn(given)).json()).toMatchObject({ code: 60055 });
    expect((await signIn(await answer(key, ORIGIN, { verified: false }))).json()).toMatchObject({ code: 60055 });

    const late = await answer(key);
    await sql`update player_ceremony set expires_at = now() - interval '1 second'`.execute(venue.db.kysely);
    expect((await signIn(late)).json()).toMatchObject({ code: 60055 });

    key.rewind();
    expect((await signIn(await answer(key))).json()).toMatchObject({ code: 60055 });
  });

  test("that is not known, or was removed, is refused without a word about anybody", async () => {
    const stranger = await signIn(await answer(softwarePasskey(SITE)));
    expect(stranger.statusCode).toBe(401);
    expect(stranger.json()).toEqual({ code: 60054, ErrorMessage: "This passkey is not known here, or was removed" });
    const { key, reply } = await enrol();
    await own(`passkeys/${reply.json().passkeys[0].id}/remove`);
    expect((await signIn(await answer(key))).body).toBe(stranger.body);
  });

  test("is counted with wrong passwords, and a blocked name is blocked for both", async () => {
    const { key } = await enrol();
    for (let nth = 0; nth < 3; nth += 1) await post("login", { username: name, password: "wrong", site_id: 1 });
    const byPassword = await post("login", { username: name, password: PASSWORD, site_id: 1 });
    expect(byPassword.json()).toMatchObject({ code: 10702 });
    expect((await signIn(await answer(key))).body).toBe(byPassword.body);
  });

  test("of a banned player answers as the password does", async () => {
    const { key } = await enrol();
    await venue.platform.auth.ban(id);
    const byPassword = await post("login", { username: name, password: PASSWORD, site_id: 1 });
    const byPasskey = await signIn(await answer(key));
    expect(byPasskey.json()).toMatchObject({ code: 10704 });
    expect(byPasskey.body).toBe(byPassword.body);
  });

  test("of an excluded player opens what the password opens, with the exclusion", async () => {
    const { key } = await enrol();
    await own("breaks", { kind: "exclusion", months: 6 });
    const byPassword = await post("login", { username: name, password: PASSWORD, site_id: 1 });
    const byPasskey = await signIn(await answer(key));
    const [one, other] = [byPassword.json(), byPasskey.json()];
    expect(byPasskey.statusCode).toBe(byPassword.statusCode);
    for (const { token: opened } of [one, other]) {
      const reply = await venue.get("/v1/player/breaks", opened);
      expect(reply.json()).toMatchObject({ closed: { kind: "exclusion" } });
    }
  });

  test("is removed at the desk with every other one, its recovery codes and its sign-ins; the password stays", async () => {
    const { key } = await enrol();
    const { codes } = (await own("recovery-codes")).json<{ codes: string[] }>();
    const opened = (await signIn(await answer(key))).json<{ token: string }>().token;
    const had = await venue.db.kysely
      .transaction()
      .execute((trx) => removeAllKeys(trx.withTables<PasskeyTables>(), id));
    expect(had).toEqual({ passkeys: 1, recoveryCodes: codes.length, hasApp: false, hasLink: false });
    expect((await signIn(await answer(key))).json()).toMatchObject({ code: 60054 });
    expect((await keys(opened)).passkeys).toEqual([]);
    expect((await post("login", { username: name, password: PASSWORD, site_id: 1 })).statusCode).toBe(200);
  });

  test("of another player neither confirms, nor is renamed or removed, nor added twice", async () => {
    const { key, reply } = await enrol();
    const { id: keyId } = reply.json().passkeys[0];
    const mallory = `mallory${players}`;
    await venue.addPlayer(mallory);
    const hers = await venue.signIn(mallory);
    expect((await own(`passkeys/${keyId}/name`, { name: "mine" }, hers)).statusCode).toBe(404);
    expect((await own(`passkeys/${keyId}/remove`, {}, hers)).statusCode).toBe(404);
    expect((await enrol(hers, key)).reply.json()).toMatchObject({ code: 60055 });
    expect((await own("confirm/ask", { act: "password" }, hers)).statusCode).toBe(404);
    const { key: own2 } = await enrol(hers);
    const { ceremony, options } = (await own("confirm/ask", { act: "password" }, hers)).json<Begun>();
    expect(options.allowCredentials).toEqual([expect.objectContaining({ id: own2.id })]);
    const response = key.sign({ origin: ORIGIN, challenge: options.challenge });
    const taken = await own("password", { passkey: { ceremony, response }, new_password: "sunfish reef 99" }, hers);
    expect(taken.json()).toMatchObject({ code: 60055 });
    expect((await keys()).passkeys).toHaveLength(1);
  });

  test("may be renamed, and its player may have twenty", async () => {
    const { reply } = await enrol();
    const { id: keyId } = reply.json().passkeys[0];
    expect((await own(`passkeys/${keyId}/name`, { name: "  iPhone " })).json().passkeys[0].name).toBe("iPhone");
    for (const bad of ["", "   ", "two\nlines", "x".repeat(61), "\u0000", "\ud800"])
      expect((await own(`passkeys/${keyId}/name`, { name: bad })).statusCode, JSON.stringify(bad)).toBe(400);
    for (let nth = 1; nth < PLAYER_PASSKEYS_MAX; nth += 1) expect((await enrol()).reply.statusCode).toBe(200);
    expect((await enrol()).reply.json()).toMatchObject({ code: 60057 });
  });
});

describe("a change of passkeys", () => {
  test("takes a fresh sign-in, the password, or a passkey", async () => {
    const { key, reply } = await enrol();
    await ageSignIns();
    expect((await keys()).freshUntil).toBeNull();
    const path = `passkeys/${reply.json().passkeys[0].id}/remove`;
    for (const each of ["passkeys/ask", "recovery-codes", path])
      expect((await own(each)).json(), each).toMatchObject({ code: 60058 });
    expect((await own("passkeys/ask", { proof: { password: "wrong" } })).json()).toMatchObject({ code: 40001 });
    expect((await own("passkeys/ask", { proof: { password: PASSWORD } })).statusCode).toBe(200);
    expect((await own("passkeys/ask", { proof: await confirm(key, "passkeys") })).statusCode).toBe(200);
    // An answer for another act, and another sign-in's, are none.
    expect((await own("passkeys/ask", { proof: await confirm(key, "pin") })).json().code).toBe(60055);
    const second = await venue.signIn(name);
    const proof = await confirm(key, "passkeys", second);
    expect((await own("passkeys/ask", { proof })).json().code).toBe(60055);
    expect((await own(path, { proof: { password: PASSWORD } })).json().passkeys).toEqual([]);
  });

  test("that removes one ends the sign-ins that it made, and no other", async () => {
    const { key, reply } = await enrol();
    const made = (await signIn(await answer(key))).json().token;
    await own(`passkeys/${reply.json().passkeys[0].id}/remove`);
    expect((await venue.get("/v1/player/balance", made)).statusCode).toBe(401);
    expect((await venue.get("/v1/player/balance", token)).statusCode).toBe(200);
  });

  test("never takes the last way to sign in", async () => {
    const { reply } = await enrol();
    await sql`update player set password = '' where id = ${id}`.execute(venue.db.kysely);
    const path = `passkeys/${reply.json().passkeys[0].id}/remove`;
    expect((await keys()).keepsLast).toBe(true);
    expect((await own(path)).json()).toMatchObject({ code: 60056 });
    expect((await post("login", { username: name, password: "x", site_id: 1 })).json()).toMatchObject({ code: 10700 });
    await enrol();
    // Two at once: one of them stays.
    const [first, second] = (await keys()).passkeys as { id: string }[];
    const replies = await Promise.all([first, second].map((one) => own(`passkeys/${one?.id}/remove`)));
    expect(replies.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409]);
    expect((await keys()).passkeys).toHaveLength(1);
  });
});

describe("in place of the password", () => {
  test("a passkey changes the password, sets the PIN and opens the idle lock", async () => {
    const { key } = await enrol();
    const changed = await own("password", {
      passkey: await confirm(key, "password"),
      new_password: "sunfish over the reef",
    });
    expect(changed.json()).toEqual({ code: 20000 });
    expect((await post("login", { username: name, password: "sunfish over the reef", site_id: 1 })).statusCode).toBe(
      200,
    );
    expect((await own("pin", { passkey: await confirm(key, "pin"), pin: "8264" })).json()).toEqual({ code: 20000 });

    await own("lock");
    expect((await own("confirm/ask", { act: "password" })).statusCode).toBe(423);
    expect((await own("unlock", {})).statusCode).toBe(400);
    expect((await own("unlock", { passkey: await confirm(key, "unlock") })).json()).toEqual({ code: 20000 });
    expect((await venue.get("/v1/player/balance", token)).statusCode).toBe(200);
  });

  test("wrong answers are counted: at the password like wrong ones, at the lock like wrong PINs", async () => {
    const { key } = await enrol();
    const wrong = async (act: string) => ({ passkey: { ...(await confirm(key, act)), ceremony: "ce_nothing" } });
    for (let nth = 0; nth < 3; nth += 1)
      expect((await own("pin", { ...(await wrong("pin")), pin: "8264" })).json().code).toBe(60055);
    expect((await own("pin", { ...(await wrong("pin")), pin: "8264" })).json().code).toBe(10702);
    await own("lock");
    for (let nth = 0; nth < 4; nth += 1) expect((await own("unlock", await wrong("unlock"))).json().code).toBe(60055);
    expect((await own("unlock", await wrong("unlock"))).statusCode).toBe(401);
    expect((await venue.get("/v1/validate", token)).statusCode).toBe(401);
  });
});

describe("an authenticator app", () => {
  type NewApp = { ceremony: string; secret: string; otpauth: string };
  const logIn = (code?: string, from?: string) =>
    post("login", { username: name, password: PASSWORD, site_id: 2011, ...(code && { code }) }, undefined, from);
  const askApp = async (payload: object = {}, withToken = token) => await own("app/ask", payload, withToken);
  const forgetTries = () => sql`delete from login_attempt`.execute(venue.db.kysely);
  const halfAMinuteLater = () =>
    sql`update player_totp set totp_step = 1 where player_id = ${id}`.execute(venue.db.kysely);

  /** The app of a player who has one now, and the recovery codes that came with it. */
  async function pair(withToken = token) {
    const { ceremony, secret } = (await askApp({}, withToken)).json<NewApp>();
    const codeAt = authenticatorApp(secret, venue.clock);
    const reply = await own("app", { ceremony, code: codeAt(-1) }, withToken);
    expect(reply.statusCode).toBe(200);
    return { codeAt, codes: reply.json<{ codes: string[] }>().codes };
  }

  test("is added by its first code, with recovery codes where none were left", async () => {
    const begun = await askApp();
    expect(begun.headers["cache-control"]).toBe("no-store");
    const { ceremony, secret, otpauth } = begun.json<NewApp>();
    expect(otpauth).toBe(`otpauth://totp/Longarm:${name}?secret=${secret}&issuer=Longarm`);
    const codeAt = authenticatorApp(secret, venue.clock);
    expect((await keys()).appSince).toBeNull();
    expect((await own("app", { ceremony, code: codeAt(-5) })).json()).toMatchObject({ code: 60119 });
    expect((await logIn()).statusCode).toBe(200);
    const added = (await own("app", { ceremony, code: `${codeAt().slice(0, 3)} ${codeAt().slice(3)}` })).json();
    expect(added).toMatchObject({ appSince: expect.any(String), codesLeft: PLAYER_CODES });
    expect(added.codes).toHaveLength(PLAYER_CODES);
    expect((await own("app", { ceremony, code: codeAt(1) })).statusCode).toBe(404);

    const rows = await sql`select * from player_totp where player_id = ${id}`.execute(venue.db.kysely);
    const log = await sql`select * from audit.entries where subject = ${`player:${id}`}`.execute(venue.db.kysely);
    expect(JSON.stringify(log.rows)).toContain("player.app");
    for (const kept of [rows.rows, log.rows]) expect(JSON.stringify(kept)).not.toContain(secret);
    // Nor the sealed secret.
    expect(JSON.stringify(log.rows)).not.toContain("\\\\x");
  });

  test("is wanted after the right password alone, and each code signs in once", async () => {
    const { codeAt, codes } = await pair();
    const wrongPassword = await post("login", { username: name, password: "wrong", site_id: 1, code: codeAt() });
    expect(wrongPassword.json()).toMatchObject({ code: 10700 });
    const needed = await logIn();
    expect(needed.statusCode).toBe(403);
    expect(needed.json()).toMatchObject({ code: 60118 });
    expect(needed.json().token).toBeUndefined();
    await forgetTries();
    const [paired, now] = [codeAt(-1), codeAt()];
    const both = await Promise.all([logIn(now), logIn(now)]);
    expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400]);
    // The code of its pairing, and one that was used.
    for (const old of [paired, now]) expect((await logIn(old)).json().code, old).not.toBe(20_000);
    await forgetTries();
    expect((await logIn(codes[0])).statusCode).toBe(200);
    expect((await logIn(codes[0])).json()).toMatchObject({ code: 60119 });
    const arabic = codeAt(1).replaceAll(/\d/g, (figure) => String.fromCharCode(0x660 + Number(figure)));
    expect((await logIn(arabic)).statusCode).toBe(200);
  });

  test("is not guessed: wrong codes from everywhere count together, and other ways stay open", async () => {
    const { codeAt } = await pair();
    const { key } = await enrol();
    for (let nth = 0; nth < 3; nth += 1)
      expect((await logIn("000000", `10.0.${nth}.1`)).json()).toMatchObject({ code: 60119 });
    expect((await logIn(codeAt(), "10.0.9.1")).json()).toMatchObject({ code: 10702 });
    expect((await logIn(codeAt(1))).json()).toMatchObject({ code: 10702 });
    expect((await signIn(await answer(key))).statusCode).toBe(200);
  });

  test("is neither added nor removed by a stolen sign-in, nor with the password alone", async () => {
    await ageSignIns();
    expect((await askApp()).json()).toMatchObject({ code: 60058 });
    expect((await askApp({ proof: { code: "123456" } })).json()).toMatchObject({ code: 60119 });
    expect((await askApp({ proof: { password: PASSWORD } })).statusCode).toBe(200);

    await sql`update auth_session set created_at = now() where player_id = ${id}`.execute(venue.db.kysely);
    const { codeAt } = await pair();
    await ageSignIns();
    await halfAMinuteLater();
    for (const each of ["app/ask", "app/remove", "passkeys/ask", "recovery-codes"]) {
      expect((await own(each)).json(), each).toMatchObject({ code: 60058 });
      expect((await own(each, { proof: { password: PASSWORD } })).json(), each).toMatchObject({ code: 60118 });
    }
    expect((await keys()).appSince).not.toBeNull();
    expect((await own("app/remove", { proof: { code: codeAt() } })).json().appSince).toBeNull();
    expect((await own("app/remove", { proof: { password: PASSWORD } })).statusCode).toBe(404);
    expect((await logIn()).statusCode).toBe(200);
  });

  test("confirms each change by another code, and wrong ones are counted as wrong passwords are", async () => {
    const { codeAt } = await pair();
    await ageSignIns();
    const proof = { code: codeAt() };
    expect((await own("passkeys/ask", { proof })).statusCode).toBe(200);
    expect((await own("passkeys/ask", { proof })).json()).toMatchObject({ code: 60119 });
    for (let nth = 1; nth < 3; nth += 1) await own("passkeys/ask", { proof: { code: "000000" } });
    expect((await own("passkeys/ask", { proof: { code: codeAt(1) } })).json()).toMatchObject({ code: 10702 });
    // The owner's own sign-in is not blocked by a thief of the token.
    expect((await logIn(codeAt(1))).statusCode).toBe(200);
  });

  test("moves to another phone in one step, and the old one is over", async () => {
    const before = await pair();
    const { ceremony, secret } = (await askApp()).json<NewApp>();
    const codeAt = authenticatorApp(secret, venue.clock);
    await own("app", { ceremony, code: codeAt(-1) });
    expect((await logIn(before.codeAt(1))).json()).toMatchObject({ code: 60119 });
    expect((await logIn(codeAt())).statusCode).toBe(200);
  });

  test("of another player or sign-in is not confirmed, and a secret that was moved to another player opens nothing", async () => {
    const mallory = `mallow${players}`;
    const malloryId = await venue.addPlayer(mallory);
    const hers = await venue.signIn(mallory);
    const { ceremony, secret } = (await askApp()).json<NewApp>();
    const code = authenticatorApp(secret, venue.clock)();
    for (const other of [hers, await venue.signIn(name)])
      expect((await own("app", { ceremony, code }, other)).statusCode).toBe(404);

    await pair();
    const { codeAt } = await pair(hers);
    await sql`update player_totp set totp_step = 1, totp = (select totp from player_totp where player_id = ${malloryId})
      where player_id = ${id}`.execute(venue.db.kysely);
    const reply = await logIn(codeAt());
    expect(reply.statusCode).not.toBe(200);
    expect(reply.json().token).toBeUndefined();
  });

  test("waits a quarter of an hour for its first code, and goes at the desk with everything else", async () => {
    const { ceremony, secret } = (await askApp()).json<NewApp>();
    await sql`update player_ceremony set expires_at = now() - interval '1 second' where id = ${ceremony}`.execute(
      venue.db.kysely,
    );
    const code = authenticatorApp(secret, venue.clock)();
    expect((await own("app", { ceremony, code })).statusCode).toBe(404);
    await pair();
    expect((await logIn()).json()).toMatchObject({ code: 60118 });
    const had = await venue.db.kysely
      .transaction()
      .execute((trx) => removeAllKeys(trx.withTables<PasskeyTables>(), id));
    expect(had).toEqual({ passkeys: 0, recoveryCodes: PLAYER_CODES, hasApp: true, hasLink: false });
    expect((await logIn()).statusCode).toBe(200);
  });

  test("is not for a demo player, who is everybody", async () => {
    await sql`update player set demo = true where id = ${id}`.execute(venue.db.kysely);
    expect((await askApp()).statusCode).toBe(404);
    expect(await keys()).not.toHaveProperty("appSince");
  });
});

describe("recovery codes", () => {
  const byCode = (code: string, username = name) => post("login/code", { username, code, site_id: 2011 });

  test("sign in once each, however they are typed; new ones replace the old", async () => {
    const { codes } = (await own("recovery-codes")).json<{ codes: string[] }>();
    expect(codes).toHaveLength(PLAYER_CODES);
    expect(new Set(codes).size).toBe(PLAYER_CODES);
    const [first = "", second = ""] = codes;
    expect((await byCode(first.toLowerCase().replaceAll("-", " "))).statusCode).toBe(200);
    expect((await byCode(first)).json()).toMatchObject({ code: 10700 });
    expect((await keys()).codesLeft).toBe(PLAYER_CODES - 1);
    await own("recovery-codes");
    expect((await byCode(second)).json()).toMatchObject({ code: 10700 });
    const rows = await sql`select * from player_recovery_code where player_id = ${id}`.execute(venue.db.kysely);
    expect(JSON.stringify(rows.rows)).not.toContain(codes[3]);
  });

  test("of an unknown name read as of a known one, and are counted and blocked", async () => {
    const unknown = await byCode("AAAA", `stranger${players}`);
    const known = await byCode("AAAA");
    expect(known.statusCode).toBe(401);
    expect(known.body).toBe(unknown.body);
    await byCode("AAAA");
    await byCode("AAAA");
    const { codes } = (await own("recovery-codes")).json<{ codes: string[] }>();
    expect((await byCode(codes[0] ?? "")).json()).toMatchObject({ code: 10702 });
  });
});

describe("open sign-ins", () => {
  const list = async (withToken = token) =>
    (await venue.get("/v1/player/sign-ins", withToken)).json<{ signIns: Record<string, unknown>[] }>().signIns;

  test("are listed with their device, and may be ended one by one, or all others", async () => {
    const phone = await venue.app.inject({
      method: "POST",
      url: "/v1/login",
      headers: { "user-agent": "Mozilla/5.0 (iPhone) <b>\u00e9" },
      payload: { username: name, password: PASSWORD, site_id: 2011 },
    });
    const tablet = await venue.signIn(name);
    const rows = await list();
    expect(rows).toHaveLength(3);
    expect(rows.filter(({ isThis }) => isThis)).toHaveLength(1);
    const row = rows.find(({ device }) => String(device).includes("iPhone"));
    expect(row).toMatchObject({ how: "password", isThis: false, device: "Mozilla/5.0 (iPhone) <b>" });
    expect((await own(`sign-ins/${row?.["id"]}/end`)).json()).toEqual({ code: 20000 });
    expect((await venue.get("/v1/player/balance", phone.json().token)).statusCode).toBe(401);
    expect((await own(`sign-ins/${row?.["id"]}/end`)).statusCode).toBe(404);
    expect((await own("sign-ins/end")).json()).toEqual({ code: 20000 });
    expect((await venue.get("/v1/player/balance", tablet)).statusCode).toBe(401);
    expect(await list()).toHaveLength(1);
  });

  test("of another player are not to be had", async () => {
    const mallory = `mallet${players}`;
    await venue.addPlayer(mallory);
    const hers = await venue.signIn(mallory);
    const [mine] = await list();
    expect((await own(`sign-ins/${mine?.["id"]}/end`, {}, hers)).statusCode).toBe(404);
    expect((await venue.get("/v1/player/balance", token)).statusCode).toBe(200);
  });
});

describe("hostile answers of a passkey", () => {
  test.each([
    ["rubbish where base64url is expected", (good: Answer) => ({ ...good, response: with_(good, "!!") })],
    ["valid base64url of nothing", (good: Answer) => ({ ...good, response: with_(good, "AAAA") })],
    ["a huge signature", (good: Answer) => ({ ...good, response: with_(good, "A".repeat(3_000)) })],
    ["a body beyond the limit", (good: Answer) => ({ ...good, response: with_(good, "A".repeat(20_000)) })],
    ["no response", ({ ceremony }: Answer) => ({ ceremony, response: {} })],
    ["more fields than there are", (good: Answer) => ({ ...good, admin: true })],
    ["a thousand extension results", (good: Answer) => ({ ...good, response: extended(good) })],
    ["a list for a text", (good: Answer) => ({ ...good, ceremony: [good.ceremony] })],
  ])("%s is refused, and the platform lives", async (_what, spoil) => {
    const { key } = await enrol();
    const reply = await signIn(spoil((await answer(key)) as Answer));
    expect([400, 413]).toContain(reply.statusCode);
    expect((await signIn(await answer(key))).statusCode).toBe(200);
  });

  type Answer = { ceremony: string; response: { response: object } & Record<string, unknown> };
  const with_ = ({ response }: Answer, signature: string) => ({
    ...response,
    response: { ...response.response, signature },
  });
  const extended = ({ response }: Answer) => ({
    ...response,
    clientExtensionResults: Object.fromEntries(Array.from({ length: 2_000 }, (_, nth) => [`e${nth}`, nth])),
  });
});

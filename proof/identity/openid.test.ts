import type { MailServer } from "@longarm/platform/testing/mail-server";
import { openMailServer } from "@longarm/platform/testing/mail-server";
import { eventually } from "@longarm/platform/testing/play-venue";
import type { TestVenue } from "@longarm/platform/testing/test-venue";
import { PASSWORD, testVenue } from "@longarm/platform/testing/test-venue";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { IssuerFault, SimulatedIssuer } from "../../rig/simulated-issuer/server.ts";
import { ISSUER_FAULTS, serveSimulatedIssuer } from "../../rig/simulated-issuer/server.ts";

/* Players sign in with an issuer of OpenID Connect: who is in, who is not, and what an issuer that lies or fails changes. */

const ORIGIN = "https://play.example.org";
const OTHER = "https://m.example.org";
const CLIENT = { clientId: "longarm", clientSecret: "a secret of the client, long enough" };
const [AWAY, REFUSED, UNLINKED, KNOWN, TAKEN] = [60110, 60111, 60112, 60113, 60114];

let issuer: SimulatedIssuer;
let mails: MailServer;
/** Opens accounts; `strict` does not, on the same database. */
let venue: TestVenue;
let strict: TestVenue;
let people = 0;

beforeAll(async () => {
  mails = await openMailServer();
  issuer = await serveSimulatedIssuer({
    ...CLIENT,
    redirectUris: () => [`${ORIGIN}/callback`, `${OTHER}/callback`],
  });
  const env = {
    PUBLIC_URL: ORIGIN,
    ALLOWED_ORIGINS: OTHER,
    LOGINS_PER_MINUTE_ADDRESS: "10000",
    CALLS_PER_MINUTE_ADDRESS: "100000",
    REGISTRATIONS_PER_HOUR_ADDRESS: "1000",
    PLAYER_OIDC_ISSUER: issuer.issuer,
    PLAYER_OIDC_CLIENT_ID: CLIENT.clientId,
    PLAYER_OIDC_CLIENT_SECRET: CLIENT.clientSecret,
    PLAYER_OIDC_LABEL: "Levent Club",
    SMTP_URL: mails.url,
    MAIL_FROM: "no-reply@example.test",
  };
  venue = await testVenue({ env: { ...env, PLAYER_OIDC_REGISTRATION: "yes" } });
  strict = await testVenue({ env, database: venue.db, sharedBus: venue.bus });
  // What waits to be mailed leaves from a platform that listens.
  await venue.platform.listen();
});
afterEach(() => {
  issuer.fault = undefined;
  vi.useRealTimers();
});
afterAll(async () => {
  await strict.close(true);
  await venue.close();
  await issuer.close();
  await mails.close();
});

type Platform = Pick<TestVenue, "app">;
const post = (path: string, payload: object, { at = venue, token = "", origin = ORIGIN }: Where = {}) =>
  at.app.inject({
    method: "POST",
    url: `/v1/${path}`,
    headers: { host: "play.example.org", origin, ...(token !== "" && { authorization: `Bearer ${token}` }) },
    payload,
  });
type Where = { readonly at?: Platform; readonly token?: string; readonly origin?: string };

/** Goes to the issuer as a browser does, as this person; answers what comes back behind the `#`. */
async function back(href: string, as: string): Promise<string> {
  const reply = await fetch(`${href}&as=${as}`, { redirect: "manual" });
  const location = reply.headers.get("location") ?? "";
  expect(location).toMatch(/\/callback#/);
  return location.slice(location.indexOf("#") + 1);
}
type Begun = { readonly href: string; readonly secret: string };

async function attempt(as: string, where: Where = {}) {
  const begun = await post("login/openid/begin", {}, where);
  expect(begun.statusCode).toBe(200);
  const { href, secret } = begun.json<Begun>();
  return { secret, answer: await back(href, as), site_id: 2011 };
}
const signIn = async (as: string, where: Where = {}) => await post("login/openid", await attempt(as, where), where);
const codeOf = async (reply: ReturnType<typeof signIn>): Promise<unknown> => (await reply).json().code;
const signsIn = async (as: string, where: Where = {}): Promise<string> => {
  const reply = await signIn(as, where);
  expect(reply.json()).toMatchObject({ code: 20000 });
  return reply.json<{ token: string }>().token;
};

const own = async (token: string, at = venue) =>
  (await at.get("/v1/player/openid", token, { host: "play.example.org" })).json();
async function act(token: string, what: "link" | "confirm", as: string, proof?: object) {
  const begun = await post("player/openid/begin", { act: what, ...(proof && { proof }) }, { token });
  if (begun.statusCode !== 200) return begun;
  const { href, secret } = begun.json<Begun>();
  return await post("player/openid", { secret, answer: await back(href, as) }, { token });
}
const remove = (token: string, proof?: object) => post("player/openid/remove", { ...(proof && { proof }) }, { token });

/** A player with a password, and a name at the issuer that was not used before. */
async function player() {
  people += 1;
  const [username, as] = [`guest${people}`, `person-${people}`];
  const id = await venue.addPlayer(username);
  return { username, as, id, token: await venue.signIn(username) };
}
async function linkedPlayer() {
  const made = await player();
  expect((await act(made.token, "link", made.as)).json()).toMatchObject({ did: "link", link: { name: made.as } });
  return made;
}
/** As if the sign-ins had been made so long ago. */
const age = (id: string) =>
  sql`update auth_session set created_at = created_at - interval '11 minutes', confirmed_at = confirmed_at - interval '11 minutes'
      where player_id = ${id}`.execute(venue.db.kysely);

describe("a linked player", () => {
  test("signs in like with the password, also where no accounts are opened, and sees how", async () => {
    const { as, id, username } = await linkedPlayer();
    const reply = await signIn(as, { at: strict });
    expect(reply.headers["cache-control"]).toBe("no-store");
    const byPassword = await post("login", { username, password: PASSWORD, site_id: 2011 });
    expect(Object.keys(reply.json()).toSorted()).toEqual(Object.keys(byPassword.json()).toSorted());
    const { token } = reply.json();
    const rows = (await venue.get("/v1/player/sign-ins", token, { host: "play.example.org" })).json().signIns;
    expect(rows.find((row: { isThis: boolean }) => row.isThis)).toMatchObject({ how: "openId" });
    expect(await own(token)).toMatchObject({ label: "Levent Club", link: { name: as, usedAt: expect.any(String) } });
    const { rows: noted } = await sql<{ type: string; facts: object }>`
      select type, facts from audit.entries where subject = ${`player:${id}`}`.execute(venue.db.kysely);
    expect(noted).toContainEqual({ type: "player.openId", facts: { is: "added" } });
    expect(noted).toContainEqual({ type: "success", facts: { how: "openId" } });
    expect(JSON.stringify(noted)).not.toContain(as);
  });

  test("is no other person's: neither a name nor a verified address of the account signs in", async () => {
    const { as } = await player();
    await venue.addPlayer(as, { email: `${as}@example.test` });
    expect(await codeOf(signIn(as, { at: strict }))).toBe(UNLINKED);
    expect(await codeOf(signIn(as))).toBe(KNOWN);
  });

  test("who is banned is answered as with the password", async () => {
    const { as, id, username } = await linkedPlayer();
    await venue.platform.auth.ban(id);
    const byPassword = await post("login", { username, password: PASSWORD, site_id: 1 });
    expect((await signIn(as)).body).toBe(byPassword.body);
    await venue.platform.auth.unban(id);
    await signsIn(as);
  });

  test("learns by mail that the link was added, and removed, and nothing of one that was not", async () => {
    const { token, as, id } = await player();
    const address = `${as}@mail.test`;
    await sql`insert into player_address (player_id, address, address_key, language) values (${id}, ${address}, ${address}, 'en')`.execute(
      venue.db.kysely,
    );
    const arrived = (): string[] => mails.to(address).map(({ headers }) => headers["subject"] ?? "");
    expect((await act(token, "link", as)).json()).toMatchObject({ did: "link" });
    await eventually(() => expect(arrived()).toEqual([expect.stringMatching(/^A new way to log in at /)]));
    expect((await act(token, "link", as)).json()).toMatchObject({ code: TAKEN });
    expect((await remove(token, { password: PASSWORD })).json()).toMatchObject({ link: null });
    await remove(token, { password: PASSWORD });
    await eventually(() =>
      expect(arrived()).toContainEqual(expect.stringMatching(/^A way to log in at .* was removed$/)),
    );
    expect(arrived()).toHaveLength(2);
  });

  test("loses the link, and what it opened, but for the sign-in that removes it", async () => {
    const { as, token, id } = await linkedPlayer();
    const [one, other] = [await signsIn(as), await signsIn(as)];
    expect((await remove(one)).json()).toMatchObject({ code: 60058 });
    expect((await remove(one, { password: PASSWORD })).json()).toMatchObject({ link: null });
    expect(await own(other)).toMatchObject({ code: 10 });
    for (const still of [one, token]) expect(await own(still)).toMatchObject({ link: null });
    expect(await codeOf(signIn(as, { at: strict }))).toBe(UNLINKED);
    const late = sql`select 1 from auth_session where player_id = ${id} and how = 'openId' and ended_at is null`;
    expect((await late.execute(venue.db.kysely)).rows).toHaveLength(1);
  });
});

describe("linking", () => {
  test("takes a fresh sign-in or a proof, and signing in anew at the issuer", async () => {
    const { token, as, id } = await player();
    await age(id);
    expect((await act(token, "link", as)).json()).toMatchObject({ code: 60058 });
    expect((await act(token, "link", as, { password: "not her password" })).json()).toMatchObject({ code: 40001 });
    const begun = await post("player/openid/begin", { act: "link", proof: { password: PASSWORD } }, { token });
    const query = new URL(begun.json<Begun>().href).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({ prompt: "login", max_age: "0", response_mode: "fragment" });
    expect((await act(token, "link", as, { password: PASSWORD })).json()).toMatchObject({ link: { name: as } });
  });

  test("is refused for a person who is linked already, and for a second person of one account", async () => {
    const { as } = await linkedPlayer();
    const { token } = await linkedPlayer();
    const free = await player();
    expect((await act(free.token, "link", as)).json()).toMatchObject({ code: TAKEN });
    expect((await act(token, "link", free.as)).json()).toMatchObject({ code: TAKEN });
  });

  test("by two at once gives the person to one of them", async () => {
    const { as } = await player();
    const both = [await player(), await player()];
    const linked = await Promise.all(both.map(({ token }) => act(token, "link", as)));
    expect(linked.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409]);
  });

  test("belongs to the sign-in that began it", async () => {
    const [mallory, vera] = [await player(), await player()];
    const { href, secret } = (
      await post("player/openid/begin", { act: "link" }, { token: mallory.token })
    ).json<Begun>();
    const answer = await back(href, mallory.as);
    expect((await post("player/openid", { secret, answer }, { token: vera.token })).json()).toMatchObject({
      code: REFUSED,
    });
    // Whatever came of it, the attempt is over.
    expect((await post("player/openid", { secret, answer }, { token: mallory.token })).json()).toMatchObject({
      code: REFUSED,
    });
    const other = await post("player/openid/begin", { act: "link" }, { token: mallory.token });
    const sent = { secret: other.json<Begun>().secret, answer: await back(other.json<Begun>().href, mallory.as) };
    expect((await post("login/openid", { ...sent, site_id: 1 })).json()).toMatchObject({ code: REFUSED });
    const visitor = await attempt(mallory.as);
    const { site_id: _, ...brought } = visitor;
    expect((await post("player/openid", brought, { token: vera.token })).json()).toMatchObject({ code: REFUSED });
  });
});

describe("a first sign-in", () => {
  test("opens an account of the verified address without a password, once, and keeps its one way in", async () => {
    people += 1;
    const as = `newcomer-${people}`;
    const replies = await Promise.all(
      [attempt(as), attempt(as)].map(async (one) => await post("login/openid", await one)),
    );
    expect(replies.map((reply) => reply.json().code)).toEqual([20000, 20000]);
    const token = replies[0]?.json<{ token: string }>().token ?? "";
    const { rows } = await sql<{ id: string; email: string; name: string; password: string }>`
      select id, email, name, password from player where username = ${`${as}@example.test`}`.execute(venue.db.kysely);
    expect(rows).toMatchObject([{ email: `${as}@example.test`, name: as, password: "" }]);
    expect((await post("login", { username: `${as}@example.test`, password: "", site_id: 1 })).statusCode).toBe(400);
    expect(
      await codeOf(post("login", { username: `${as}@example.test`, password: "wrong", site_id: 1 }) as never),
    ).not.toBe(20000);

    // The issuer may have known the browser alone: what signs in changes after a new sign-in there.
    expect(await own(token)).toMatchObject({ keepsLast: true, freshUntil: null });
    expect((await remove(token)).json()).toMatchObject({ code: 60058 });
    expect((await act(token, "confirm", "somebody-else")).json()).toMatchObject({ code: REFUSED });
    expect((await act(token, "confirm", as)).json()).toMatchObject({ did: "confirm", freshUntil: expect.any(String) });
    expect((await remove(token)).json()).toMatchObject({ code: 60056 });
    const id = rows[0]?.id ?? "";
    await sql`insert into player_passkey (id, player_id, credential_id, public_key, counter, name)
      values (${`pk_${id}`}, ${id}, ${id}, '', 0, 'My phone')`.execute(venue.db.kysely);
    const keys = async () => (await venue.get("/v1/player/passkeys", token, { host: "play.example.org" })).json();
    expect([await keys(), await own(token)]).toMatchObject([{ keepsLast: false }, { keepsLast: false }]);
    const both = await Promise.all([remove(token), post(`player/passkeys/pk_${id}/remove`, {}, { token })]);
    expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409]);
    await age(id);
    expect((await remove(token)).json()).toMatchObject({ code: 60058 });
  });

  test("with an address that the issuer has not verified gets an account without it", async () => {
    people += 1;
    const as = `unverified-${people}`;
    await venue.addPlayer(`owner${people}`, { email: `${as}@example.test` });
    const token = await signsIn(as);
    const { id } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const { rows } = await sql`select email from player where id = ${id}`.execute(venue.db.kysely);
    expect(rows).toEqual([{ email: null }]);
  });

  test("opens no account where the operator opens none", async () => {
    people += 1;
    expect(await codeOf(signIn(`stranger-${people}`, { at: strict }))).toBe(UNLINKED);
  });

  test("is limited by address as registrations are", async () => {
    const few = await testVenue({
      database: venue.db,
      env: { ...issuerEnv(), PLAYER_OIDC_REGISTRATION: "yes", REGISTRATIONS_PER_HOUR_ADDRESS: "1" },
    });
    try {
      people += 2;
      await signsIn(`first-${people}`, { at: few });
      expect(await codeOf(signIn(`second-${people}`, { at: few }))).toBe(60030);
      await signsIn(`first-${people}`, { at: few });
    } finally {
      await few.close(true);
    }
  });
});

const issuerEnv = () => ({
  PUBLIC_URL: ORIGIN,
  PLAYER_OIDC_ISSUER: issuer.issuer,
  PLAYER_OIDC_CLIENT_ID: CLIENT.clientId,
  PLAYER_OIDC_CLIENT_SECRET: CLIENT.clientSecret,
});

describe("an attempt", () => {
  test("brings its answer once, on either node, to the secret that began it, and in time", async () => {
    const { as } = await linkedPlayer();
    const given = await attempt(as);
    const both = await Promise.all([venue, strict].map(async (at) => await post("login/openid", given, { at })));
    expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400]);
    expect(await codeOf(post("login/openid", given) as never)).toBe(REFUSED);

    const [mine, theirs] = [await attempt(as), await attempt(as)];
    expect(await codeOf(post("login/openid", { ...mine, secret: theirs.secret }) as never)).toBe(REFUSED);
    expect(await codeOf(post("login/openid", { ...mine, secret: "A".repeat(43) }) as never)).toBe(REFUSED);

    const late = await attempt(as);
    await sql`update player_openid_attempt set expires_at = clock_timestamp()`.execute(venue.db.kysely);
    expect(await codeOf(post("login/openid", late) as never)).toBe(REFUSED);
  });

  test("comes back to the page that began it, and to no stranger's", async () => {
    const whereTo = async (origin: string) =>
      new URL((await post("login/openid/begin", {}, { origin })).json<Begun>().href).searchParams.get("redirect_uri");
    expect(await whereTo(ORIGIN)).toBe(`${ORIGIN}/callback`);
    expect(await whereTo(OTHER)).toBe(`${OTHER}/callback`);
    expect(await whereTo("https://evil.example")).toBe(`${ORIGIN}/callback`);
  });

  test("leaves no secret, code, state or token in the log", async () => {
    const { as } = await linkedPlayer();
    const given = await attempt(as);
    const token = await post("login/openid", given).then((reply) => reply.json<{ token: string }>().token);
    await post("login/openid", given);
    const log = venue.lines.join("\n");
    const { code, state } = Object.fromEntries(new URLSearchParams(given.answer));
    for (const secret of [given.secret, code, state, token, CLIENT.clientSecret]) expect(log).not.toContain(secret);
  });
});

describe("an issuer that signs a person out", () => {
  const report = (token: string, at: Platform = venue) =>
    at.app.inject({
      method: "POST",
      url: "/v1/login/openid/logout",
      headers: { host: "play.example.org", "content-type": "application/x-www-form-urlencoded" },
      payload: new URLSearchParams({ logout_token: token }).toString(),
    });

  test("ends what it opened here, on every node, and nothing that began after it", async () => {
    const { as, token } = await linkedPlayer();
    const [one, other] = [await signsIn(as), await signsIn(as, { at: strict })];
    const said = issuer.logoutToken(as);
    const reply = await report(said, strict);
    expect([reply.statusCode, reply.headers["cache-control"]]).toEqual([200, "no-store"]);
    for (const ended of [one, other]) expect(await own(ended)).toMatchObject({ code: 10 });
    expect(await own(token)).toMatchObject({ link: { name: as } });
    await sql`update auth_session set created_at = created_at - interval '1 minute'`.execute(venue.db.kysely);
    const later = await signsIn(as);
    await sql`update auth_session set created_at = created_at + interval '1 minute'`.execute(venue.db.kysely);
    expect((await report(said)).statusCode).toBe(200);
    expect(await own(later)).toMatchObject({ link: { name: as } });
    expect((await report(issuer.logoutToken("not known here"))).statusCode).toBe(200);
  });

  const [now, hour] = [Math.floor(Date.now() / 1_000), 3_600];
  test.each<[string, Record<string, unknown>, string?]>([
    ["another audience", { aud: "another client" }],
    ["another issuer", { iss: "https://evil.example" }],
    ["no subject", { sub: undefined, sid: "7" }],
    ["a nonce, as an ID token has", { nonce: "n" }],
    ["no event", { events: undefined }],
    ["another event", { events: { "http://schemas.openid.net/event/other": {} } }],
    ["no id", { jti: undefined }],
    ["no end", { exp: undefined }],
    ["an old time", { iat: now - hour, exp: now + hour }],
    ["its time over", { iat: now - 100, exp: now - 90 }],
    ["the type of an ID token", {}, "JWT"],
    ["the type of an access token", {}, "at+jwt"],
  ])("with %s is not believed", async (_, over, typ) => {
    const { as } = await linkedPlayer();
    const token = await signsIn(as);
    const reply = await report(issuer.logoutToken(as, over, typ));
    expect([reply.statusCode, reply.json()]).toEqual([400, { error: "invalid_request" }]);
    expect(await own(token)).toMatchObject({ link: { name: as } });
  });

  test("by a key that is not its own, or as no form, is not believed", async () => {
    const { as } = await linkedPlayer();
    const token = await signsIn(as);
    issuer.fault = "wrongKey";
    expect((await report(issuer.logoutToken(as))).statusCode).toBe(400);
    for (const nonsense of ["", "x", "a.b.c", "x".repeat(13_000)])
      expect((await report(nonsense)).statusCode).toBe(400);
    const asJson = await post("login/openid/logout", { logout_token: issuer.logoutToken(as) });
    expect(asJson.statusCode).toBe(415);
    expect(await own(token)).toMatchObject({ link: { name: as } });
  });
});

/** Faults with tests of their own: here, and in `several-issuers`. */
const ALONE = ["otherDiscovery", "hung"] as const;

describe("an issuer with the fault", () => {
  const codes: Readonly<Record<Exclude<IssuerFault, (typeof ALONE)[number]>, readonly [code: number, why: string]>> = {
    wrongNonce: [REFUSED, '"nonce"'],
    wrongAudience: [REFUSED, '"aud"'],
    expired: [REFUSED, '"exp"'],
    otherIssuer: [REFUSED, '"iss"'],
    algNone: [REFUSED, '"alg"'],
    wrongKey: [REFUSED, "signature verification"],
    mixUp: [REFUSED, '"iss"'],
    noIss: [REFUSED, '"iss"'],
    wrongState: [REFUSED, '"state"'],
    denied: [REFUSED, "access_denied"],
    silent: [AWAY, "does not answer"],
    slow: [AWAY, "does not answer"],
    broken: [AWAY, "503"],
    garbage: [REFUSED, "content-type"],
    hugeKeys: [AWAY, "larger than"],
    elsewhere: [REFUSED, "status code"],
  };

  test.each(Object.entries(codes))("%s makes no sign-in", async (fault, [code, why]) => {
    const at = await testVenue({ database: venue.db, env: issuerEnv() });
    try {
      people += 1;
      issuer.fault = fault as IssuerFault;
      const reply = await signIn(`liar-${people}`, { at });
      expect(reply.json()).toMatchObject({ code });
      const line = at.lines.findLast((one) => one.includes("no sign-in by the issuer"));
      expect(JSON.parse(line ?? "{}").detail).toContain(why);
      issuer.fault = undefined;
      expect(await codeOf(signIn(`liar-${people}`, { at }))).toBe(UNLINKED);
    } finally {
      await at.close(true);
    }
  });

  test("otherDiscovery sends no browser anywhere, and other ways to sign in work", async () => {
    const at = await testVenue({ database: venue.db, env: issuerEnv() });
    try {
      issuer.fault = "otherDiscovery";
      expect(await codeOf(post("login/openid/begin", {}, { at }) as never)).toBe(AWAY);
      expect((await at.get("/v1/login/ways", undefined, { host: "play.example.org" })).json()).toEqual({
        openId: { label: "127.0.0.1" },
        issuers: [{ name: "own", label: "127.0.0.1", icon: null }],
        reset: false,
      });
      expect((await post("login/passkey/ask", {}, { at })).statusCode).toBe(200);
    } finally {
      await at.close(true);
    }
  });

  test("of a new key is believed a minute after its keys were read", async () => {
    const { as } = await linkedPlayer();
    await signsIn(as);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    issuer.rotateKeys();
    vi.setSystemTime(Date.now() + 61_000);
    await signsIn(as);
  });

  test("each of them is tried here", () => {
    expect([...Object.keys(codes), ...ALONE].toSorted()).toEqual([...ISSUER_FAULTS].toSorted());
  });
});

test("without an issuer there is no such way", async () => {
  const at = await testVenue({ database: venue.db });
  try {
    await at.addPlayer("plain");
    const token = await at.signIn("plain");
    expect((await at.get("/v1/login/ways")).json()).toEqual({ openId: null, issuers: [], reset: false });
    expect((await at.get("/v1/player/openid", token)).statusCode).toBe(404);
    const body = { secret: "A".repeat(43), answer: "code=x" };
    for (const [path, payload] of Object.entries({
      "login/openid/begin": {},
      "login/openid": { ...body, site_id: 1 },
      "player/openid/begin": { act: "link" },
      "player/openid": body,
      "player/openid/remove": {},
    })) {
      const reply = await at.app.inject({
        method: "POST",
        url: `/v1/${path}`,
        headers: { authorization: `Bearer ${token}` },
        payload,
      });
      expect({ path, status: reply.statusCode }).toEqual({ path, status: 404 });
    }
  } finally {
    await at.close(true);
  }
});

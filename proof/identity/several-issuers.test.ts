import type { TestVenue } from "@longarm/platform/testing/test-venue";
import { PASSWORD, testVenue } from "@longarm/platform/testing/test-venue";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { SimulatedIssuer } from "../../rig/simulated-issuer/server.ts";
import { serveSimulatedIssuer } from "../../rig/simulated-issuer/server.ts";

/* Several issuers sign players in: each its own people and sign-ins, in its own time, and none receives what belongs to another. */

const ORIGIN = "https://play.example.org";
const [AWAY, REFUSED, UNLINKED, KNOWN, TAKEN, PROOF, LAST] = [60110, 60111, 60112, 60113, 60114, 60058, 60056];
const NAMES = ["levent", "city"] as const;
type Name = (typeof NAMES)[number];
const clientOf = (name: Name) => ({
  clientId: `longarm at ${name}`,
  clientSecret: `a secret of the client at ${name}`,
});

let at: Record<Name, SimulatedIssuer>;
/** `city` opens accounts, `levent` does not. */
let venue: TestVenue;
let people = 0;

const variables = (over: Readonly<Record<string, string>> = {}) => ({
  PUBLIC_URL: ORIGIN,
  LOGINS_PER_MINUTE_ADDRESS: "10000",
  CALLS_PER_MINUTE_ADDRESS: "100000",
  REGISTRATIONS_PER_HOUR_ADDRESS: "1000",
  PLAYER_ISSUERS: NAMES.map((name) => `${name}=${at[name].issuer}`).join(),
  PLAYER_ISSUER_CLIENTS: NAMES.map((name) => `${name}=${clientOf(name).clientId}`).join(),
  PLAYER_ISSUER_SECRETS: NAMES.map((name) => `${name}=${clientOf(name).clientSecret}`).join(),
  PLAYER_ISSUER_LABELS: "levent=Levent Club",
  PLAYER_ISSUER_REGISTRATION: "city",
  ...over,
});

beforeAll(async () => {
  const serve = (name: Name) =>
    serveSimulatedIssuer({ ...clientOf(name), redirectUris: () => [`${ORIGIN}/callback/${name}`] });
  const [levent, city] = await Promise.all([serve("levent"), serve("city")]);
  at = { levent, city };
  venue = await testVenue({ env: variables() });
});
afterEach(() => {
  for (const name of NAMES) Object.assign(at[name], { fault: undefined, namesItself: true });
});
afterAll(async () => {
  await venue.close();
  for (const name of NAMES) await at[name].close();
});

type Where = { readonly token?: string; readonly on?: TestVenue };
const post = (path: string, payload: object, { token = "", on = venue }: Where = {}) =>
  on.app.inject({
    method: "POST",
    url: `/v1/${path}`,
    headers: { host: "play.example.org", origin: ORIGIN, ...(token !== "" && { authorization: `Bearer ${token}` }) },
    payload,
  });

/** Goes to an issuer as a browser does, as this person; returns to which address of ours it came back, and with what. */
async function visit(href: string, as: string) {
  const reply = await fetch(`${href}&as=${as}`, { redirect: "manual" });
  const { pathname, hash } = new URL(reply.headers.get("location") ?? "none:");
  const issuer = pathname.split("/")[2];
  return { answer: hash.slice(1), ...(issuer !== undefined && { issuer }) };
}
type Begun = { readonly href: string; readonly secret: string };
async function begin(name: Name, where: Where = {}): Promise<Begun> {
  const begun = await post("login/openid/begin", { issuer: name }, where);
  expect(begun.statusCode).toBe(200);
  return begun.json<Begun>();
}
async function signIn(name: Name, as: string, where: Where = {}) {
  const { href, secret } = await begin(name, where);
  return await post("login/openid", { secret, ...(await visit(href, as)), site_id: 2011 }, where);
}
const codeOf = async (reply: ReturnType<typeof signIn>): Promise<unknown> => (await reply).json().code;
async function signsIn(name: Name, as: string, where: Where = {}): Promise<string> {
  const reply = await signIn(name, as, where);
  expect(reply.json()).toMatchObject({ code: 20000 });
  return reply.json<{ token: string }>().token;
}
const idOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")).id;

async function act(token: string, what: "link" | "confirm", name: Name, as: string) {
  const begun = await post("player/openid/begin", { act: what, issuer: name }, { token });
  if (begun.statusCode !== 200) return begun;
  const { href, secret } = begun.json<Begun>();
  return await post("player/openid", { secret, ...(await visit(href, as)) }, { token });
}
const remove = (token: string, issuer: Name, proof?: object) =>
  post("player/openid/remove", { issuer, ...(proof && { proof }) }, { token });
const own = async (token: string, on = venue) =>
  (await on.get("/v1/player/openid", token, { host: "play.example.org" })).json();

async function player() {
  people += 1;
  const [username, as] = [`guest${people}`, `person-${people}`];
  const id = await venue.addPlayer(username);
  return { username, as, id, token: await venue.signIn(username) };
}
/** A player who is linked with these issuers, by one name at all of them. */
async function linkedPlayer(names: readonly Name[] = NAMES) {
  const made = await player();
  for (const name of names) expect((await act(made.token, "link", name, made.as)).json().did).toBe("link");
  return made;
}

describe("the page", () => {
  test("shows each in the operator's order, with its label", async () => {
    expect((await venue.get("/v1/login/ways", undefined, { host: "play.example.org" })).json()).toEqual({
      openId: { label: "Levent Club" },
      issuers: [
        { name: "levent", label: "Levent Club", icon: null },
        { name: "city", label: "127.0.0.1", icon: null },
      ],
      reset: false,
    });
    const { token, as } = await linkedPlayer(["city"]);
    expect((await own(token)).issuers).toMatchObject([
      { name: "levent", link: null, keepsLast: false },
      { name: "city", link: { name: as }, keepsLast: false },
    ]);
  });

  test("goes to the first without a name, and to none by a name that no issuer has", async () => {
    const { href } = (await post("login/openid/begin", {})).json<Begun>();
    expect(href.startsWith(at.levent.issuer)).toBe(true);
    const { token } = await player();
    for (const [path, body] of Object.entries({
      "login/openid/begin": {},
      "player/openid/begin": { act: "link" },
      "player/openid/remove": {},
    })) {
      const unknown = await post(path, { ...body, issuer: "unknown" }, { token });
      expect([path, unknown.statusCode]).toEqual([path, 404]);
      for (const issuer of ["", "../city", "City", "c".repeat(33), 7, ["city"], "__proto__"])
        expect((await post(path, { ...body, issuer }, { token })).statusCode).toBe(400);
    }
  });
});

describe("two issuers with the same subject", () => {
  test("sign two players in, and neither opens, takes or confirms what is the other's", async () => {
    const vera = await linkedPlayer(["levent"]);
    const mallory = await player();
    expect((await act(mallory.token, "link", "city", vera.as)).json()).toMatchObject({ did: "link" });
    expect(idOf(await signsIn("levent", vera.as))).toBe(vera.id);
    expect(idOf(await signsIn("city", vera.as))).toBe(mallory.id);

    await sql`update auth_session set created_at = created_at - interval '11 minutes'`.execute(venue.db.kysely);
    expect((await act(mallory.token, "confirm", "levent", vera.as)).statusCode).toBe(404);
    expect((await act(vera.token, "confirm", "city", vera.as)).statusCode).toBe(404);
    expect((await act(vera.token, "confirm", "levent", vera.as)).json()).toMatchObject({ did: "confirm" });
    expect((await act(mallory.token, "link", "levent", vera.as)).json()).toMatchObject({ code: PROOF });
  });

  test("and one player: the person of one link confirms nothing by the other", async () => {
    const { token, as } = await player();
    await act(token, "link", "levent", as);
    await act(token, "link", "city", `${as}-at-city`);
    expect((await act(token, "confirm", "city", as)).json()).toMatchObject({ code: REFUSED });
    expect((await act(token, "link", "city", as)).json()).toMatchObject({ code: TAKEN });
  });

  test("open two accounts, also with one verified address, and only where the operator opens them", async () => {
    people += 1;
    const as = `newcomer-${people}`;
    expect(await codeOf(signIn("levent", as))).toBe(UNLINKED);
    const id = idOf(await signsIn("city", as));
    expect(await codeOf(signIn("levent", as))).toBe(UNLINKED);
    const on = await testVenue({
      database: venue.db,
      sharedBus: venue.bus,
      env: variables({ PLAYER_ISSUER_REGISTRATION: "levent" }),
    });
    try {
      expect(await codeOf(signIn("levent", as, { on }))).toBe(KNOWN);
      expect(idOf(await signsIn("city", as, { on }))).toBe(id);
    } finally {
      await on.close(true);
    }
  });
});

describe("a player with two links", () => {
  test("removes one, with what it opened, and keeps the other and what that one opened", async () => {
    const { token, as } = await linkedPlayer();
    const [byLevent, byCity] = [await signsIn("levent", as), await signsIn("city", as)];
    expect((await remove(token, "levent")).json().issuers).toMatchObject([{ link: null }, { link: { name: as } }]);
    expect(await own(byLevent)).toMatchObject({ code: 10 });
    expect((await own(byCity)).issuers).toMatchObject([{ link: null }, { link: { name: as } }]);
    expect(await codeOf(signIn("levent", as))).toBe(UNLINKED);
    expect((await remove(token, "levent")).statusCode).toBe(404);
    await signsIn("city", as);
  });

  test("keeps the last of them where nothing else signs in, also when both are removed at once", async () => {
    const { token, id } = await linkedPlayer();
    await sql`update player set password = '' where id = ${id}`.execute(venue.db.kysely);
    expect((await own(token)).issuers).toMatchObject([{ keepsLast: false }, { keepsLast: false }]);
    const both = await Promise.all(NAMES.map((name) => remove(token, name)));
    expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409]);
    const left = (await own(token)).issuers.filter(({ link }: { link: unknown }) => link !== null);
    expect(left).toMatchObject([{ keepsLast: true }]);
    expect((await remove(token, left[0].name)).json()).toMatchObject({ code: LAST });
  });

  test("whose other issuer the operator has left out keeps the last that is there", async () => {
    const { token, id } = await linkedPlayer();
    await sql`update player set password = '' where id = ${id}`.execute(venue.db.kysely);
    const one = (name: string) => variables()[name as "PLAYER_ISSUERS"].split(",")[0] ?? "";
    const on = await testVenue({
      database: venue.db,
      sharedBus: venue.bus,
      env: variables({
        ...Object.fromEntries(
          ["PLAYER_ISSUERS", "PLAYER_ISSUER_CLIENTS", "PLAYER_ISSUER_SECRETS"].map((name) => [name, one(name)]),
        ),
        PLAYER_ISSUER_REGISTRATION: "",
      }),
    });
    try {
      expect((await own(token, on)).issuers).toMatchObject([{ name: "levent", keepsLast: true }]);
      const refused = await post("player/openid/remove", { issuer: "levent" }, { token, on });
      expect(refused.json()).toMatchObject({ code: LAST });
    } finally {
      await on.close(true);
    }
  });

  test("is signed out by each of them where that one signed in, and by no other's key", async () => {
    const { token, as } = await linkedPlayer();
    const [byLevent, byCity] = [await signsIn("levent", as), await signsIn("city", as)];
    const report = async (logoutToken: string) =>
      (
        await venue.app.inject({
          method: "POST",
          url: "/v1/login/openid/logout",
          headers: { host: "play.example.org", "content-type": "application/x-www-form-urlencoded" },
          payload: new URLSearchParams({ logout_token: logoutToken }).toString(),
        })
      ).statusCode;
    // City's key under Levent's name, and the other way round; the client of one at the other; an issuer that is none of ours.
    const asLevent = { iss: at.levent.issuer, aud: clientOf("levent").clientId };
    expect(await report(at.city.logoutToken(as, asLevent))).toBe(400);
    expect(await report(at.levent.logoutToken(as, { iss: at.city.issuer }))).toBe(400);
    expect(await report(at.city.logoutToken(as, { aud: clientOf("levent").clientId }))).toBe(400);
    expect(await report(at.city.logoutToken(as, { iss: "https://evil.example" }))).toBe(400);
    for (const open of [token, byLevent, byCity]) expect((await own(open)).label).toBe("Levent Club");

    // Levent does not answer: City's reports count.
    at.levent.fault = "hung";
    expect(await report(at.city.logoutToken(as))).toBe(200);
    expect(await own(byCity)).toMatchObject({ code: 10 });
    for (const open of [token, byLevent]) expect((await own(open)).label).toBe("Levent Club");
  });
});

describe("an issuer that answers nothing at all", () => {
  test("delays only the sign-in that goes there", async () => {
    const { username, as } = await linkedPlayer();
    // A platform that has read neither issuer yet.
    const on = await testVenue({ database: venue.db, sharedBus: venue.bus, env: variables() });
    try {
      at.levent.fault = "hung";
      let isOver = false;
      const there = post("login/openid/begin", { issuer: "levent" }, { on }).then((reply) => {
        isOver = true;
        return reply;
      });
      const ways = await on.get("/v1/login/ways", undefined, { host: "play.example.org" });
      expect(ways.json().issuers).toHaveLength(2);
      await signsIn("city", as, { on });
      const byPassword = await post("login", { username, password: PASSWORD, site_id: 2011 }, { on });
      expect(byPassword.json()).toMatchObject({ code: 20000 });
      expect((await post("login/passkey/ask", {}, { on })).statusCode).toBe(200);
      expect(isOver).toBe(false);
      expect((await there).json()).toMatchObject({ code: AWAY });
      at.levent.fault = undefined;
      await signsIn("levent", as, { on });
    } finally {
      await on.close(true);
    }
  });
});

describe("a hostile issuer that sends the browser on to an honest one (mix-up)", () => {
  /** `levent` is hostile: the browser that came to it is sent to `city`, with the state and the challenge that were meant for `levent`. */
  async function mixedUp(as: string) {
    const { href, secret } = await begin("levent");
    const onward = new URL(href.replace(at.levent.issuer, at.city.issuer));
    onward.searchParams.set("client_id", clientOf("city").clientId);
    onward.searchParams.set("redirect_uri", `${ORIGIN}/callback/city`);
    return { secret, ...(await visit(onward.href, as)), site_id: 2011 };
  }
  const codes = () => NAMES.map((name) => at[name].codesSeen);

  test("gets no code, because the answer came to the other's address", async () => {
    const { as } = await linkedPlayer();
    const before = codes();
    const brought = await mixedUp(as);
    expect(brought.issuer).toBe("city");
    expect(await codeOf(post("login/openid", brought))).toBe(REFUSED);
    expect(codes()).toEqual(before);
  });

  test("gets no code of an issuer that does not name itself either", async () => {
    const { as } = await linkedPlayer();
    for (const name of NAMES) at[name].namesItself = false;
    const on = await testVenue({ database: venue.db, sharedBus: venue.bus, env: variables() });
    try {
      const before = codes();
      const { href, secret } = await begin("levent", { on });
      const onward = new URL(href.replace(at.levent.issuer, at.city.issuer));
      onward.searchParams.set("client_id", clientOf("city").clientId);
      onward.searchParams.set("redirect_uri", `${ORIGIN}/callback/city`);
      const brought = await visit(onward.href, as);
      expect(brought.answer).not.toContain("iss=");
      expect(await codeOf(post("login/openid", { secret, ...brought, site_id: 1 }, { on }))).toBe(REFUSED);
      expect(codes()).toEqual(before);
      // Such an issuer signs its own people in.
      await signsIn("city", as, { on });
    } finally {
      await on.close(true);
    }
  });

  test("gets no code by a page that reports its address, because the answer names the other (RFC 9207)", async () => {
    const { as } = await linkedPlayer();
    const before = codes();
    const lied = { ...(await mixedUp(as)), issuer: "levent" };
    expect(await codeOf(post("login/openid", lied))).toBe(REFUSED);
    expect(codes()).toEqual(before);
    const line = venue.lines.findLast((one) => one.includes("no sign-in by the issuer"));
    expect(JSON.parse(line ?? "{}")).toMatchObject({ issuer: "levent", detail: expect.stringContaining('"iss"') });
  });

  test("makes no link: the answer of one issuer finishes no link with another", async () => {
    const { token, as } = await player();
    const { href, secret } = (
      await post("player/openid/begin", { act: "link", issuer: "levent" }, { token })
    ).json<Begun>();
    const city = new URL(href.replace(at.levent.issuer, at.city.issuer));
    city.searchParams.set("client_id", clientOf("city").clientId);
    city.searchParams.set("redirect_uri", `${ORIGIN}/callback/city`);
    const brought = await visit(city.href, as);
    expect((await post("player/openid", { secret, ...brought }, { token })).json()).toMatchObject({ code: REFUSED });
    expect((await own(token)).issuers).toMatchObject([{ link: null }, { link: null }]);
  });

  test("and an attempt of the one address is not finished at the address without a name", async () => {
    const { as } = await linkedPlayer();
    const { href, secret } = await begin("city");
    const { answer } = await visit(href, as);
    expect(await codeOf(post("login/openid", { secret, answer, site_id: 1 }))).toBe(REFUSED);
  });
});

test("links and sign-ins of the settings that know one issuer continue with those of several", async () => {
  const { token, as, id } = await linkedPlayer(["levent"]);
  const byLevent = await signsIn("levent", as);
  // As they were written before there were several.
  await sql`update player_openid_link set provider = null where player_id = ${id}`.execute(venue.db.kysely);
  await sql`update auth_session set openid_provider = null where player_id = ${id}`.execute(venue.db.kysely);
  expect((await own(token)).issuers).toMatchObject([{ link: { name: as } }, { link: null }]);
  expect((await act(token, "link", "levent", `${as}-twice`)).json()).toMatchObject({ code: TAKEN });
  expect((await remove(token, "levent")).json().issuers).toMatchObject([{ link: null }, { link: null }]);
  expect(await own(byLevent)).toMatchObject({ code: 10 });
  await act(token, "link", "levent", as);
  await sql`update player_openid_link set provider = null where player_id = ${id}`.execute(venue.db.kysely);
  expect(idOf(await signsIn("levent", as))).toBe(id);
  const { rows } = await sql`select provider from player_openid_link where player_id = ${id}`.execute(venue.db.kysely);
  expect(rows).toEqual([{ provider: at.levent.issuer }]);
});

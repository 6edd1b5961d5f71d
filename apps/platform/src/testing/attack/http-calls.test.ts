import { clipCalls } from "@longarm/contract/clips";
import type { CallName } from "@longarm/contract/http";
import { calls as ownCalls } from "@longarm/contract/http";
import { breakCalls } from "@longarm/contract/player-breaks";
import { letterCalls } from "@longarm/contract/player-care";
import { disputeCalls } from "@longarm/contract/player-disputes";
import { identityCalls } from "@longarm/contract/player-identity";
import { keyCalls } from "@longarm/contract/player-keys";
import { limitCalls } from "@longarm/contract/player-limits";
import { mailCalls } from "@longarm/contract/player-mail";
import { openIdCalls } from "@longarm/contract/player-openid";
import { paymentCalls } from "@longarm/contract/player-payments";
import { pushCalls } from "@longarm/contract/player-push";
import { queueCalls } from "@longarm/contract/player-queue";
import { recordCalls } from "@longarm/contract/player-record";
import { termsCalls } from "@longarm/contract/player-terms";
import type { ServedTemplateCall } from "@longarm/contract/template/template-api";
import { servedTemplateCalls } from "@longarm/contract/template/template-api";
import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import { SignJWT, UnsecuredJWT } from "jose";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { PlayVenue } from "../play-venue.ts";
import { playVenue } from "../play-venue.ts";
import { bugsIn, expectAnswer, expectRefusal } from "./answers.ts";
import { HOSTILE_VALUES, mutationsOf } from "./hostile-values.ts";
import { tableDigest } from "./table-digest.ts";

/** A short run tries every so many of a call's hostile samples, beginning at another one for each call. */
const SHORT_STEP = 3;

type Sample = {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly part?: string;
};

const protectionCalls = {
  ...breakCalls,
  ...limitCalls,
  ...identityCalls,
  ...recordCalls,
  ...termsCalls,
  ...letterCalls,
  ...disputeCalls,
  ...paymentCalls,
  ...clipCalls,
  ...keyCalls,
  ...openIdCalls,
  ...mailCalls,
  ...queueCalls,
  ...pushCalls,
};
type Name = CallName | keyof typeof protectionCalls | ServedTemplateCall;
const calls = { ...ownCalls, ...protectionCalls, ...servedTemplateCalls };
const urlOf = (name: Name) =>
  name in servedTemplateCalls ? `/${calls[name].path}` : `/v1/${calls[name].path}`.replace("/v1/../", "/");

const CREDENTIAL = { id: "dmVyYQ", rawId: "dmVyYQ", type: "public-key", clientExtensionResults: {} };
const ASSERTION = {
  ceremony: "ce_of_vera",
  response: {
    ...CREDENTIAL,
    response: { clientDataJSON: "dmVyYQ", authenticatorData: "dmVyYQ", signature: "dmVyYQ" },
  },
};
const REGISTRATION = { ...CREDENTIAL, response: { clientDataJSON: "dmVyYQ", attestationObject: "dmVyYQ" } };

/** One call of each kind, well-formed, about somebody else's machine. A call that the contract gains does not compile without a line here. */
const SAMPLES: Readonly<Record<Name, Sample>> = {
  login: { body: { username: "vera", password: "not her password", site_id: 2011 } },
  validate: {},
  logout: {},
  balance: {},
  discount: {},
  bonus: {},
  password: { body: { old_password: "not her password", new_password: "another password" } },
  lock: {},
  unlock: { body: { pin: "0000" } },
  pin: { body: { password: "not her password", pin: "4711" } },
  active: {},
  breaks: {},
  // Well-formed, and of no length that is offered: what Mallory does to herself is not the question.
  beginBreak: { body: { kind: "timeOut", hours: 25 } },
  reopenPlay: {},
  queue: {},
  queueOutlook: { body: { wishes: [{ machine: "vera-01" }] } },
  joinQueue: { body: { machine: "vera-01" } },
  leaveQueue: { body: { id: "qp_veras" } },
  passQueue: { body: { id: "qp_veras", why: "link" } },
  moveQueue: { body: { id: "qp_veras", to: "chosen" } },
  push: {},
  addPush: {
    body: { endpoint: "https://fcm.googleapis.com/x", p256dh: "B".repeat(87), auth: "A".repeat(22), language: "tr" },
  },
  endPush: {},
  kick: { body: { machineId: "vera-01" } },
  cancel: { body: { machineId: "vera-01" } },
  sessions: {
    query: { page: 1, limit: 25, after: "x", search: "v", from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z" },
  },
  session: { part: "ps_of_vera" },
  transactions: { query: { page: 1, limit: 25, after: "x", search: "v", from: "2026-01-01T00:00:00Z", type: 1 } },
  recent: {},
  games: { query: { session: "ps_of_vera" } },
  game: { part: "1.vera-01" },
  statement: { query: { year: 2026 } },
  limits: {},
  setLimit: { body: { key: "loss.week", value: 10_000 } },
  previewLimit: { body: { key: "loss.week", value: 10_000 } },
  takeLimitBack: { body: { id: "7" } },
  answerLimit: { body: { id: "7", wanted: true } },
  readLimitNews: { body: { id: "7" } },
  declineLimits: { body: { answer: "notNow" } },
  chooseCheck: { body: { minutes: 30 } },
  identity: {},
  terms: {},
  termsText: { part: "1" },
  acceptTerms: { body: { number: 1 } },
  letters: {},
  readLetter: { body: { id: "le_of_vera" } },
  disputes: {},
  payments: {},
  requestPayment: { body: { id: "request-1", kind: "deposit", way: "desk", amount: 100 } },
  cancelPayment: { body: { payment: "pm_1" } },
  dispute: { part: "1.vera-01" },
  askDispute: { body: { game: "1.vera-01", kind: "somethingElse", words: "hello" } },
  addToDispute: { body: { game: "1.vera-01", text: "hello" } },
  readDispute: { body: { game: "1.vera-01" } },
  clip: { part: "1.vera-01" },
  requestClip: { body: { game: "1.vera-01" } },
  mail: {},
  mailAsk: { body: { address: "mallory@example.test", language: "en", proof: { password: "not her password" } } },
  mailConfirm: { body: { code: "0000 0000" } },
  resetAsk: { body: { username: "vera", language: "en" } },
  resetPassword: { body: { reset: "mc_of_vera", code: "0000 0000", new_password: "another password", second: "none" } },
  passkeyAsk: {},
  passkeyLogin: { body: { ...ASSERTION, site_id: 2011 } },
  linkLogin: { body: { code: "A".repeat(43), site_id: 2011 } },
  signInWays: {},
  // No issuer is connected: its own tests are proof/identity.
  openIdBegin: {},
  openIdLogin: { body: { secret: "A".repeat(43), answer: "code=veras", site_id: 2011 } },
  openId: {},
  openIdAct: { body: { act: "link", proof: ASSERTION } },
  openIdFinish: { body: { secret: "A".repeat(43), answer: "code=veras" } },
  openIdRemove: { body: { proof: ASSERTION } },
  codeLogin: { body: { username: "vera", code: "not her code", site_id: 2011 } },
  confirmAsk: { body: { act: "password" } },
  passkeys: {},
  passkeyAddAsk: { body: { proof: { password: "not her password" } } },
  passkeyAdd: { body: { ceremony: "ce_of_vera", response: REGISTRATION, name: "mine" } },
  passkeyName: { part: "pk_of_vera", body: { name: "mine" } },
  passkeyRemove: { part: "pk_of_vera", body: { proof: ASSERTION } },
  codesRenew: { body: { proof: ASSERTION } },
  appAsk: { body: { proof: { code: "123456" } } },
  appAdd: { body: { ceremony: "ce_of_vera", code: "123456" } },
  appRemove: { body: { proof: ASSERTION } },
  signIns: {},
  signInEnd: { part: "jti_of_vera" },
  signInsEnd: {},
  means: {},
  declareMeans: { body: { amount: 1_000 } },
  brands: {},
  machinesOfBrand: { part: "nar" },
  allMachines: {},
  check: {},
  // Closed: an open one stands in register.test.ts.
  register: { body: { displayName: "Mallory", password: "sunfish over the reef", email: "mallory@example.test" } },
  updateUser: { body: { user: { uuid: "p_vera", data: { settings: { animations: false }, shortcuts: ["lobby"] } } } },
  chatContacts: {},
  chatUser: {},
  chatUserData: { body: { status: "away", mood: "mine" } },
  chat: { query: { contactId: "p_vera", userId: "p_vera" } },
  sendChatMessage: { body: { chatId: "vera-chat", messageText: "hello", contactId: "p_vera" } },
  quickPanel: {},
};
/** Some thousand calls, on a computer that has other work as well. */
const LONG_MS = 240_000;

const NAMES = Object.keys(SAMPLES) as Name[];
const GUARDED = NAMES.filter((name) => !("open" in calls[name]));

let venue: PlayVenue;
let mallory: { id: string; token: string };
let vera: { id: string; token: string };
let before: Record<string, string>;
beforeAll(async () => {
  const env = {
    CALLS_PER_MINUTE_ADDRESS: "1000000",
    LOGINS_PER_MINUTE_ADDRESS: "10000",
    TRUSTED_PROXY_HOPS: "1",
    TEAM_CHAT: "yes",
    SMTP_URL: "smtp://127.0.0.1:9",
    MAIL_FROM: "no-reply@example.test",
  };
  venue = await playVenue({ env });
  await venue.machine("vera-01");
  vera = await venue.player("vera", 50_000);
  mallory = await venue.player("mallory", 1_000);
  const page = await venue.page(vera.token, "vera-01");
  expect(await page.init()).toMatchObject({ is: "done" });
  expect(await page.peer.request("cashIn", { id: "vera-cash-in-1", amount: 20_000 })).toMatchObject({ is: "done" });
  await venue.inState("vera-01", "playing");
});
afterAll(() => venue.end());

beforeEach(async () => {
  before = await tableDigest(venue.db);
});

/** Nothing has changed, nothing was thrown, and the one who sits there plays on. */
async function expectUntouched(): Promise<void> {
  expect(await tableDigest(venue.db)).toEqual(before);
  expect(await venue.ledger.verify()).toEqual([]);
  expect(bugsIn(venue.lines)).toEqual([]);
  expect((await venue.get("/v1/validate", vera.token)).statusCode).toBe(200);
  expect((await venue.seat("vera-01")).player_id).toBe(vera.id);
}

type Asked = {
  readonly token?: string;
  readonly sample?: Sample;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly from?: string;
};

function ask(name: Name, { token, sample = SAMPLES[name], method, headers, from = "198.51.100.1" }: Asked) {
  const { method: own } = calls[name];
  const url = urlOf(name).replace(/\{(?:brandId|number|id)\}/, encodeURIComponent(wellFormed(sample.part ?? "")));
  const query = Object.entries(sample.query ?? {}).map(
    ([key, value]) => `${key}=${encodeURIComponent(wellFormed(value))}`,
  );
  return venue.app.inject({
    method: (method ?? own) as "GET",
    url: query.length === 0 ? url : `${url}?${query.join("&")}`,
    headers: {
      "x-forwarded-for": from,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(sample.body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(sample.body !== undefined && { payload: JSON.stringify(sample.body) }),
  });
}

const wellFormed = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).toWellFormed();

async function badTokens(): Promise<Record<string, { token?: string; headers?: Record<string, string> }>> {
  const { rows } = await sql<{ kid: string; secret: Buffer }>`
    select kid, secret from platform_key where purpose = 'token'`.execute(venue.db);
  const { kid, secret } = rows[0]!;
  const claims = JSON.parse(Buffer.from(vera.token.split(".")[1]!, "base64url").toString()) as Record<string, unknown>;
  const sign = (payload: object, key: Uint8Array = secret, alg = "HS256") =>
    new SignJWT({ ...payload }).setProtectedHeader({ alg, kid }).sign(key);
  const ended = await venue.signIn("mallory");
  await venue.app.inject({ method: "POST", url: "/v1/player/logout", headers: { authorization: `Bearer ${ended}` } });
  return {
    none: {},
    empty: { token: "" },
    words: { token: "not.a.token" },
    huge: { token: "A".repeat(9_000) },
    ended: { token: ended },
    expired: { token: await sign({ ...claims, exp: 1_000 }) },
    "another signature": { token: await sign(claims, Buffer.alloc(32, 7)) },
    "alg none": { token: new UnsecuredJWT(claims).encode() },
    "another algorithm": { token: await sign(claims, Buffer.alloc(64, 7), "HS512") },
    "her id with his sign-in": {
      token: await sign({
        ...claims,
        jti: JSON.parse(Buffer.from(mallory.token.split(".")[1]!, "base64url").toString()).jti,
      }),
    },
    "in a cookie": { headers: { cookie: `jwt_access_token=${vera.token}; token=${vera.token}` } },
    "by Basic": { headers: { authorization: `Basic ${vera.token}` } },
    "an agent's key": { token: `lak_${"A".repeat(43)}` },
  };
}

describe("every call of the contract", () => {
  test("without a good token is refused with code 10, and nothing happens", async () => {
    const tokens = await badTokens();
    before = await tableDigest(venue.db);
    for (const name of GUARDED)
      for (const [kind, bad] of Object.entries(tokens)) {
        const reply = await ask(name, bad);
        expect({ name, kind, status: reply.statusCode, code: reply.json().code }).toEqual({
          name,
          kind,
          status: 401,
          code: 10,
        });
      }
    const inQuery = await venue.app.inject({ url: `/v1/player/balance?token=${vera.token}` });
    expect(inQuery.statusCode, "no call takes its token from the address").toBe(401);
    await expectUntouched();
  });

  test("of a banned player and of a locked sign-in is refused, but for what a lock needs", async () => {
    const barred = await venue.player("barred");
    await venue.platform.auth.ban(barred.id);
    await venue.addPlayer("locked-up", { pin: "1234" });
    const locked = await venue.signIn("locked-up");
    await venue.app.inject({ method: "POST", url: "/v1/player/lock", headers: { authorization: `Bearer ${locked}` } });
    before = await tableDigest(venue.db);
    for (const name of GUARDED) {
      expectRefusal([name, "banned"], await ask(name, { token: barred.token }));
      if (["validate", "lock", "unlock", "logout"].includes(name)) continue;
      const reply = await ask(name, { token: locked });
      expect({ name, status: reply.statusCode, code: reply.json().code }).toEqual({ name, status: 423, code: 60050 });
    }
    await expectUntouched();
  });

  test("with wrong types, sizes and fields in its body, its query and its path is an error of the catalogue, and nothing happens", {
    timeout: LONG_MS,
  }, async () => {
    let from = 0;
    for (const [nth, name] of NAMES.entries()) {
      const { body, query, part } = SAMPLES[name];
      const mutated: Sample[] = [
        ...(body === undefined ? [] : mutationsOf(body).map((one) => ({ body: one as Record<string, unknown> }))),
        ...(query === undefined ? [] : mutationsOf(query).map((one) => ({ query: one as Record<string, unknown> }))),
        ...(part === undefined ? [] : HOSTILE_VALUES.map((one) => ({ part: wellFormed(one) }))),
      ];
      // By `npm test -- all` each value in each field; else each value in some field.
      for (const sample of mutated.filter((_, at) => WHOLE_RUN || (at + nth) % SHORT_STEP === 0)) {
        from += 1;
        // A wrong sign-in counts by its address, and an unlock by its sign-in: neither is what is tried here.
        const address = `203.0.113.${from % 250}`;
        const reply = await ask(name, { token: mallory.token, sample, from: address });
        expectAnswer([name, sample], reply);
        if (name === "unlock")
          await sql`update auth_session set pin_failed = 0 where player_id = ${mallory.id}`.execute(venue.db);
      }
    }
    expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
    await expectUntouched();
  });

  test("about somebody else's machine, money and seat says no more than about one that is not there", async () => {
    for (const name of ["kick", "cancel"] as const) {
      const hers = await ask(name, { token: mallory.token });
      const nobodys = await ask(name, { token: mallory.token, sample: { body: { machineId: "no-such-machine" } } });
      expect(hers.json()).toMatchObject({ code: 50100 });
      expect(nobodys.body).toBe(hers.body);
    }
    const rows = await ask("sessions", { token: mallory.token, sample: { query: { playerId: vera.id, id: vera.id } } });
    expect(rows.json().rows, "an id in the query opens nobody else's rows").toEqual([]);
    expect(
      (await ask("balance", { token: mallory.token, sample: { query: { playerId: vera.id } } })).json(),
    ).toMatchObject({ balance: 1_000 });
    await expectUntouched();
  });

  test("by another method does nothing", async () => {
    for (const name of NAMES)
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]) {
        if (NAMES.some((other) => calls[other].path === calls[name].path && calls[other].method === method)) continue;
        const reply = await ask(name, { token: mallory.token, method });
        expect({ name, method, status: reply.statusCode }).toEqual({
          name,
          method,
          status: expect.toSatisfy((status: number) => status < 500),
        });
        // A page of the web may stand at an unknown path; HEAD of a call that reads is that call without its body.
        if (reply.statusCode < 300 && method !== "HEAD")
          expect(String(reply.headers["content-type"])).not.toContain("json");
      }
    await expectUntouched();
  });
});

describe("every body", () => {
  const json = "application/json";
  const bodies: readonly (readonly [string, string, string])[] = [
    ["no JSON", json, "{"],
    ["half a text", json, '{"machineId":"vera-01'],
    ["nothing", json, ""],
    ["a mark before it", json, '\ufeff{"machineId":"vera-01"}'],
    ["deep", json, `${"[".repeat(8_000)}${"]".repeat(8_000)}`],
    ["too large", json, JSON.stringify({ machineId: "x".repeat(100_000) })],
    ["a prototype", json, '{"__proto__":{"admin":true},"machineId":"vera-01"}'],
    ["a constructor", json, '{"constructor":{"prototype":{"admin":true}},"machineId":"vera-01"}'],
    ["a form", "application/x-www-form-urlencoded", "machineId=vera-01"],
    [
      "many parts",
      "multipart/form-data; boundary=x",
      '--x\r\ncontent-disposition: form-data; name="machineId"\r\n\r\nvera-01\r\n--x--',
    ],
    ["XML", "application/xml", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
    ["plain text", "text/plain", '{"machineId":"vera-01"}'],
    ["a strange type", "application/json; charset=utf-7", "{+AGE-}"],
    ["no type at all", "", '{"machineId":"vera-01"}'],
  ];
  test.each(bodies)("%s is refused", async (_name, type, payload) => {
    for (const name of NAMES.filter((one) => calls[one].method === "POST")) {
      // These take any object.
      if (["lock", "active", "logout", "endPush", "chatUserData", "passkeyAsk", "signInsEnd"].includes(name)) continue;
      const headers = { authorization: `Bearer ${mallory.token}`, ...(type !== "" && { "content-type": type }) };
      const reply = await venue.app.inject({ method: "POST", url: urlOf(name), headers, payload });
      expectRefusal([name, payload.slice(0, 40)], reply);
    }
    await expectUntouched();
  });
});

test("a page of another origin reads nothing, and its preflight is not answered for it", async () => {
  for (const name of NAMES) {
    const origin = "https://evil.example";
    const asked = await ask(name, {
      token: mallory.token,
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
    const made = await ask(name, { headers: { origin } });
    for (const { headers } of [asked, made]) {
      expect(headers["access-control-allow-origin"]).toBeUndefined();
      expect(headers["access-control-allow-credentials"]).toBeUndefined();
      expect(headers["set-cookie"]).toBeUndefined();
    }
  }
  await expectUntouched();
});

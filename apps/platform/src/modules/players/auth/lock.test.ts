import { createHash } from "node:crypto";
import type { CallName } from "@longarm/contract/http";
import { calls } from "@longarm/contract/http";
import { breakCalls } from "@longarm/contract/player-breaks";
import { identityCalls } from "@longarm/contract/player-identity";
import { keyCalls } from "@longarm/contract/player-keys";
import { limitCalls } from "@longarm/contract/player-limits";
import { mailCalls } from "@longarm/contract/player-mail";
import { recordCalls } from "@longarm/contract/player-record";
import { termsCalls } from "@longarm/contract/player-terms";
import type { ServedTemplateCall } from "@longarm/contract/template/template-api";
import { servedTemplateCalls } from "@longarm/contract/template/template-api";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openSocket } from "../../../testing/open-socket.ts";
import type { PlayVenue } from "../../../testing/play-venue.ts";
import { playVenue } from "../../../testing/play-venue.ts";
import { PASSWORD, testVenue } from "../../../testing/test-venue.ts";

const PIN = "4711";
const hashOf = (pin: string) => createHash("sha256").update(pin).digest("hex");

let venue: PlayVenue;
let id: string;
let name: string;
let token: string;
let players = 0;

beforeAll(async () => {
  venue = await playVenue({
    env: {
      LOGINS_PER_MINUTE_ADDRESS: "10000",
      TEAM_CHAT: "true",
      SMTP_URL: "smtp://127.0.0.1:9",
      MAIL_FROM: "no-reply@example.test",
    },
  });
});
afterAll(() => venue.end());
beforeEach(async () => {
  players += 1;
  name = `locker${players}`;
  id = await venue.addPlayer(name, { pin: PIN });
  token = await venue.signIn(name);
});

const post = (path: string, payload?: object, withToken = token) =>
  venue.app.inject({
    method: "POST",
    url: `/v1/player/${path}`,
    headers: { authorization: `Bearer ${withToken}` },
    ...(payload && { payload }),
  });
const lock = async () => expect((await post("lock")).json()).toEqual({ code: 20000 });
const unlock = (pin: string) => post("unlock", { pin });

test("a locked sign-in is refused everywhere, until the right PIN unlocks it", async () => {
  await lock();
  for (const path of ["player/balance", "machine/brands", "machine/all"]) {
    const reply = await venue.get(`/v1/${path}`, token);
    expect(reply.statusCode, path).toBe(423);
    expect(reply.json()).toEqual({ code: 60050, ErrorMessage: "The screen is locked, enter your PIN" });
  }
  for (const path of ["kick", "cancel", "password"])
    expect((await post(path, { machineId: "nar-01", old_password: "x", new_password: "y" })).statusCode).toBe(423);

  const right = await unlock(PIN);
  expect(right.json()).toEqual({ code: 20000 });
  expect(right.headers["cache-control"]).toBe("no-store");
  expect((await venue.get("/v1/player/balance", token)).statusCode).toBe(200);
  expect((await venue.get("/v1/validate", token)).json()).toMatchObject({ locked: false });
});

test("attack 5: neither login nor validate sends anything that was made of the PIN, locked or not", async () => {
  const signedIn = await venue.app.inject({
    method: "POST",
    url: "/v1/login",
    payload: { username: name, password: PASSWORD, site_id: 2011 },
  });
  const open = await venue.get("/v1/validate", token);
  await lock();
  const locked = await venue.get("/v1/validate", token);
  expect(locked.statusCode).toBe(200);
  expect([open.json(), locked.json()]).toMatchObject([{ locked: false }, { locked: true }]);
  for (const answer of [signedIn, open, locked]) {
    expect(answer.json()).toMatchObject({ pin_code: "", pin_set: true });
    for (const hash of ["md5", "sha1", "sha256", "sha512"])
      expect(answer.body).not.toContain(createHash(hash).update(PIN).digest("hex"));
  }
});

test("attack 5: the hash that pages were once sent does not unlock, and is no try", async () => {
  await lock();
  for (let tries = 0; tries < 6; tries += 1) expect((await unlock(hashOf(PIN))).statusCode).toBe(400);
  expect((await venue.get("/v1/player/balance", token)).statusCode).toBe(423);
  expect((await unlock(PIN)).statusCode).toBe(200);
});

test("a locked sign-in can be signed out", async () => {
  await lock();
  expect((await post("logout")).json()).toEqual({ code: 20000 });
  expect((await venue.get("/v1/validate", token)).statusCode).toBe(401);
});

test("locking twice is locking once", async () => {
  await lock();
  await lock();
  expect((await unlock(PIN)).statusCode).toBe(200);
  expect((await venue.get("/v1/player/balance", token)).statusCode).toBe(200);
});

test("the lock is that of one sign-in, and a new one begins unlocked", async () => {
  const other = await venue.signIn(name);
  await lock();
  expect((await venue.get("/v1/player/balance", other)).statusCode).toBe(200);
  expect((await venue.get("/v1/player/balance", await venue.signIn(name))).statusCode).toBe(200);
});

/** What each call answers a locked sign-in. A call that the contract gains does not compile without a line here. */
type Name =
  | CallName
  | keyof typeof breakCalls
  | keyof typeof limitCalls
  | keyof typeof identityCalls
  | keyof typeof recordCalls
  | keyof typeof keyCalls
  | keyof typeof mailCalls
  | keyof typeof termsCalls
  | ServedTemplateCall;
const WHILE_LOCKED: Readonly<Record<Name, "refused" | "allowed" | "needs no sign-in">> = {
  login: "needs no sign-in",
  check: "needs no sign-in",
  register: "needs no sign-in",
  validate: "allowed",
  logout: "allowed",
  lock: "allowed",
  unlock: "allowed",
  balance: "refused",
  discount: "refused",
  bonus: "refused",
  password: "refused",
  pin: "refused",
  active: "refused",
  breaks: "refused",
  beginBreak: "refused",
  reopenPlay: "refused",
  kick: "refused",
  cancel: "refused",
  sessions: "refused",
  session: "refused",
  transactions: "refused",
  recent: "refused",
  games: "refused",
  game: "refused",
  statement: "refused",
  limits: "refused",
  setLimit: "refused",
  previewLimit: "refused",
  takeLimitBack: "refused",
  answerLimit: "refused",
  declineLimits: "refused",
  chooseCheck: "refused",
  readLimitNews: "refused",
  identity: "refused",
  terms: "refused",
  termsText: "refused",
  acceptTerms: "refused",
  mail: "refused",
  mailAsk: "refused",
  mailConfirm: "refused",
  resetAsk: "needs no sign-in",
  resetPassword: "needs no sign-in",
  passkeyAsk: "needs no sign-in",
  passkeyLogin: "needs no sign-in",
  codeLogin: "needs no sign-in",
  linkLogin: "needs no sign-in",
  // It asks to unlock, and refuses everything else: passkeys.test.ts.
  confirmAsk: "allowed",
  passkeys: "refused",
  passkeyAddAsk: "refused",
  passkeyAdd: "refused",
  passkeyName: "refused",
  passkeyRemove: "refused",
  codesRenew: "refused",
  appAsk: "refused",
  appAdd: "refused",
  appRemove: "refused",
  signIns: "refused",
  signInEnd: "refused",
  signInsEnd: "refused",
  brands: "refused",
  machinesOfBrand: "refused",
  allMachines: "refused",
  updateUser: "refused",
  chatContacts: "refused",
  chatUser: "refused",
  chatUserData: "refused",
  chat: "refused",
  sendChatMessage: "refused",
  quickPanel: "refused",
};

test("attack 9: every call is walked while locked: no claim, no profile, no password, no PIN, no chat", async () => {
  await lock();
  // The last one ends the sign-in.
  const names = Object.entries(WHILE_LOCKED).sort(
    ([one], [other]) => Number(one === "logout") - Number(other === "logout"),
  );
  for (const [name, expected] of names) {
    const protection = {
      ...breakCalls,
      ...limitCalls,
      ...identityCalls,
      ...recordCalls,
      ...termsCalls,
      ...keyCalls,
      ...mailCalls,
    };
    const call = { ...calls, ...protection, ...servedTemplateCalls }[name as Name];
    if (expected === "needs no sign-in") {
      expect("open" in call && call.open, name).toBe(true);
      continue;
    }
    const base = name in servedTemplateCalls ? "/" : "/v1/";
    const answer = await venue.app.inject({
      method: call.method,
      url: `${base}${call.path.replace("{brandId}", "nar").replace("{number}", "1")}`,
      headers: { authorization: `Bearer ${token}` },
    });
    if (expected === "refused") expect([answer.statusCode, answer.json().code], name).toEqual([423, 60050]);
    else expect(answer.statusCode, name).not.toBe(423);
  }
  expect((await venue.get("/v1/validate", token)).statusCode).toBe(401);
});

test("a player without a PIN cannot be locked", async () => {
  await venue.addPlayer(`pinless${players}`);
  const pinless = await venue.signIn(`pinless${players}`);
  const reply = await post("lock", undefined, pinless);
  expect(reply.statusCode).toBe(400);
  expect(reply.json()).toMatchObject({ code: 40000 });
  expect((await venue.get("/v1/player/balance", pinless)).statusCode).toBe(200);
});

describe("guessing the PIN", () => {
  test("four wrong ones are counted down, the fifth ends the sign-in with its sockets", async () => {
    const page = openSocket(`${venue.url}/notifications?token=${token}`);
    await page.opened;
    page.send({ request: true, id: 1, method: "init", data: { id } });
    await expect.poll(() => page.frames).toContainEqual(expect.objectContaining({ id: 1, ok: true }));
    await lock();
    for (const left of [4, 3, 2, 1]) {
      const reply = await unlock("0000");
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toEqual({
        code: 60051,
        ErrorMessage: `Wrong PIN. Remaining attempts: ${left}`,
        Params: { left_count: left },
      });
    }
    const last = await unlock("0000");
    expect(last.statusCode).toBe(401);
    expect(last.json()).toMatchObject({ code: 10 });
    expect(await page.closed).toEqual({ code: 4000, reason: "logged out" });
    expect((await unlock(PIN)).statusCode).toBe(401);
    expect((await venue.get("/v1/validate", token)).statusCode).toBe(401);
    // Other sign-ins are not harmed: the password is still the player's.
    expect((await venue.get("/v1/player/balance", await venue.signIn(name))).statusCode).toBe(200);
  });

  test("the right one takes the wrong ones off the count", async () => {
    for (let round = 0; round < 3; round += 1) {
      await lock();
      for (let tries = 0; tries < 4; tries += 1) expect((await unlock("0000")).statusCode).toBe(400);
      expect((await unlock(PIN)).statusCode).toBe(200);
    }
  });

  test("many at once do not pass the limit, whether locked or not", async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, (_, guess) => unlock(`000${guess}`)));
    expect(replies.filter(({ statusCode }) => statusCode === 400).length).toBeLessThanOrEqual(4);
    expect(replies.filter(({ statusCode }) => statusCode === 401).length).toBeGreaterThanOrEqual(8);
    expect((await venue.get("/v1/validate", token)).statusCode).toBe(401);
  });

  test.each([
    ["nothing", {}],
    ["a number", { pin: 4711 }],
    ["a list", { pin: [PIN] }],
    ["too few digits", { pin: "471" }],
    ["too many digits", { pin: "4711471147114" }],
    ["no digits", { pin: "four" }],
    ["digits of another script", { pin: "٤٧١١" }],
    ["a line end", { pin: `${PIN}\n` }],
    ["a prototype", { ["__proto__"]: { pin: PIN } }],
  ])("%s is no PIN: refused, and not counted", async (_name, payload) => {
    await lock();
    for (let tries = 0; tries < 6; tries += 1) {
      const reply = await post("unlock", payload);
      expect(reply.statusCode).toBe(400);
      expect([40000, 60031]).toContain(reply.json().code);
    }
    expect((await unlock(PIN)).statusCode).toBe(200);
  });

  test("a huge body is refused before it is read", async () => {
    expect((await post("unlock", { pin: "a".repeat(9_000) })).statusCode).toBe(413);
  });
});

describe("sockets of a locked sign-in", () => {
  test("the notification socket refuses init and tells nothing; once unlocked the same socket serves", async () => {
    await lock();
    const page = openSocket(`${venue.url}/notifications?token=${token}`);
    await page.opened;
    page.send({ request: true, id: 1, method: "init", data: { id } });
    await expect.poll(() => page.frames).toMatchObject([{ response: true, id: 1, ok: false, errorCode: 60050 }]);
    venue.bus.publish("balance.changed", { playerId: id });
    await unlock(PIN);
    page.send({ request: true, id: 2, method: "init", data: { id } });
    await expect.poll(() => page.frames[1]).toMatchObject({ response: true, id: 2, ok: true });
    page.socket.terminate();
  });

  test("attack 9: a seat that was held before the lock takes no new money and answers no countdown; what brings money home goes on", async () => {
    await venue.machine(`nar-${players}`);
    const playing = await venue.page(token, `nar-${players}`);
    expect(await playing.init()).toMatchObject({ is: "done" });
    const waiting = await venue.page(token, `nar-${players}`);
    const cashIn = (transfer: string) => playing.peer.request("cashIn", { id: transfer, amount: 1_000 });
    const moved = { is: "done", data: { outcome: "done", amount: 1_000 } };
    const deposit = { kind: "deposit", from: "cage", to: `player:${id}`, amountMinor: 5_000 } as const;
    await venue.ledger.transfer({ id: `deposit-${players}`, ...deposit, about: { actor: "staff:test" } });
    expect(await cashIn(`before-${players}`)).toEqual(moved);
    await lock();
    for (const page of [waiting, await venue.page(token, `nar-${players}`)]) {
      for (const role of ["player", "spectator"] as const)
        expect(await page.init({ role })).toMatchObject({ is: "refused", refusal: { code: 60050 } });
    }
    expect(await cashIn(`locked-${players}-1`)).toMatchObject({ is: "refused", refusal: { code: 60050 } });
    expect(await playing.peer.request("continue", {})).toMatchObject({ is: "refused", refusal: { code: 60050 } });
    expect(await playing.peer.request("cashOut", { id: `locked-${players}-2` })).not.toMatchObject({
      refusal: { code: 60050 },
    });
    // Read by the page as the outcome, a refusal of the repeat would say that nothing has moved.
    expect(await cashIn(`before-${players}`)).toEqual(moved);
    await unlock(PIN);
    expect(await cashIn(`open-${players}-1`)).not.toMatchObject({ refusal: { code: 60050 } });
    expect(await playing.peer.request("continue", {})).toMatchObject({ is: "done" });
    expect(await waiting.init({ role: "spectator" })).toMatchObject({ is: "done" });
    expect(await playing.peer.request("leave", {})).toMatchObject({ is: "done" });
  });
});

test("a lock survives another process, and is heard of there", async () => {
  const other = await testVenue({ database: venue.database });
  try {
    expect((await other.get("/v1/player/balance", token)).statusCode).toBe(200);
    await lock();
    const { jti } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    other.bus.publish("auth.lockChanged", { jti });
    expect((await other.get("/v1/player/balance", token)).statusCode).toBe(423);
    const { rows } = await sql`select 1 from auth_session where jti = ${jti} and locked_at is not null`.execute(
      venue.database.kysely,
    );
    expect(rows).toHaveLength(1);
  } finally {
    await other.close(true);
  }
});

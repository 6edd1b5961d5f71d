import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SoftwarePasskey } from "../../../testing/software-passkey.ts";
import { softwarePasskey } from "../../../testing/software-passkey.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";

/* Each way on which a passkey counts, and each attack on it: docs/security.md, "Passkeys of players", lists both. */

const ORIGIN = "https://play.example.org";
const SITE = "example.org";
const REFUSED = 60055;
const PIN = "4711";

let venue: TestVenue;
let players = 0;
/** The player who is attacked: an open sign-in, and the key on their phone. */
let vera: Person;

beforeAll(async () => {
  venue = await testVenue({
    env: {
      PUBLIC_URL: ORIGIN,
      PASSKEY_DOMAIN: SITE,
      LOGINS_PER_MINUTE_ADDRESS: "10000",
      CALLS_PER_MINUTE: "10000",
      LOGIN_ATTEMPTS: "100",
      // Neither answers: what takes a proof is judged before.
      SMTP_URL: "smtp://127.0.0.1:9",
      MAIL_FROM: "no-reply@example.test",
      PLAYER_OIDC_ISSUER: "http://127.0.0.1:9",
      PLAYER_OIDC_CLIENT_ID: "longarm",
      PLAYER_OIDC_CLIENT_SECRET: "a secret of the client",
    },
  });
});
afterAll(() => venue.close());
beforeEach(async () => {
  vera = await person();
});

type Person = { readonly name: string; readonly token: string; readonly key: SoftwarePasskey; readonly keyId: string };
type Begun = { readonly ceremony: string; readonly options: { readonly challenge: string } };
type Answer = { readonly ceremony: string; readonly response: object };

const post = (path: string, payload: object, token?: string) =>
  venue.app.inject({
    method: "POST",
    url: `/v1/${path}`,
    headers: { host: "play.example.org", ...(token && { authorization: `Bearer ${token}` }) },
    payload,
  });

async function person(): Promise<Person> {
  players += 1;
  const name = `passkeys${players}`;
  await venue.addPlayer(name, { pin: PIN });
  const token = await venue.signIn(name);
  const key = softwarePasskey(SITE);
  const { ceremony, options } = (await post("player/passkeys/ask", {}, token)).json<Begun>();
  const response = key.register({ origin: ORIGIN, challenge: options.challenge });
  const added = await post("player/passkeys", { ceremony, response, name: "My phone" }, token);
  expect(added.statusCode).toBe(200);
  return { name, token, key, keyId: added.json().passkeys[0].id };
}

type Act = "password" | "pin" | "unlock" | "passkeys";
const question = async (act: Act, token: string): Promise<Begun> => {
  const begun = await post("player/confirm/ask", { act }, token);
  expect(begun.statusCode).toBe(200);
  return begun.json<Begun>();
};
const answered = (
  { ceremony, options }: Begun,
  key: SoftwarePasskey,
  { origin = ORIGIN, verified = true } = {},
): Answer => ({ ceremony, response: key.sign({ origin, challenge: options.challenge }, { verified }) });
const forgetTries = () => sql`delete from login_attempt`.execute(venue.db.kysely);
const expire = () => sql`update player_ceremony set expires_at = now() - interval '1 second'`.execute(venue.db.kysely);

/** Answers that are not Vera's word for this act in this sign-in. */
const ATTACKS: Readonly<Record<string, (act: Act) => Promise<Answer>>> = {
  "a challenge of another purpose": async (act) =>
    answered(await question(act === "pin" ? "password" : "pin", vera.token), vera.key),
  "a challenge of a sign-in": async () => answered((await post("login/passkey/ask", {})).json<Begun>(), vera.key),
  "a challenge of another player": async (act) => answered(await question(act, (await person()).token), vera.key),
  "a key of another player": async (act) => answered(await question(act, vera.token), (await person()).key),
  "a challenge of another sign-in of hers": async (act) =>
    answered(await question(act, await venue.signIn(vera.name)), vera.key),
  "an answer that comes too late": async (act) => {
    const late = answered(await question(act, vera.token), vera.key);
    await expire();
    return late;
  },
  "a person who was not verified": async (act) =>
    answered(await question(act, vera.token), vera.key, { verified: false }),
  "an answer that was made for another page": async (act) =>
    answered(await question(act, vera.token), vera.key, { origin: "https://play.example.com" }),
};

type Way = {
  readonly act: Act;
  readonly send: (answer: Answer) => Promise<{ readonly statusCode: number; json(): { readonly code?: number } }>;
  /** What a good answer comes to; 404 and 503: it was believed, and then there was nothing to remove, or no issuer. */
  readonly good: number;
};
const proof =
  (path: () => string, more: object = {}): Way["send"] =>
  async (answer) =>
    await post(path(), { proof: answer, ...more }, vera.token);

const WAYS: Readonly<Record<string, Way>> = {
  "change the password": {
    act: "password",
    send: async (passkey) =>
      await post("player/password", { passkey, new_password: "sunfish over the reef" }, vera.token),
    good: 200,
  },
  "set the PIN": {
    act: "pin",
    send: async (passkey) => await post("player/pin", { passkey, pin: "8264" }, vera.token),
    good: 200,
  },
  "open the idle lock": {
    act: "unlock",
    async send(passkey) {
      await post("player/lock", {}, vera.token);
      const reply = await post("player/unlock", { passkey }, vera.token);
      if (reply.statusCode !== 200) await post("player/unlock", { pin: PIN }, vera.token);
      return reply;
    },
    good: 200,
  },
  "add a passkey": { act: "passkeys", send: proof(() => "player/passkeys/ask"), good: 200 },
  "remove a passkey": { act: "passkeys", send: proof(() => `player/passkeys/${vera.keyId}/remove`), good: 200 },
  "make new recovery codes": { act: "passkeys", send: proof(() => "player/recovery-codes"), good: 200 },
  "add an authenticator app": { act: "passkeys", send: proof(() => "player/app/ask"), good: 200 },
  "remove the authenticator app": { act: "passkeys", send: proof(() => "player/app/remove"), good: 404 },
  "change the e-mail address": {
    act: "passkeys",
    send: proof(() => "player/mail/ask", { address: "vera@example.test", language: "en" }),
    good: 200,
  },
  "link an issuer": { act: "passkeys", send: proof(() => "player/openid/begin", { act: "link" }), good: 503 },
  "remove the link with an issuer": { act: "passkeys", send: proof(() => "player/openid/remove"), good: 404 },
};

describe("a passkey, to", () => {
  test.each(Object.entries(WAYS))(
    "%s: its own answer counts once, and no other does",
    async (_, { act, send, good }) => {
      for (const [attack, make] of Object.entries(ATTACKS)) {
        // Each wrong proof is counted, and five close the mail route of a name: here each is to fail by itself.
        await forgetTries();
        const reply = await send(await make(act));
        expect({ attack, code: reply.json().code }).toEqual({ attack, code: REFUSED });
      }
      await forgetTries();
      const answer = answered(await question(act, vera.token), vera.key);
      expect((await send(answer)).statusCode).toBe(good);
      expect((await send(answer)).json()).toMatchObject({ code: REFUSED });
    },
  );

  test("sign in: a challenge of an act, of an enrolment, or that was used is none", async () => {
    const signIn = (answer: Answer) => post("login/passkey", { ...answer, site_id: 2011 });
    const enrolment = (await post("player/passkeys/ask", {}, vera.token)).json<Begun>();
    for (const begun of [await question("passkeys", vera.token), await question("unlock", vera.token), enrolment])
      expect((await signIn(answered(begun, vera.key))).json()).toMatchObject({ code: REFUSED });
    const answer = answered((await post("login/passkey/ask", {})).json<Begun>(), vera.key);
    expect((await signIn(answer)).statusCode).toBe(200);
    expect((await signIn(answer)).json()).toMatchObject({ code: REFUSED });
  });
});

describe("a new passkey", () => {
  const registered = ({ ceremony, options }: Begun, flags = {}) => ({
    ceremony,
    response: softwarePasskey(SITE).register({ origin: ORIGIN, challenge: options.challenge }, flags),
    name: "Mallory's phone",
  });
  const ask = async (token: string) => (await post("player/passkeys/ask", {}, token)).json<Begun>();
  const add = (answer: object) => post("player/passkeys", answer, vera.token);

  test.each<[string, () => Promise<object>]>([
    ["with a challenge of an act", async () => registered(await question("passkeys", vera.token))],
    ["with a challenge of a sign-in", async () => registered((await post("login/passkey/ask", {})).json<Begun>())],
    ["with a challenge of another player", async () => registered(await ask((await person()).token))],
    ["with a challenge of another sign-in of hers", async () => registered(await ask(await venue.signIn(vera.name)))],
    ["of a person who was not verified", async () => registered(await ask(vera.token), { verified: false })],
    [
      "that comes too late",
      async () => {
        const late = registered(await ask(vera.token));
        await expire();
        return late;
      },
    ],
    [
      "whose challenge was used",
      async () => {
        const begun = await ask(vera.token);
        expect((await add(registered(begun))).statusCode).toBe(200);
        return registered(begun);
      },
    ],
  ])("%s is not added", async (_, make) => {
    const answer = await make();
    const count = async () =>
      (await venue.get("/v1/player/passkeys", vera.token, { host: "play.example.org" })).json().passkeys.length;
    const before = await count();
    expect((await add(answer)).json()).toMatchObject({ code: REFUSED });
    expect(await count()).toBe(before);
  });
});

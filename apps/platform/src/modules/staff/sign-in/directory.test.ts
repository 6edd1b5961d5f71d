import { runTransaction } from "@longarm/database/run-transaction";
import { describe, expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import { shareDirectoryVenue } from "../../../testing/directory-venue.ts";
import { softwarePasskey } from "../../../testing/software-passkey.ts";
import type { StaffClient } from "../../../testing/staff-client.ts";
import { STAFF_ORIGIN, staffClient, staffMember } from "../../../testing/staff-client.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import { endPerson, invite } from "../accounts/index.ts";

const shared = shareDirectoryVenue();
const { db, invited, sent, finish, signIn, linked } = shared;
const entriesOf = async (subject: string) =>
  (await db().selectFrom("audit.entries").select("type").where("subject", "=", subject).execute()).map(
    ({ type }) => type,
  );

describe("a person of the directory", () => {
  test("is linked by an invitation, which is used up, and signs in from then on; both are in the audit log", async () => {
    const { id, token } = await linked("zehra");
    const entered = await signIn(staffClient(shared.venue), "zehra");
    expect(entered.body).toMatchObject({
      person: { id, username: "zehra" },
      signIn: { how: "directory" },
      directory: { label: "Levent Directory", name: "zehra@levent.example" },
    });
    expect((await staffClient(shared.venue).post("invitation/directory/begin", { token })).status).toBe(410);
    expect(await entriesOf(`staff:${id}`)).toEqual(expect.arrayContaining(["staff.directory", "staff.signedIn"]));
  });

  test("signs in as no one without a link, whatever the directory calls them, and the refusal is in the audit log", async () => {
    await staffMember(shared.venue, "yusuf", ["attendant"]);
    expect(await signIn(staffClient(shared.venue), "yusuf")).toMatchObject({
      status: 403,
      body: { problem: "directory.notLinked" },
    });
    const entries = db().selectFrom("audit.entries").select(["subject", "actor"]).where("type", "=", "loginFail");
    expect(await entries.where("subject", "like", "directory:%").execute()).toContainEqual(
      expect.objectContaining({ actor: "visitor" }),
    );
  });

  test("is linked with one member of staff alone; the invitation of the other is not used up", async () => {
    await linked("umut");
    const { token } = await invited("umut-two");
    const client = staffClient(shared.venue);
    shared.directory.person.is = "umut";
    expect(await finish(client, await sent(client, "invitation", { token }))).toMatchObject({
      status: 409,
      body: { problem: "directory.taken" },
    });
    expect((await client.post("invitation", { token })).status).toBe(200);
  });

  test("is found by issuer and subject: the same subject of another issuer is somebody else", async () => {
    const { id } = await linked("seda");
    await db()
      .updateTable("staff_directory_link")
      .set({ issuer: "https://other.example" })
      .where("staff_id", "=", id)
      .execute();
    expect((await signIn(staffClient(shared.venue), "seda")).body).toMatchObject({ problem: "directory.notLinked" });
  });

  test("of an account that has ended signs in no more", async () => {
    const { id } = await linked("rana");
    await runTransaction(db(), (trx) => endPerson(trx, id));
    expect((await signIn(staffClient(shared.venue), "rana")).body).toMatchObject({ problem: "directory.notLinked" });
  });

  test("who comes back after the account has ended is linked with the new account", async () => {
    const { id } = await linked("tuna");
    await runTransaction(db(), (trx) => endPerson(trx, id));
    const { id: again, token } = await invited("tuna-again");
    const client = staffClient(shared.venue);
    shared.directory.person.is = "tuna";
    expect(await finish(client, await sent(client, "invitation", { token }))).toMatchObject({ status: 200 });
    expect((await signIn(staffClient(shared.venue), "tuna")).body).toMatchObject({ person: { id: again } });
  });

  test("of a renewed invitation is linked no more", async () => {
    const { id } = await linked("pelin");
    await runTransaction(db(), (trx) => invite(trx, systemRandom, id));
    expect((await signIn(staffClient(shared.venue), "pelin")).body).toMatchObject({ problem: "directory.notLinked" });
  });

  test("makes a passkey in the sign-in of the invitation, and not in a later one", async () => {
    const { client } = await linked("onur");
    const later = staffClient(shared.venue);
    await signIn(later, "onur");
    await later.me();
    expect((await later.post("me/passkeys/begin")).body).toMatchObject({ problem: "passkey.first" });
    const body = { id: "renew-codes-1" };
    expect((await later.post("step-up/begin", { call: "renewRecoveryCodes", params: {}, body })).body).toMatchObject({
      problem: "stepUp.noPasskey",
    });
    const begun = await client.post("me/passkeys/begin");
    const { challenge } = begun.body["options"] as { challenge: string };
    const response = softwarePasskey().register({ origin: STAFF_ORIGIN, challenge });
    const made = await client.post("me/passkeys/finish", { ceremony: begun.body["ceremony"], label: "key", response });
    expect(made.status).toBe(200);
  });
});

describe("a link that is taken away", () => {
  test("by an administrator ends the sign-ins that it made, and no other one", async () => {
    const { id, client } = await linked("nazan");
    const later = staffClient(shared.venue);
    await signIn(later, "nazan");
    await later.me();
    const admin = await staffMember(shared.venue, "boss", ["administrator"]);
    expect((await admin.get("staff")).body["rows"]).toContainEqual(
      expect.objectContaining({ id, directory: "nazan@levent.example", state: "active" }),
    );
    const unlinked = await admin.act("unlinkDirectory", { id }, { reason: "left the team" });
    expect(unlinked.body).toMatchObject({ is: "done" });
    for (const one of [client, later]) expect((await one.get("me")).status).toBe(401);
    expect((await admin.get("me")).status).toBe(200);
    expect((await signIn(staffClient(shared.venue), "nazan")).body).toMatchObject({ problem: "directory.notLinked" });
    const again = await admin.act("unlinkDirectory", { id }, { reason: "twice" });
    expect(again.body).toMatchObject({ problem: "thing.unknown" });
  });

  test("by its person needs another way in, and a passkey's word", async () => {
    const { id, client } = await linked("melike");
    expect((await client.post("me/directory/unlink", { id: "unlink-mine-1" })).body).toMatchObject({
      problem: "stepUp.needed",
    });
    const member = await staffMember(shared.venue, "mert", ["attendant"]);
    expect((await member.act("unlinkMyDirectory", {}, {})).body).toMatchObject({ problem: "thing.unknown" });
    const link = { issuer: shared.directory.issuer, subject: "mert", name: "mert" };
    await db()
      .insertInto("staff_directory_link")
      .values({ staff_id: member.id, ...link })
      .execute();
    expect((await member.act("unlinkMyDirectory", {}, {}, "unlink-mine-2")).body).toMatchObject({ is: "done" });
    expect((await signIn(staffClient(shared.venue), "mert")).body).toMatchObject({ problem: "directory.notLinked" });
    expect((await signIn(staffClient(shared.venue), "melike")).body).toMatchObject({ person: { id } });
  });
});

describe("a browser that was sent to the directory", () => {
  test("goes there with PKCE, a state, a nonce and the console's own address, and must sign in anew", async () => {
    const client = staffClient(shared.venue);
    const { body } = await client.post("sign-in/directory/begin", {}, { "x-forwarded-host": "evil.example" });
    const { searchParams, origin } = new URL(String(body["href"]));
    expect(origin).toBe(shared.directory.issuer);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      redirect_uri: `${STAFF_ORIGIN}/directory`,
      response_type: "code",
      code_challenge_method: "S256",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      prompt: "login",
      max_age: "0",
    });
  });

  test("keeps its attempt in a cookie that is strict, closed to scripts, and by https held to the very host", async () => {
    const https = "https://staff.example.org";
    const env = { STAFF_PORT: "0", STAFF_PUBLIC_URL: https, ...shared.directory.env };
    const secure = await testVenue({ database: shared.venue.db, env });
    try {
      for (const [{ platform }, origin, cookie] of [
        [shared.venue, STAFF_ORIGIN, /^longarm-directory=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/],
        [secure, https, /^__Host-longarm-directory=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/],
      ] as const) {
        const headers = { host: new URL(origin).host, origin };
        const reply = await platform.staff!.app.inject({
          method: "POST",
          url: "/staff/v1/sign-in/directory/begin",
          headers,
          payload: {},
        });
        expect(reply.headers["set-cookie"]).toMatch(cookie);
        const forged = { ...headers, origin: "https://evil.example" };
        for (const call of ["begin", "finish"]) {
          const url = `/staff/v1/sign-in/directory/${call}`;
          const refused = await platform.staff!.app.inject({
            method: "POST",
            url,
            headers: forged,
            payload: { answer: "x" },
          });
          expect(refused.json()).toMatchObject({ problem: "csrf.wrong" });
        }
      }
    } finally {
      await secure.close(true);
    }
  });

  test("brings its answer once: code and state that are replayed open nothing", async () => {
    await linked("leyla");
    const client = staffClient(shared.venue);
    const answer = await sent(client);
    const { attempt } = client;
    const answers = await Promise.all([finish(client, answer), finish(client, answer)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    client.attempt = attempt;
    expect((await finish(client, answer)).body).toMatchObject({ problem: "ceremony.invalid" });
  });

  test("alone may bring it: the answer of an attacker's attempt signs no victim in, with or without an attempt of its own", async () => {
    await linked("kadir");
    shared.directory.person.is = "kadir";
    const attacker = staffClient(shared.venue);
    const answer = await sent(attacker);
    const victim = staffClient(shared.venue);
    expect((await finish(victim, answer)).body).toMatchObject({ problem: "ceremony.invalid" });
    await victim.post("sign-in/directory/begin");
    expect((await finish(victim, answer)).body).toMatchObject({ problem: "directory.refused" });
    expect(victim.cookie).toBe("");
    expect((await victim.get("me")).status).toBe(401);
  });

  test("brings a code of the same directory that was made for another attempt: PKCE refuses it", async () => {
    await linked("jale");
    shared.directory.person.is = "jale";
    const stolen = new URLSearchParams(await sent(staffClient(shared.venue)));
    const thief = staffClient(shared.venue);
    const own = new URLSearchParams(await sent(thief));
    own.set("code", stolen.get("code") ?? "");
    expect((await finish(thief, own.toString())).body).toMatchObject({ problem: "directory.refused" });
  });

  test("gets a cookie that is new, whatever was planted before", async () => {
    await linked("irem");
    const client = staffClient(shared.venue);
    const planted = `longarm-staff=${"A".repeat(43)}`;
    client.cookie = planted;
    expect((await signIn(client, "irem")).status).toBe(200);
    expect(client.cookie).not.toBe(planted);
    const other = staffClient(shared.venue);
    other.cookie = planted;
    expect((await other.get("me")).status).toBe(401);
  });

  test("with two cookies of an attempt, one of them planted, uses neither", async () => {
    await linked("hilal");
    const client = staffClient(shared.venue);
    shared.directory.person.is = "hilal";
    const answer = await sent(client);
    client.attempt = `longarm-directory=${"A".repeat(43)}; ${client.attempt}`;
    expect((await finish(client, answer)).body).toMatchObject({ problem: "ceremony.invalid" });
  });

  test("is too late after ten minutes", async () => {
    const client = staffClient(shared.venue);
    const answer = await sent(client);
    await db()
      .updateTable("staff_directory_attempt")
      .set({ expires_at: new Date(0) })
      .execute();
    expect((await finish(client, answer)).body).toMatchObject({ problem: "ceremony.invalid" });
  });

  test("comes back from another issuer (mix-up), with two codes, with an error, or with nothing: refused", async () => {
    await linked("gonca");
    const changes: ((answer: URLSearchParams) => unknown)[] = [
      (answer) => answer.set("iss", "https://evil.example"),
      (answer) => answer.delete("iss"),
      (answer) => answer.append("code", "another"),
      (answer) => answer.set("state", "A".repeat(43)),
      (answer) => answer.delete("state"),
      (answer) => answer.set("error", "access_denied"),
      (answer) => answer.set("id_token", "e30.e30.e30"),
      (answer) => answer.delete("code"),
    ];
    for (const change of changes) {
      const client = staffClient(shared.venue);
      shared.directory.person.is = "gonca";
      const answer = new URLSearchParams(await sent(client));
      change(answer);
      const { status, body } = await finish(client, answer.toString());
      expect({ change: String(change), status, problem: body["problem"] }).toEqual({
        change: String(change),
        status: 401,
        problem: "directory.refused",
      });
    }
    const client = staffClient(shared.venue);
    await sent(client);
    for (const answer of ["", "x".repeat(9_000)]) expect((await finish(client, answer)).status).toBe(400);
    expect((await finish(client, "#?%%%&&=\u0000")).status).toBe(401);
  });

  test("for an invitation uses it up once, also when two come back with it", async () => {
    const { token } = await invited("ferit");
    shared.directory.person.is = "ferit";
    const [one, other] = [staffClient(shared.venue), staffClient(shared.venue)];
    const answers = [await sent(one, "invitation", { token }), await sent(other, "invitation", { token })] as const;
    expect((await finish(one, answers[0])).status).toBe(200);
    expect((await finish(other, answers[1])).body).toMatchObject({ problem: "invitation.invalid" });
    const wrong = await staffClient(shared.venue).post("invitation/directory/begin", { token: "x".repeat(43) });
    expect(wrong.body).toMatchObject({ problem: "invitation.invalid" });
  });
});

describe("a screen that is locked", () => {
  const unlock = async (client: StaffClient) =>
    await client.post("unlock/directory/finish", { answer: await sent(client, "unlock") });

  test("opens for the person who is signed in, and for no other one of the directory", async () => {
    const { client } = await linked("elif");
    await linked("deniz");
    await client.post("lock");
    expect((await client.get("me/passkeys")).status).toBe(423);
    shared.directory.person.is = "deniz";
    expect((await unlock(client)).body).toMatchObject({ problem: "directory.notLinked" });
    shared.directory.person.is = "elif";
    expect((await unlock(client)).body).toMatchObject({ signIn: { locked: false } });
    expect((await client.get("me/passkeys")).status).toBe(200);
  });

  test("does not open by an answer of a sign-in, nor by the attempt of another screen", async () => {
    const { client } = await linked("cihan");
    const other = staffClient(shared.venue);
    await signIn(other, "cihan");
    await other.me();
    for (const one of [client, other]) await one.post("lock");
    const plain = await sent(client);
    expect((await client.post("unlock/directory/finish", { answer: plain })).body).toMatchObject({
      problem: "ceremony.invalid",
    });
    const answer = await sent(client, "unlock");
    other.attempt = client.attempt;
    expect((await other.post("unlock/directory/finish", { answer })).body).toMatchObject({
      problem: "ceremony.invalid",
    });
    const stolen = staffClient(shared.venue);
    const unlocking = await sent(client, "unlock");
    stolen.attempt = client.attempt;
    expect((await finish(stolen, unlocking)).body).toMatchObject({ problem: "ceremony.invalid" });
  });
});

test("neither the client's secret nor a code, a state or a token is in the log", async () => {
  await linked("asli");
  const client = staffClient(shared.venue);
  const answer = await sent(client);
  shared.directory.fail({ idToken: (right) => `${right}x` });
  await finish(client, answer);
  const log = shared.venue.lines.join("\n");
  for (const secret of [shared.directory.env.OIDC_CLIENT_SECRET, ...new URLSearchParams(answer).values()])
    if (secret !== shared.directory.issuer) expect(log).not.toContain(secret);
  expect(log).not.toMatch(/eyJ[\w-]+\./);
});

import { runTransaction } from "@longarm/database/run-transaction";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import { authenticatorApp } from "../../../testing/authenticator-app.ts";
import { softwarePasskey } from "../../../testing/software-passkey.ts";
import { STAFF_ORIGIN, staffClient, staffMember } from "../../../testing/staff-client.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import type { StaffTables } from "../accounts/index.ts";
import { addPerson, invite } from "../accounts/index.ts";

let venue: TestVenue;
beforeAll(async () => {
  venue = await testVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } });
});
afterAll(() => venue.close());

const db = () =>
  venue.db.kysely.withTables<StaffTables & { "audit.entries": { type: string; subject: string; facts: object } }>();
const entriesOf = async (subject: string) =>
  (await db().selectFrom("audit.entries").select("type").where("subject", "=", subject).orderBy("type").execute()).map(
    ({ type }) => type,
  );

async function invited(username: string): Promise<{ id: string; token: string }> {
  return await runTransaction(db(), async (trx) => {
    const added = await addPerson(trx, systemRandom, {
      username,
      name: username,
      roles: ["attendant"],
      addedBy: "test",
    });
    if (added.is !== "added") throw new Error(added.is);
    return { id: added.id, ...(await invite(trx, systemRandom, added.id)) };
  });
}

/** Somebody who accepted the invitation with a password; `codeAt` are the figures of an authenticator app, so many steps ahead. */
async function withPassword(username: string) {
  const { id, token } = await invited(username);
  const client = staffClient(venue);
  const password = "a long enough phrase";
  const begun = await client.post("invitation/password/begin", { token, password });
  const codeAt = authenticatorApp(String(begun.body["secret"]), venue.clock);
  const entered = await client.post("invitation/password/finish", {
    token,
    ceremony: begun.body["ceremony"],
    code: codeAt(-1),
  });
  expect(entered.status).toBe(200);
  await client.me();
  return { id, client, password, codeAt, recoveryCodes: entered.body["recoveryCodes"] as string[] };
}

async function byPasskey(
  client = staffClient(venue),
  passkey = softwarePasskey(),
  over: object = {},
  origin = STAFF_ORIGIN,
) {
  const begun = await client.post("sign-in/passkey/begin");
  const { challenge } = begun.body["options"] as { challenge: string };
  return await client.post("sign-in/passkey/finish", {
    ceremony: begun.body["ceremony"],
    response: passkey.sign({ origin, challenge }, over),
  });
}

describe("a passkey", () => {
  test("signs in with the person verified, and writes it to the audit log", async () => {
    const eva = await staffMember(venue, "eva", ["attendant"]);
    const client = staffClient(venue);
    const entered = await byPasskey(client, eva.passkey);
    expect(entered.status).toBe(200);
    expect(entered.body).toMatchObject({
      person: { username: "eva", roles: ["attendant"] },
      signIn: { how: "passkey" },
    });
    expect(await entriesOf(`staff:${eva.id}`)).toEqual(
      expect.arrayContaining(["staff.account", "staff.passkey", "staff.rights", "staff.signedIn", "staff.invitation"]),
    );
  });

  test("is refused without verification, of another origin, of a stranger, copied, and replayed", async () => {
    const can = await staffMember(venue, "can", ["cashier"]);
    expect((await byPasskey(staffClient(venue), can.passkey, { verified: false })).status).toBe(401);
    expect((await byPasskey(staffClient(venue), can.passkey, {}, "http://evil.example")).status).toBe(401);
    expect((await byPasskey(staffClient(venue), softwarePasskey())).status).toBe(401);
    const client = staffClient(venue);
    const begun = await client.post("sign-in/passkey/begin");
    const { challenge } = begun.body["options"] as { challenge: string };
    const answer = {
      ceremony: begun.body["ceremony"],
      response: can.passkey.sign({ origin: STAFF_ORIGIN, challenge }),
    };
    expect((await client.post("sign-in/passkey/finish", answer)).status).toBe(200);
    expect(await staffClient(venue).post("sign-in/passkey/finish", answer)).toMatchObject({
      status: 401,
      body: { problem: "signIn.wrong" },
    });
    can.passkey.rewind();
    expect((await byPasskey(staffClient(venue), can.passkey)).status).toBe(401);
  });

  test("gives a new cookie each time: one that was planted before opens nothing", async () => {
    const ela = await staffMember(venue, "ela", ["attendant"]);
    const planted = `longarm-staff=${"A".repeat(43)}`;
    const client = staffClient(venue);
    client.cookie = planted;
    await byPasskey(client, ela.passkey);
    expect(client.cookie).not.toBe(planted);
    const other = staffClient(venue);
    other.cookie = planted;
    expect((await other.get("me")).status).toBe(401);
    other.cookie = `${planted}; ${client.cookie}`;
    expect((await other.get("me")).status).toBe(401);
  });
});

describe("an invitation", () => {
  test("is used once, also by two at the same moment", async () => {
    const { token } = await invited("once");
    const begin = async () => {
      const client = staffClient(venue);
      const begun = await client.post("invitation/passkey/begin", { token });
      const { challenge } = begun.body["options"] as { challenge: string };
      const response = softwarePasskey().register({ origin: STAFF_ORIGIN, challenge });
      return () =>
        client.post("invitation/passkey/finish", { token, ceremony: begun.body["ceremony"], label: "x", response });
    };
    const [one, other] = [await begin(), await begin()];
    const answers = await Promise.all([one(), other()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
    expect((await staffClient(venue).post("invitation", { token })).status).toBe(410);
  });

  test("is over after a day, and when a newer one was made", async () => {
    const first = await invited("late");
    const newer = await runTransaction(db(), (trx) => invite(trx, systemRandom, first.id));
    expect((await staffClient(venue).post("invitation", { token: first.token })).status).toBe(410);
    expect((await staffClient(venue).post("invitation", { token: newer.token })).status).toBe(200);
    await db()
      .updateTable("staff_invitation")
      .set({ expires_at: new Date(0) })
      .where("staff_id", "=", first.id)
      .execute();
    expect((await staffClient(venue).post("invitation", { token: newer.token })).status).toBe(410);
  });

  test("refuses a common password, and one that holds the person's name", async () => {
    const { token } = await invited("gizem");
    for (const password of ["password1", "gizem123", "short"])
      expect(await staffClient(venue).post("invitation/password/begin", { token, password })).toMatchObject({
        body: { problem: "password.weak" },
      });
  });
});

describe("a password", () => {
  test("signs in with the figures of the app, which are good once; a recovery code replaces them once", async () => {
    const { client, password, codeAt, recoveryCodes } = await withPassword("deniz");
    const sign = (more: object) =>
      client.post(`sign-in/${"code" in more ? "password" : "recovery"}`, { username: "Deniz", password, ...more });
    const code = codeAt(0);
    expect((await sign({ code })).status).toBe(200);
    expect((await sign({ code })).status).toBe(401);
    const [recoveryCode] = recoveryCodes;
    expect((await sign({ recoveryCode: recoveryCode?.toLowerCase() })).body).toMatchObject({
      signIn: { how: "recoveryCode" },
      recoveryCodesLeft: 9,
    });
    expect((await sign({ recoveryCode })).status).toBe(401);
  });

  test("is answered the same for a wrong password, wrong figures and an unknown name, then blocked", async () => {
    const { id, password, codeAt } = await withPassword("emre");
    const stranger = staffClient(venue);
    const tries = [
      { username: "emre", password: "wrong phrase here", code: codeAt(0) },
      { username: "emre", password, code: "000000" },
    ];
    const wrong = await Promise.all(tries.map((body) => stranger.post("sign-in/password", body)));
    wrong.push(await stranger.post("sign-in/password", { username: "no one here", password, code: codeAt(0) }));
    for (const { status, body } of wrong)
      expect({ status, problem: body["problem"] }).toEqual({ status: 401, problem: "signIn.wrong" });
    for (let more = 0; more < 4; more += 1) await stranger.post("sign-in/password", tries[0] ?? {});
    expect(await stranger.post("sign-in/password", { username: "emre", password, code: codeAt(0) })).toMatchObject({
      status: 403,
      body: { problem: "signIn.blocked" },
    });
    expect(await entriesOf(`staff:${id}`)).toEqual(expect.arrayContaining(["loginFail", "temporaryBlocked"]));
  });

  test("of one name is counted as one, however it is spelled", async () => {
    await withPassword("kemal");
    const stranger = staffClient(venue);
    const wrong = (username: string) => stranger.post("sign-in/password", { username, password: "x", code: "000000" });
    for (const username of ["kemal", " kemal", "KEMAL", "\u3000kemal ", "\uff4bemal"])
      expect((await wrong(username)).status).toBe(401);
    for (const username of ["kemal", "  Kemal"]) expect((await wrong(username)).status).toBe(403);
  });

  test("tried from everywhere is blocked, but not where its person signed in before; the player of the same name counts nothing", async () => {
    const env = {
      STAFF_PORT: "0",
      LOGIN_ATTEMPTS_NAME: "6",
      LOGINS_PER_MINUTE_ADDRESS: "10000",
      TRUSTED_PROXY_HOPS: "1",
    };
    const watched = await testVenue({ database: venue.db, env });
    try {
      await watched.addPlayer("melis");
      const { id, password, codeAt } = await withPassword("melis");
      const client = staffClient(watched);
      const from = (address: string, given: string, code: string) =>
        client.post("sign-in/password", { username: "melis", password: given, code }, { "x-forwarded-for": address });
      expect((await from("192.0.2.1", password, codeAt(0))).status).toBe(200);
      for (let at = 1; at <= 6; at += 1) expect((await from(`198.51.100.${at}`, "x", "000000")).status).toBe(401);
      await sql`insert into auth_session (jti, player_id, address, expires_at)
        select 'plays-there', id, '198.51.100.9', now() + interval '1 hour' from player where username_key = 'melis'`.execute(
        db(),
      );
      expect((await from("198.51.100.9", password, codeAt(1))).body).toMatchObject({ problem: "signIn.blocked" });
      expect((await from("192.0.2.1", password, codeAt(1))).body).toMatchObject({ person: { id } });
    } finally {
      await watched.close(true);
    }
  });

  test("does nothing that needs a passkey", async () => {
    const { client } = await withPassword("fatma");
    const body = { id: "renew-codes-1" };
    expect(await client.post("me/recovery-codes", body)).toMatchObject({ body: { problem: "stepUp.needed" } });
    expect(await client.post("step-up/begin", { call: "renewRecoveryCodes", params: {}, body })).toMatchObject({
      body: { problem: "stepUp.noPasskey" },
    });
  });
});

describe("the first passkey", () => {
  const add = async (client: Awaited<ReturnType<typeof withPassword>>["client"]) => {
    const begun = await client.post("me/passkeys/begin");
    if (begun.status !== 200) return begun;
    const { challenge } = begun.body["options"] as { challenge: string };
    const response = softwarePasskey().register({ origin: STAFF_ORIGIN, challenge });
    return await client.post("me/passkeys/finish", { ceremony: begun.body["ceremony"], label: "key", response });
  };

  test("is made in the sign-in of the invitation, never after a password or a recovery code", async () => {
    const { id, password, codeAt, recoveryCodes } = await withPassword("sevda");
    const thief = staffClient(venue);
    for (const [way, factor] of [
      ["password", { code: codeAt(0) }],
      ["recovery", { recoveryCode: recoveryCodes[0] }],
    ] as const) {
      expect((await thief.post(`sign-in/${way}`, { username: "sevda", password, ...factor })).status).toBe(200);
      await thief.me();
      expect(await add(thief)).toMatchObject({ status: 403, body: { problem: "passkey.first" } });
    }
    expect(await db().selectFrom("staff_passkey").select("id").where("staff_id", "=", id).execute()).toEqual([]);
    const { client } = await withPassword("sena");
    expect((await add(client)).status).toBe(200);
    expect((await add(client)).body).toMatchObject({ problem: "stepUp.needed" });
  });

  test("is not kept either where the ceremony began while there was another", async () => {
    const { client, password, codeAt } = await withPassword("simge");
    expect((await add(client)).status).toBe(200);
    const thief = staffClient(venue);
    await thief.post("sign-in/password", { username: "simge", password, code: codeAt(0) });
    await thief.me();
    const begun = await thief.post("me/passkeys/begin");
    const { challenge } = begun.body["options"] as { challenge: string };
    const response = softwarePasskey().register({ origin: STAFF_ORIGIN, challenge });
    await db().deleteFrom("staff_passkey").where("label", "=", "key").execute();
    const late = { ceremony: begun.body["ceremony"], label: "late", response };
    expect((await thief.post("me/passkeys/finish", late)).body).toMatchObject({ problem: "passkey.first" });
  });
});

describe("a screen without input", () => {
  test("locks after the idle time, reads nothing, and a passkey opens it", async () => {
    const lale = await staffMember(venue, "lale", ["attendant"]);
    await db()
      .updateTable("staff_sign_in")
      .set({ active_at: new Date(0) })
      .where("staff_id", "=", lale.id)
      .execute();
    expect(await lale.get("me/passkeys")).toMatchObject({ status: 423, body: { problem: "signIn.locked" } });
    expect((await lale.get("me")).body).toMatchObject({ signIn: { locked: true } });
    expect((await lale.post("active")).status).toBe(423);
    const begun = await lale.post("unlock/passkey/begin");
    const { challenge } = begun.body["options"] as { challenge: string };
    const unlock = (passkey: typeof lale.passkey) =>
      lale.post("unlock/passkey/finish", {
        ceremony: begun.body["ceremony"],
        response: passkey.sign({ origin: STAFF_ORIGIN, challenge }),
      });
    expect((await unlock(lale.passkey)).status).toBe(200);
    expect((await lale.get("me/passkeys")).status).toBe(200);
    expect(await entriesOf(`staff:${lale.id}`)).toEqual(expect.arrayContaining(["staff.locked", "staff.unlocked"]));
  });

  test("is not opened by a passkey of somebody else", async () => {
    const [mert, nil] = [
      await staffMember(venue, "mert", ["attendant"]),
      await staffMember(venue, "nil", ["supervisor"]),
    ];
    await mert.post("lock");
    const begun = await mert.post("unlock/passkey/begin");
    const { challenge } = begun.body["options"] as { challenge: string };
    const answer = await mert.post("unlock/passkey/finish", {
      ceremony: begun.body["ceremony"],
      response: nil.passkey.sign({ origin: STAFF_ORIGIN, challenge }),
    });
    expect(answer.status).toBe(401);
    expect((await mert.get("me/passkeys")).status).toBe(423);
  });
});

describe("sign-ins", () => {
  test("are listed, and one that is ended opens nothing at once", async () => {
    const oya = await staffMember(venue, "oya", ["attendant"]);
    const phone = staffClient(venue);
    await byPasskey(phone, oya.passkey);
    const { rows } = (await oya.get("me/sign-ins")).body as { rows: { id: string; isThis: boolean }[] };
    expect(rows).toHaveLength(2);
    const other = rows.find(({ isThis }) => !isThis)?.id ?? "";
    expect((await oya.post(`me/sign-ins/${other}/end`, { id: "end-of-phone" })).body).toMatchObject({ is: "done" });
    expect((await phone.get("me")).status).toBe(401);
    expect((await oya.get("me")).status).toBe(200);
  });

  test("of somebody else are not one's own to end", async () => {
    const [pinar, rana] = [
      await staffMember(venue, "pinar", ["attendant"]),
      await staffMember(venue, "rana", ["attendant"]),
    ];
    const { rows } = (await rana.get("me/sign-ins")).body as { rows: { id: string }[] };
    expect((await pinar.post(`me/sign-ins/${rows[0]?.id}/end`, { id: "end-of-other" })).status).toBe(404);
    expect((await rana.get("me")).status).toBe(200);
  });

  test("of two administrators who end each other at the same moment: one of them stays", async () => {
    const [one, other] = [
      await staffMember(venue, "admin-a", ["administrator"]),
      await staffMember(venue, "admin-b", ["administrator"]),
    ];
    const waiting = async () =>
      (
        await sql<{ pid: number }>`select pid from pg_locks where not granted and relation = 'staff_has_role'::regclass
          and database = (select oid from pg_database where datname = current_database())`.execute(db())
      ).rows.length;
    const answers = await db()
      .transaction()
      .execute(async (trx) => {
        await sql`lock table staff_has_role in share row exclusive mode`.execute(trx);
        const both = [
          one.act("endStaff", { id: other.id }, { reason: "me first" }),
          other.act("endStaff", { id: one.id }, { reason: "me first" }),
        ];
        await expect.poll(waiting).toBe(2);
        return both;
      });
    const ended = await Promise.all(answers);
    expect(ended.map(({ status }) => status).sort()).toEqual([200, 401]);
    const left = await db()
      .selectFrom("staff")
      .select("id")
      .where("id", "in", [one.id, other.id])
      .where("ended_at", "is", null);
    expect(await left.execute()).toHaveLength(1);
  });

  test("end with the account, which signs in no more", async () => {
    const admin = await staffMember(venue, "sibel", ["administrator"]);
    const tolga = await staffMember(venue, "tolga", ["cashier"]);
    const body = { id: "end-tolga", reason: "left us" };
    const stepUp = await admin.stepUp("endStaff", { id: tolga.id }, body);
    expect((await admin.post(`staff/${tolga.id}/end`, { ...body, stepUp })).body).toMatchObject({ is: "done" });
    expect((await tolga.get("me")).status).toBe(401);
    expect((await byPasskey(staffClient(venue), tolga.passkey)).status).toBe(401);
  });
});

describe("a step-up", () => {
  test("is good for the one act with the one content, once, by the one sign-in", async () => {
    const admin = await staffMember(venue, "umut", ["administrator"]);
    const [one, other] = [
      await staffMember(venue, "veli", ["cashier"]),
      await staffMember(venue, "yasemin", ["cashier"]),
    ];
    const body = { id: "end-veli", reason: "left" };
    const stepUp = await admin.stepUp("endStaff", { id: one.id }, body);
    const refused = { status: 403, body: { problem: "stepUp.needed" } };
    expect(await admin.post(`staff/${other.id}/end`, { ...body, stepUp })).toMatchObject(refused);
    expect(await admin.post(`staff/${one.id}/end`, { ...body, reason: "other", stepUp })).toMatchObject(refused);
    expect(await admin.post(`staff/${one.id}/end`, body)).toMatchObject(refused);
    expect((await admin.post(`staff/${one.id}/end`, { ...body, stepUp })).body).toMatchObject({
      is: "done",
      repeated: false,
    });
    expect((await admin.post(`staff/${one.id}/end`, { ...body, stepUp })).body).toMatchObject({
      is: "done",
      repeated: true,
    });
    expect(await admin.post(`staff/${other.id}/end`, { ...body, stepUp })).toMatchObject({
      body: { problem: "act.idUsed" },
    });
  });

  test("is not needed for a dry run, which changes nothing", async () => {
    const admin = await staffMember(venue, "zeki", ["administrator"]);
    const ayse = await staffMember(venue, "ayse", ["cashier"]);
    const dry = await admin.post(`staff/${ayse.id}/end`, { id: "end-ayse", dryRun: true, reason: "try" });
    expect(dry.body).toMatchObject({ is: "dryRun" });
    expect((await ayse.get("me")).status).toBe(200);
  });
});

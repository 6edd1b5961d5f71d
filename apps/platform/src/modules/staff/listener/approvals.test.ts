import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { softwarePasskey } from "../../../testing/software-passkey.ts";
import { STAFF_ORIGIN, staffClient, staffMember } from "../../../testing/staff-client.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import type { StaffTables } from "../accounts/index.ts";
import { rightsOf } from "../accounts/index.ts";

type Member = Awaited<ReturnType<typeof staffMember>>;
let venue: TestVenue;
let eva: Member;
let tolga: Member;
let okan: Member;
beforeAll(async () => {
  venue = await testVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } });
  eva = await staffMember(venue, "eva", ["administrator"]);
  tolga = await staffMember(venue, "tolga", ["administrator"]);
  okan = await staffMember(venue, "okan", ["supervisor"]);
});
afterAll(() => venue.close());

const db = () => venue.db.kysely.withTables<StaffTables>();
const rolesOf = async (member: Member) => [...(await rightsOf(db(), member.id)).roles];
let acts = 0;
function actId(): string {
  acts += 1;
  return `act-number-${acts}`;
}

/** Sends an act with its step-up. */
async function act(member: Member, call: string, path: string, params: Record<string, string>, fields: object) {
  const body = { id: actId(), ...fields };
  return await member.post(path, { ...body, stepUp: await member.stepUp(call, params, body) });
}

async function request(by: Member, person: Member, roles: string[]) {
  const answer = await act(
    by,
    "changeRoles",
    `staff/${person.id}/roles`,
    { id: person.id },
    { roles, reason: "new tasks" },
  );
  expect(answer.body).toMatchObject({ is: "waiting" });
  const id = String(answer.body["approval"]);
  const { body } = await tolga.get(`approvals/${id}`);
  return { id, hash: String(body["hash"]) };
}

const sign = (by: Member, { id, hash }: { id: string; hash: string }) =>
  act(by, "signApproval", `approvals/${id}/sign`, { id }, { hash });

describe("a change of roles", () => {
  test("waits for another administrator, and is done with the signature", async () => {
    const can = await staffMember(venue, "can", ["attendant"]);
    const waiting = await request(eva, can, ["cashier"]);
    expect(await rolesOf(can)).toEqual(["attendant"]);
    expect((await tolga.get("approvals")).body).toMatchObject({
      rows: [{ id: waiting.id, maySign: true, content: { roles: ["cashier"] } }],
    });
    expect((await eva.get("approvals?which=mine")).body).toMatchObject({ rows: [{ id: waiting.id, maySign: false }] });
    expect((await sign(tolga, waiting)).body).toMatchObject({ is: "done" });
    expect(await rolesOf(can)).toEqual(["cashier"]);
    expect((await tolga.get(`approvals/${waiting.id}`)).body).toMatchObject({
      state: "done",
      decidedBy: { id: tolga.id },
    });
  });

  test("is never signed by the person who requested it, by a role without the right, or without a step-up", async () => {
    const deniz = await staffMember(venue, "deniz", ["attendant"]);
    const waiting = await request(eva, deniz, ["technician"]);
    expect((await sign(eva, waiting)).body).toMatchObject({ problem: "approval.own" });
    expect((await sign(okan, waiting)).body).toMatchObject({ problem: "permission.missing" });
    expect((await sign(deniz, waiting)).body).toMatchObject({ problem: "thing.unknown" });
    const bare = { id: actId(), hash: waiting.hash };
    expect((await tolga.post(`approvals/${waiting.id}/sign`, bare)).body).toMatchObject({ problem: "stepUp.needed" });
    expect(await rolesOf(deniz)).toEqual(["attendant"]);
  });

  test("is not signed with another hash, or after the roles changed; its content cannot be changed at all", async () => {
    const emre = await staffMember(venue, "emre", ["attendant"]);
    const waiting = await request(eva, emre, ["technician"]);
    expect((await sign(tolga, { ...waiting, hash: "0".repeat(64) })).body).toMatchObject({
      problem: "approval.changed",
    });
    const edited = sql`update approval set content = '{"person":"x","roles":["administrator"],"before":[]}' where id = ${waiting.id}`;
    await expect(edited.execute(db())).rejects.toThrow("does not change");
    await db().updateTable("staff_has_role").set({ role: "auditor" }).where("staff_id", "=", emre.id).execute();
    expect((await sign(tolga, waiting)).body).toMatchObject({ problem: "approval.changed" });
    expect(await rolesOf(emre)).toEqual(["auditor"]);
  });

  test("is signed once: a replay, and two at the same moment, do nothing more", async () => {
    const fatma = await staffMember(venue, "fatma", ["attendant"]);
    const waiting = await request(eva, fatma, ["cashier"]);
    const sibel = await staffMember(venue, "sibel", ["administrator"]);
    const answers = await Promise.all([sign(tolga, waiting), sign(sibel, waiting)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await sign(tolga, waiting)).body).toMatchObject({ problem: "approval.over" });
  });

  test("is over after its time, after a refusal, when withdrawn, and when its requester's sign-in ends", async () => {
    const gul = await staffMember(venue, "gul", ["attendant"]);
    const over = async (end: (id: string) => Promise<unknown>, by = eva) => {
      const waiting = await request(by, gul, ["cashier"]);
      await end(waiting.id);
      return (await sign(tolga, waiting)).body["problem"];
    };
    expect(await over((id) => tolga.post(`approvals/${id}/refuse`, { id: actId(), reason: "not now" }))).toBe(
      "approval.over",
    );
    expect(await over((id) => eva.post(`approvals/${id}/withdraw`, { id: actId() }))).toBe("approval.over");
    const late = await request(eva, gul, ["cashier"]);
    await sql`alter table approval disable trigger approval_is_kept`.execute(db());
    await db()
      .updateTable("approval")
      .set({ expires_at: new Date(0) })
      .where("id", "=", late.id)
      .execute();
    await sql`alter table approval enable trigger approval_is_kept`.execute(db());
    expect((await sign(tolga, late)).body).toMatchObject({ problem: "approval.over", params: { state: "expired" } });
    const hakan = await staffMember(venue, "hakan", ["administrator"]);
    expect(await over(() => hakan.post("sign-out"), hakan)).toBe("approval.over");
    expect(await rolesOf(gul)).toEqual(["attendant"]);
  });

  test("to roles that one person never has together is refused at once; an invitation gives none until it is signed", async () => {
    const irem = await staffMember(venue, "irem", ["attendant"]);
    const both = await act(
      eva,
      "changeRoles",
      `staff/${irem.id}/roles`,
      { id: irem.id },
      { roles: ["auditor", "cashier"], reason: "x" },
    );
    expect(both.body).toMatchObject({ problem: "signIn.separateRoles" });
    const fields = { username: "lale", name: "Lale", roles: ["cashier"], reason: "new" };
    const invited = (await act(eva, "inviteStaff", "staff/invite", {}, fields)).body as {
      result: { person: string; link: string };
    };
    expect(invited).toMatchObject({ is: "done", result: { link: expect.stringContaining("/invitation#") } });
    expect([...(await rightsOf(db(), invited.result.person)).roles]).toEqual([]);
  });
});

describe("a renewed invitation", () => {
  test("gives its link to one administrator, and the rights only with the signature of another", async () => {
    const mete = await staffMember(venue, "mete", ["supervisor"]);
    const renew = (person: Member) =>
      act(eva, "renewInvitation", `staff/${person.id}/renew-invitation`, { id: person.id }, { reason: "lost phone" });
    const { result } = (await renew(mete)).body as { result: { link: string; approval: string } };
    expect((await mete.get("me")).status).toBe(401);
    expect(await rolesOf(mete)).toEqual([]);
    const thief = staffClient(venue);
    const token = result.link.split("#")[1];
    const begun = await thief.post("invitation/passkey/begin", { token });
    const { challenge } = begun.body["options"] as { challenge: string };
    const response = softwarePasskey().register({ origin: STAFF_ORIGIN, challenge });
    const fields = { token, ceremony: begun.body["ceremony"], label: "mine", response };
    expect((await thief.post("invitation/passkey/finish", fields)).body).toMatchObject({ me: { permissions: [] } });
    expect((await thief.get("floor")).body).toMatchObject({ problem: "permission.missing" });
    const { body } = await tolga.get(`approvals/${result.approval}`);
    const waiting = { id: result.approval, hash: String(body["hash"]) };
    expect((await sign(eva, waiting)).body).toMatchObject({ problem: "approval.own" });
    expect(await rolesOf(mete)).toEqual([]);
    expect((await sign(tolga, waiting)).body).toMatchObject({ is: "done" });
    expect(await rolesOf(mete)).toEqual(["supervisor"]);
  });

  test("takes back what was requested for the person before the link changed hands", async () => {
    const naz = await staffMember(venue, "naz", []);
    const third = await staffMember(venue, "third", ["administrator"]);
    const waiting = await request(third, naz, ["cashier"]);
    await act(eva, "renewInvitation", `staff/${naz.id}/renew-invitation`, { id: naz.id }, { reason: "lost phone" });
    expect((await sign(tolga, waiting)).body).toMatchObject({ problem: "approval.over" });
    expect(await rolesOf(naz)).toEqual([]);
  });

  test("is never one's own", async () => {
    const own = await act(eva, "renewInvitation", `staff/${eva.id}/renew-invitation`, { id: eva.id }, { reason: "me" });
    expect(own.body).toMatchObject({ problem: "act.refused" });
    expect((await eva.get("me")).status).toBe(200);
    expect(await rolesOf(eva)).toEqual(["administrator"]);
  });
});

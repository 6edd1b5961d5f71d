import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import { longarmOf } from "../../../testing/longarm.ts";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { staffMember } from "../../../testing/staff-client.ts";
import type { Sign } from "../../protection/cases/index.ts";
import { keepSigns, letterDrafts } from "../../protection/cases/index.ts";

/* Cases at the desk: who may do what, what two people at once come to, and what a player learns. */

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
type Member = Awaited<ReturnType<typeof staffMember>>;
let okan: Member;
let nilay: Member;
let veli: Member;
let selin: Member;
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  okan = await staffMember(staff, "okan", ["supervisor"]);
  nilay = await staffMember(staff, "nilay", ["supervisor"]);
  veli = await staffMember(staff, "veli", ["auditor"]);
  selin = await staffMember(staff, "selin", ["cashier"]);
}
afterAll(async () => expect(await venue.ledger.verify()).toEqual([]));

const NIGHT: Sign = { measure: "night", level: "strong", value: 800, limit: 720 };
const OKAN = "okan";
let players = 0;
/** A player with an open case. */
async function inCare(signs: readonly Sign[] = [NIGHT]) {
  players += 1;
  const player = await venue.player(`care.${players}`, 1_000);
  const kept = await venue.db.transaction().execute((trx) => keepSigns(trx, systemRandom, player.id, signs));
  if (kept === undefined) throw new Error("no case was opened");
  return { ...player, username: `care.${players}`, case: kept.caseId };
}
const detail = async (id: string, who = okan) => (await who.get(`care/cases/${id}`)).body;
const letters = async (token: string) => (await venue.get("/v1/player/letters", token)).json();
const take = (id: string, who = okan, expected: string | null = null) => who.act("takeCareCase", { id }, { expected });
const problem = (sentence: string) => ({ problem: "act.refused", params: { sentence } });

test("a strong case is a task of supervisors until somebody has it; its evidence stays as it was", async () => {
  const { id, case: caseId, username } = await inCare();
  const tasks = async (who: Member) =>
    ((await who.get("tasks")).body["rows"] as { id: string; player: object }[]).filter(
      ({ id: of }) => of === `care:case:${caseId}`,
    );
  expect(await tasks(okan)).toMatchObject([{ kind: "care", player: { id, username }, mayAct: true, ends: "cause" }]);
  expect(await tasks(selin)).toEqual([]);
  expect((await take(caseId)).body).toMatchObject({ is: "done" });
  expect(await tasks(okan)).toEqual([]);
  expect(await detail(caseId)).toMatchObject({
    level: "strong",
    owner: { name: OKAN },
    signs: [{ measure: "night", level: "strong", value: 800, limit: 720 }],
    steps: [{ kind: "taken" }, { kind: "opened", person: null }],
    letterFrom: null,
  });
});

test("of two people who take a case at once one has it, and only who has it acts", async () => {
  const { case: caseId } = await inCare();
  const both = await Promise.all([take(caseId, okan), take(caseId, nilay)]);
  expect(both.map(({ body }) => body["is"] ?? body["problem"]).toSorted()).toEqual(["act.refused", "done"]);
  const { owner } = (await detail(caseId)) as { owner: { id: string; name: string } };
  const [mine, other] = owner.name === OKAN ? [okan, nilay] : [nilay, okan];
  for (const [call, fields] of [
    ["writeCareLetter", { text: "Hello." }],
    ["careTimeOut", { days: 1, reason: "agreed" }],
    ["closeCareCase", { outcome: "talked", reason: "we talked" }],
  ] as const)
    expect((await other.act(call, { id: caseId }, fields)).body).toMatchObject(problem("Take the case first."));
  expect((await other.act("noteCareCase", { id: caseId }, { note: "seen at the bar" })).body).toMatchObject({
    is: "done",
  });
  // Taking it over says from whom.
  expect((await take(caseId, other, null)).body).toHaveProperty("problem");
  expect((await take(caseId, other, owner.id)).body).toMatchObject({ is: "done" });
  expect((await mine.act("closeCareCase", { id: caseId }, { outcome: "talked", reason: "late" })).body).toMatchObject(
    problem("Take the case first."),
  );
});

test("no case is closed without an outcome and a reason, and a closed one stays as it is", async () => {
  const { id, case: caseId } = await inCare();
  await take(caseId);
  for (const fields of [
    { reason: "so" },
    { outcome: "talked" },
    { outcome: "whatever", reason: "so" },
    { outcome: "talked", reason: "" },
  ])
    expect((await okan.act("closeCareCase", { id: caseId }, fields)).body).toMatchObject({
      problem: "request.invalid",
    });
  const closing = { outcome: "limitSet", reason: "sets 200 a week" };
  const two = await Promise.all([
    okan.act("closeCareCase", { id: caseId }, closing),
    okan.act("closeCareCase", { id: caseId }, closing),
  ]);
  expect(two.map(({ body }) => body["is"] ?? body["problem"]).toSorted()).toEqual(["act.refused", "done"]);
  expect(await detail(caseId)).toMatchObject({
    outcome: "limitSet",
    closedBy: { name: OKAN },
    steps: [{ kind: "closed" }, {}, {}],
  });
  for (const [call, fields] of [
    ["noteCareCase", { note: "late" }],
    ["writeCareLetter", { text: "late" }],
    ["takeCareCase", { expected: null }],
  ] as const)
    expect((await okan.act(call, { id: caseId }, fields)).body).toMatchObject(problem("The case is closed."));
  // The same sign, while it still counts what was talked about, opens nothing.
  const again = await venue.db.transaction().execute((trx) => keepSigns(trx, systemRandom, id, [NIGHT]));
  expect(again).toBeUndefined();
  expect((await veli.get("care/cases?state=closed")).body["rows"]).toContainEqual(
    expect.objectContaining({ id: caseId }),
  );
});

test("a letter reaches its player alone, once in 14 days, with what was seen; the case stays unseen", async () => {
  const { case: caseId, token } = await inCare([
    NIGHT,
    { measure: "time", level: "watch", value: 1_300, limit: 1_200 },
  ]);
  const other = await venue.player("care.other");
  await take(caseId);
  const text = "Hello. You have played at night.\nIf that feels right to you, there is nothing to do.";
  const sent = await okan.act(
    "writeCareLetter",
    { id: caseId },
    { text, advice: { key: "time.day", value: 120 } },
    "care-letter-1",
  );
  expect(sent.body).toMatchObject({ is: "done" });
  const again = await okan.act(
    "writeCareLetter",
    { id: caseId },
    { text, advice: { key: "time.day", value: 120 } },
    "care-letter-1",
  );
  expect(again.body).toMatchObject({ is: "done", repeated: true });
  expect((await okan.act("writeCareLetter", { id: caseId }, { text })).body).toMatchObject({ problem: "act.refused" });
  const waits = async () => (await venue.get("/v1/validate", token)).json().letter_waits;
  expect(await waits()).toBe(true);
  const { letters: own } = await letters(token);
  expect(own).toMatchObject([
    {
      from: OKAN,
      text,
      advice: { key: "time.day", value: 120 },
      readAt: null,
      why: [
        { measure: "time", value: 1_300 },
        { measure: "night", value: 800 },
      ],
    },
  ]);
  expect(JSON.stringify(own)).not.toContain(caseId);
  expect(await letters(other.token)).toEqual({ letters: [] });
  const read = (bearer: string, id: string) =>
    venue.app.inject({
      method: "POST",
      url: "/v1/player/letters/read",
      payload: { id },
      headers: { authorization: `Bearer ${bearer}` },
    });
  expect((await read(other.token, own[0].id)).statusCode).toBe(404);
  expect((await letters(token)).letters[0].readAt).toBeNull();
  expect((await read(token, own[0].id)).json().letters[0].readAt).not.toBeNull();
  expect(await waits()).toBeUndefined();
  expect((await read(token, own[0].id)).statusCode).toBe(200);
  expect(await detail(caseId)).toMatchObject({
    steps: [{ kind: "letter", text, advice: { key: "time.day" } }, {}, {}],
  });
});

test("a time-out closes play at once and is never shorter than what holds", async () => {
  const { case: caseId, token, username } = await inCare();
  await take(caseId);
  const done = await okan.act("careTimeOut", { id: caseId }, { days: 7, reason: "agreed" });
  expect(done.body).toMatchObject({ is: "done" });
  const { until } = done.body["result"] as { until: string };
  expect(Date.parse(until) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
  expect((await okan.act("careTimeOut", { id: caseId }, { days: 1, reason: "shorter" })).body).toMatchObject(
    problem("Play is closed for longer already."),
  );
  await venue.machine(`care-${username.slice(5)}`);
  const page = await venue.page(token, `care-${username.slice(5)}`);
  expect(await page.init()).toMatchObject({ is: "refused", refusal: { name: "player.excluded" } });
});

test("staff opens a case by hand and keeps what a player declared; one open case is enough", async () => {
  const { id } = await venue.player("care.by.hand");
  const opened = await okan.act("openCareCase", { id }, { reason: "wanted credit" });
  expect(opened.body).toMatchObject({ is: "done" });
  expect((await nilay.act("openCareCase", { id }, { reason: "the same" })).body).toMatchObject(
    problem("The player has an open case already."),
  );
  expect((await okan.act("declareMeans", { id }, { amount: 40_000, reason: "said at the desk" })).body).toMatchObject({
    is: "done",
  });
  const care = (await veli.get(`players/${id}/care`)).body;
  expect(care).toMatchObject({ declared: 40_000, cases: [{ level: "watch", signs: [], owner: null }] });
  expect(care["figures"]).toContainEqual({ measure: "night", value: 0, watch: 360, strong: 720 });
  expect(care["figures"]).toContainEqual({ measure: "stakes", value: null, watch: 200, strong: 400 });
});

test("what was written in a case goes with the personal data once the market's time is over; signs, steps and outcome stay", async () => {
  const { id, case: caseId, username, token } = await inCare();
  await take(caseId);
  await okan.act("noteCareCase", { id: caseId }, { note: "cries at the bar" });
  await okan.act("writeCareLetter", { id: caseId }, { text: "Hello. We have seen much play." });
  const erase = () => longarmOf(venue)("identity", "erase", username, "--reason", "the law says so");
  const words = async () => JSON.stringify((await okan.get(`care/cases/${caseId}`)).body);
  expect(await words()).toContain("much play");
  expect(await erase(), "an open case stays whole").toMatchObject({ code: 3 });
  await okan.act("closeCareCase", { id: caseId }, { outcome: "referred", reason: "went to the helpline" });
  expect(await erase(), "a closed one until the market's time is over").toMatchObject({ code: 3 });
  expect(await words()).toMatch(/cries.*helpline|helpline.*cries/);
  await sql`alter table care_case disable trigger user`.execute(venue.db);
  await sql`update care_case set closed_at = closed_at - interval '5 years 1 day' where id = ${caseId}`.execute(
    venue.db,
  );
  await sql`alter table care_case enable trigger user`.execute(venue.db);
  await sql`update player set last_logon = now() - interval '6 years' where id = ${id}`.execute(venue.db);
  expect((await longarmOf(venue)("identity", "due")).said).toContain(username);
  expect(await erase()).toMatchObject({ code: 0 });
  expect(await words()).not.toMatch(/cries|helpline|much play/);
  expect(await words()).toMatch(/"outcome":"referred"/);
  expect(await words()).toContain('"note"');
  expect(JSON.stringify((await venue.get("/v1/player/letters", token)).json())).not.toContain("much play");
  expect((await longarmOf(venue)("identity", "due")).said).not.toContain(username);
  for (const change of [
    sql`update care_step set kind = 'letter' where case_id = ${caseId}`,
    sql`update care_case set outcome = 'talked' where id = ${caseId}`,
    sql`delete from care_step where case_id = ${caseId}`,
  ])
    await expect(change.execute(venue.db)).rejects.toThrow(/never changed/);
  expect((await longarmOf(venue)("audit", "verify")).code).toBe(0);
});

test("a player's calls see and change no case, and who lacks the permission sees none", async () => {
  const { id, case: caseId, token } = await inCare();
  for (const url of [
    `/staff/v1/care/cases/${caseId}`,
    "/staff/v1/care/cases",
    `/v1/care/cases/${caseId}`,
    `/v1/players/${id}/care`,
  ])
    expect((await venue.get(url, token)).statusCode).toBe(404);
  for (const path of [`care/cases/${caseId}`, "care/cases", `players/${id}/care`])
    expect((await selin.get(path)).body).toMatchObject({ problem: "permission.missing" });
  expect((await veli.act("takeCareCase", { id: caseId }, { expected: null })).body).toMatchObject({
    problem: "permission.missing",
  });
  expect((await okan.get("care/cases/cc_nothing")).body).toMatchObject({ problem: "thing.unknown" });
  expect((await okan.get("care/cases?after=%00")).body).toHaveProperty("problem");
});

test("the audit log says what was done and no figure or word of it", async () => {
  const { id, case: caseId } = await inCare();
  await take(caseId);
  await okan.act("noteCareCase", { id: caseId }, { note: "cries at the bar" });
  await okan.act("closeCareCase", { id: caseId }, { outcome: "referred", reason: "went to the helpline" });
  const { rows } = await sql<{ actor: string; facts: Record<string, unknown> }>`
    select actor, facts from audit.entries where type = 'player.care' and subject = ${`player:${id}`} order by id`.execute(
    venue.db,
  );
  expect(rows.map(({ facts }) => facts["is"])).toEqual(["opened", "sign", "taken", "note", "closed"]);
  expect(JSON.stringify(rows)).not.toMatch(/cries|800/);
  expect(rows.at(-1)).toMatchObject({ actor: "staff:okan", facts: { outcome: "referred" } });
});

test("the command line lists, and acts only for a person", async () => {
  const longarm = longarmOf(venue);
  const { case: caseId, username } = await inCare();
  const listed = await longarm("care", "list");
  expect(listed).toMatchObject({ code: 0 });
  expect(listed.said).toMatch(new RegExp(`${caseId}.*${username.replace(".", "\\.")}.*strong.*not taken.*night`));
  expect((await longarm("care", "show", caseId)).said).toContain("night 800 min (strong from 720)");
  expect((await longarm("care", "figures", username)).said).toContain("netLoss: cannot be said");
  expect(await longarm("care", "close", caseId, "talked", "--reason", "so")).toMatchObject({ code: 3 });
  expect(await longarm("care", "close", caseId, "--reason", "so")).toMatchObject({ code: 2 });
});

test("a letter begins with the operator's text where there is one, else with ours, in each language", async () => {
  const { case: caseId } = await inCare();
  const { drafts } = await detail(caseId);
  expect(drafts).toMatchObject({
    en: expect.stringContaining("set a limit"),
    tr: expect.any(String),
    ar: expect.any(String),
  });
  expect(letterDrafts({ tr: "Merhaba." })).toEqual({ ...(drafts as object), tr: "Merhaba." });
  expect(letterDrafts("Hello.").ar).toBe("Hello.");
  expect(letterDrafts("x".repeat(4_000)).en).toHaveLength(1_000);
});

import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { longarmOf } from "../../../testing/longarm.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { staffMember } from "../../../testing/staff-client.ts";

/* Proof of identity at the desk: who may decide, what needs a second person, and that no personal data are in anything that is kept for ever. */

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
type Member = Awaited<ReturnType<typeof staffMember>>;
type Json = Record<string, unknown>;
let selin: Member;
let okan: Member;
let veli: Member;
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  selin = await staffMember(staff, "selin", ["cashier"]);
  okan = await staffMember(staff, "okan", ["supervisor"]);
  veli = await staffMember(staff, "veli", ["auditor"]);
}
afterAll(async () => expect(await venue.ledger.verify()).toEqual([]));

let hostile = 0;

const identity = async (id: string) => (await selin.get(`players/${id}/identity`)).body;
const decide = (id: string, fields: object, actId?: string) =>
  selin.act("decideIdentity", { id }, { reason: "seen at the desk", ...fields }, actId);
const reveal = async (id: string) =>
  (await veli.act("revealIdentity", { id }, { reason: "audit of the week" })).body["result"] as Json;
/** Everything that is never erased, as text. */
async function keptForEver(): Promise<string> {
  const { rows } = await sql<{ text: string }>`
    select coalesce(string_agg(e::text, ' '), '') as text from audit.entries e union all
    select coalesce(string_agg(a::text, ' '), '') from approval a union all
    select coalesce(string_agg(s::text, ' '), '') from staff_act s`.execute(venue.db);
  return rows.map(({ text }) => text).join("\n");
}

test("the desk verifies once for an id, a dry run changes nothing, and a repeat answers the same", async () => {
  const { id } = await venue.player("seen.once");
  const seen = { state: "verified", birthDate: "1991-03-04", document: "passport", validUntil: "2099-02-01" };
  expect((await decide(id, { ...seen, dryRun: true })).body).toMatchObject({ is: "dryRun", needsApproval: false });
  expect(await identity(id)).toMatchObject({ state: "none", age: null, decisions: [] });
  expect((await decide(id, seen, "identity-act-1")).body).toMatchObject({ is: "done", result: { state: "verified" } });
  expect((await decide(id, seen, "identity-act-1")).body).toMatchObject({ is: "done", repeated: true });
  const known = await identity(id);
  expect(known).toMatchObject({
    ...{ state: "verified", document: "passport", validUntil: "2099-02-01", hasPersonalNumber: false },
    decisions: [{ state: "verified", by: "selin", reason: "seen at the desk" }],
  });
  expect(JSON.stringify(known)).not.toContain("1991");
  expect(await reveal(id)).toEqual({ birthDate: "1991-03-04", personalNumber: null, correction: null });
});

test("a birth date that makes a player older waits for a second person, whom approval and page show no more than they need", async () => {
  const { id } = await venue.player("made.older");
  await decide(id, { state: "verified", birthDate: "2006-07-08" });
  const older = { state: "verified", birthDate: "1996-07-08", personalNumber: "199607081234", country: "SE" };
  expect((await decide(id, { ...older, dryRun: true })).body).toMatchObject({ is: "dryRun", needsApproval: true });
  const waiting = await decide(id, older);
  expect(waiting.body).toMatchObject({ is: "waiting" });
  const approval = String(waiting.body["approval"]);
  expect(await identity(id)).toMatchObject({ hasCorrection: true });
  expect(await reveal(id)).toMatchObject({ birthDate: "2006-07-08", correction: { birthDate: "1996-07-08" } });
  const seen = (await okan.get(`approvals/${approval}`)).body;
  expect(seen).toMatchObject({
    kind: "identity.correct",
    maySign: true,
    evidence: [{ value: "made.older" }, { label: "age before" }, { label: "age after", value: "25 and more" }],
  });
  expect((await selin.act("signApproval", { id: approval }, { hash: seen["hash"] })).body).toHaveProperty("problem");
  const signed = await okan.act("signApproval", { id: approval }, { hash: seen["hash"] });
  expect(signed.body).toMatchObject({ is: "done" });
  expect(await reveal(id)).toEqual({ birthDate: "1996-07-08", personalNumber: "199607081234", correction: null });
  expect((await decide(id, { state: "verified", birthDate: "1996-07-09" })).body).toMatchObject({ is: "done" });
});

test("a second account waits for a person, whom a task calls; that it is somebody else takes a second one", async () => {
  const passport = { country: "TR", documentKind: "passport", documentNumber: "U 555-001" };
  const seen = { state: "verified", birthDate: "1990-05-31", ...passport };
  const [first, second] = [await venue.player("first.account"), await venue.player("second.account")];
  expect((await decide(first.id, seen)).body).toMatchObject({ result: { state: "verified" } });
  expect((await decide(second.id, { ...seen, documentNumber: "u555001" })).body).toMatchObject({
    result: { state: "pending" },
  });
  const tasks = async () =>
    ((await okan.get("tasks")).body["rows"] as Json[]).filter(({ id }) => id === `samePerson:player:${second.id}`);
  await eventually(async () => expect(await tasks()).toMatchObject([{ kind: "samePerson" }]));
  expect(await identity(second.id)).toMatchObject({
    ...{ state: "pending", held: true },
    others: [{ player: { id: first.id, username: "first.account" }, is: "same", excluded: false }],
  });
  expect((await veli.get(`players/${second.id}/identity`)).body, "who may not decide").toMatchObject({ others: null });
  const waiting = await decide(second.id, { ...seen, others: "different" });
  expect(waiting.body).toMatchObject({ is: "waiting" });
  const approval = String(waiting.body["approval"]);
  const shown = (await okan.get(`approvals/${approval}`)).body;
  expect(shown["evidence"]).toContainEqual({ label: "other accounts", value: "different" });
  expect((await okan.act("signApproval", { id: approval }, { hash: shown["hash"] })).body).toMatchObject({
    is: "done",
  });
  expect(await identity(second.id)).toMatchObject({ state: "verified", held: false, others: [] });
  await eventually(async () => expect(await tasks()).toEqual([]));
  expect(await keptForEver()).not.toMatch(/555-?001/);
});

test("a name and a birth date alone are a hint and hold no decision up", async () => {
  const [one, other] = [await venue.player("alike.one"), await venue.player("alike.two")];
  await sql`update player set name = 'Deniz', lastname = 'Aydın' where id = ${one.id}`.execute(venue.db);
  await sql`update player set name = 'AYDIN', lastname = 'deniz' where id = ${other.id}`.execute(venue.db);
  for (const { id } of [one, other]) await decide(id, { state: "verified", birthDate: "1987-06-05" });
  expect(await identity(other.id)).toMatchObject({ state: "verified", others: [{ is: "alike", excluded: false }] });
});

test("what was requested is void once the data were erased, and a new birth date then needs a second person too", async () => {
  const { id } = await venue.player("erased.data");
  await decide(id, { state: "verified", birthDate: "2005-01-02" });
  const waiting = await decide(id, { state: "verified", birthDate: "1985-01-02" });
  const approval = String(waiting.body["approval"]);
  const { hash } = (await okan.get(`approvals/${approval}`)).body;
  expect((await selin.act("eraseIdentity", { id }, { reason: "the law says so" })).body).toMatchObject({ is: "done" });
  expect((await selin.act("eraseIdentity", { id }, { reason: "again" })).body).toMatchObject({
    problem: "act.refused",
  });
  expect((await okan.act("signApproval", { id: approval }, { hash })).body).toMatchObject({
    problem: "approval.changed",
  });
  expect(await reveal(id)).toEqual({ birthDate: null, personalNumber: null, correction: null });
  expect((await decide(id, { state: "verified", birthDate: "2005-01-02" })).body).toMatchObject({ is: "waiting" });
  expect(await identity(id)).toMatchObject({ state: "verified", age: null });
});

test("no birth date and no number is in audit log, approvals or acts, and the chain is whole after an erasure", async () => {
  const text = await keptForEver();
  expect(text).toContain("identity.correct");
  expect(text).toContain("25 and more");
  for (const personal of ["1991-03-04", "2006-07-08", "1996-07-08", "199607081234", "1985-01-02", "2005-01-02"])
    expect(text).not.toContain(personal);
  expect((await longarmOf(venue)("audit", "verify")).code).toBe(0);
});

test.each([
  { state: "verified" },
  { state: "verified", birthDate: "1990-02-31" },
  { state: "verified", birthDate: "2090-01-01" },
  { state: "verified", birthDate: "1790-01-01" },
  { state: "verified", birthDate: "1990-01-01'; drop table player; --" },
  { state: "none" },
  { state: "refused", validUntil: "2031-01-01" },
  { state: "verified", birthDate: "1990-01-01", personalNumber: "12 34 56" },
  { state: "verified", birthDate: "1990-01-01", personalNumber: "1".repeat(21) },
  { state: "verified", birthDate: "1990-01-01", personalNumber: "199001011234" },
  { state: "verified", birthDate: "1990-01-01", country: "SE" },
  { state: "verified", birthDate: "1990-01-01", country: "Sweden", personalNumber: "199001011234" },
  { state: "verified", birthDate: "1990-01-01", country: "SE", documentKind: "passport", documentNumber: "А123456" },
  { state: "verified", birthDate: "1990-01-01", country: "SE", documentNumber: "U123456" },
  { state: "verified", birthDate: "1990-01-01", others: "perhaps" },
  { state: "verified", birthDate: "1990-01-01", document: "a\u0000b" },
  { state: "verified", birthDate: "1990-01-01", document: "x".repeat(101) },
  { state: "verified", birthDate: "1990-01-01", more: true },
  { state: ["verified"], birthDate: "1990-01-01" },
])("%j is refused, and nothing is kept", async (fields) => {
  hostile += 1;
  const { id } = await venue.player(`hostile.${hostile}`);
  // A dry run checks the same and needs no step-up, whose own check of the body would answer first.
  const sent = { id: `hostile-act-${hostile}`, dryRun: true, reason: "hostile", ...fields };
  expect((await selin.post(`players/${id}/identity`, sent)).body).toMatchObject({
    problem: expect.stringMatching(/^(request\.invalid|act\.refused)$/),
  });
  expect(await identity(id)).toMatchObject({ state: "none", age: null, decisions: [], hasCorrection: false });
});
test("the command line decides by the desk's own function; the server's user needs no second person", async () => {
  const { id } = await venue.player("by.command");
  const decideBy = (...more: string[]) =>
    longarmOf(venue)("identity", "decide", "by.command", "verified", "--reason", "seen", ...more);
  expect(await decideBy()).toMatchObject({ code: 3, complained: expect.stringContaining("birth date") });
  expect(await decideBy("--birth-date", "2004-05-06", "--dry-run")).toMatchObject({ code: 0 });
  expect(await identity(id)).toMatchObject({ state: "none" });
  expect(await decideBy("--birth-date", "2004-05-06")).toMatchObject({ code: 0 });
  expect(await decideBy("--birth-date", "1984-05-06")).toMatchObject({ code: 0 });
  expect(await reveal(id)).toMatchObject({ birthDate: "1984-05-06" });
  expect(await longarmOf(venue)("identity", "erase", "by.command", "--reason", "asked for")).toMatchObject({ code: 0 });
  expect(await longarmOf(venue)("identity", "erase", "by.command", "--reason", "again")).toMatchObject({ code: 3 });
});

test("data that the market lets the venue keep no longer are erased, and the decisions and the chain stay", async () => {
  const { id } = await venue.player("long.gone");
  await decide(id, { state: "verified", birthDate: "1970-01-01" });
  const due = async () => (await longarmOf(venue)("identity", "due")).said;
  expect(await due()).toBe("None is due.");
  await sql`alter table identity_decision disable trigger identity_decision_stays`.execute(venue.db);
  await sql`update identity_decision set decided_at = now() - interval '6 years' where player_id = ${id}`.execute(
    venue.db,
  );
  await sql`alter table identity_decision enable trigger identity_decision_stays`.execute(venue.db);
  expect(await due()).toBe("None is due.");
  await sql`update identity_record set changed_at = now() - interval '6 years' where player_id = ${id}`.execute(
    venue.db,
  );
  await sql`update player set last_logon = now() - interval '4 years' where id = ${id}`.execute(venue.db);
  expect(await due()).toBe("None is due.");
  await sql`update player set last_logon = now() - interval '5 years 1 day' where id = ${id}`.execute(venue.db);
  expect(await due()).toContain("long.gone");
  expect((await longarmOf(venue)("identity", "erase-due", "--reason", "five years", "--dry-run")).said).toContain(
    "would",
  );
  expect(await identity(id)).toMatchObject({ age: expect.any(Number) });
  expect((await longarmOf(venue)("identity", "erase-due", "--reason", "five years")).code).toBe(0);
  expect(await identity(id)).toMatchObject({ state: "verified", age: null, document: null });
  expect((await longarmOf(venue)("audit", "verify")).code).toBe(0);
});

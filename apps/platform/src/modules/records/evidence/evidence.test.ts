import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { englishOf } from "@longarm/contract/evidence/sentences";
import { verifyExport } from "@longarm/contract/evidence/verify";
import type { DisputeAnswer } from "@longarm/contract/player-disputes";
import { STAFF_BASE } from "@longarm/contract/staff-call";
import { FINGERPRINT_HEADER } from "@longarm/contract/staff-disputes";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { longarmOf } from "../../../testing/longarm.ts";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import type { PlayedRecorded } from "../../../testing/recorded-play.ts";
import { playRecorded, putRecording } from "../../../testing/recorded-play.ts";
import { STAFF_ORIGIN, staffMember } from "../../../testing/staff-client.ts";

/* A question with its recording leaves the venue as one file: what is in it, who gets it, and what is written down of it. */

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
type Member = Awaited<ReturnType<typeof staffMember>>;
let veli: Member;
let atilla: Member;
let okan: Member;
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  veli = await staffMember(staff, "veli", ["auditor"]);
  atilla = await staffMember(staff, "atilla", ["attendant"]);
  okan = await staffMember(staff, "okan", ["supervisor"]);
}
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "longarm-evidence-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function ask({ token, game }: PlayedRecorded): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const payload = { game: game.id, kind: "winNotCounted", words: "It showed 384." };
  const reply = await venue.app.inject({ method: "POST", url: "/v1/player/disputes", headers, payload });
  return (reply.json() as DisputeAnswer).dispute?.id ?? "";
}
async function download(id: string, who: Member) {
  const headers = { host: new URL(STAFF_ORIGIN).host, cookie: who.cookie };
  const url = `${STAFF_BASE}disputes/${id}/evidence`;
  const reply = await venue.platform.staff!.app.inject({ method: "GET", url, headers });
  return { reply, zip: new Uint8Array(reply.rawPayload), fingerprint: String(reply.headers[FINGERPRINT_HEADER]) };
}
const states = async (zip: Uint8Array, fingerprint?: string) => {
  const { findings } = await verifyExport(zip, fingerprint);
  return Object.fromEntries(
    findings.filter(({ is }) => is !== "proved").map(({ check, is, why }) => [check, [is, ...why.map(englishOf)]]),
  );
};
const noted = async (type: string, subject: string) => {
  const { rows } = await sql<{ actor: string; facts: object }>`
    select actor, facts from audit.entries where type = ${type} and subject = ${subject} order by id`.execute(venue.db);
  return rows;
};

test("the file proves itself whole, and that it left is written down with its fingerprint", async () => {
  const of = await playRecorded(venue, "ev-01");
  const id = await ask(of);
  await putRecording(venue, of);
  const { reply, zip, fingerprint } = await download(id, veli);
  expect(reply.headers).toMatchObject({
    ...{
      "content-type": "application/zip",
      "content-length": String(zip.length),
      "cache-control": "private, no-store",
    },
    "content-disposition": expect.stringMatching(/^attachment; filename="question-\d+\.zip"$/),
  });
  expect(await states(zip, fingerprint)).toEqual({});
  expect(await noted("data.exported", `dispute:${id}`)).toEqual([
    { actor: "staff:veli", facts: { game: of.game.id, fingerprint } },
  ]);
  expect(await noted("recording.read", `player:${of.id}`)).toHaveLength(1);
  const { rows } = await sql<{ actor: string }>`select actor from audit.entries
    where type = 'player.dispute' and facts ->> 'is' = 'read' and facts ->> 'dispute' = ${id}`.execute(venue.db);
  expect(rows).toHaveLength(1);
});

test("who does not see the audit log gets of it what proves the recording alone", async () => {
  const of = await playRecorded(venue, "ev-02");
  const id = await ask(of);
  await putRecording(venue, of);
  const types = async (who: Member) => {
    const { zip } = await download(id, who);
    const { content } = await verifyExport(zip);
    return new Set(content?.["audit.json"]?.links.map(({ entry }) => entry.type));
  };
  expect(await types(atilla)).toEqual(new Set(["recording.anchored"]));
  expect(await types(veli)).toEqual(new Set(["recording.anchored", "player.dispute"]));
});

test("a mark of staff names a moment of the recording, leaves with the file, and is on no page of the player", async () => {
  const of = await playRecorded(venue, "ev-06");
  const id = await ask(of);
  const momentMs = Date.parse(of.game.start) + 10.25;
  const mark = (moment: number) => okan.act("noteDispute", { id }, { note: "four of a kind", momentMs: moment });
  const none = { sentence: "The recording that is here does not have this moment." };
  expect((await mark(momentMs)).body).toMatchObject({ problem: "act.refused", params: none });
  await putRecording(venue, of);
  for (const moment of [0, momentMs + 3_600_000])
    expect((await mark(moment)).body).toMatchObject({ problem: "act.refused", params: none });
  for (const moment of [-1, 1e300]) expect((await mark(moment)).body).toMatchObject({ problem: "request.invalid" });
  expect((await mark(momentMs)).body).toMatchObject({ is: "done" });
  await okan.act("noteDispute", { id }, { note: "only for us" });
  expect((await atilla.act("noteDispute", { id }, { note: "mine", momentMs })).body).not.toMatchObject({ is: "done" });
  const { zip, fingerprint } = await download(id, veli);
  expect(await states(zip, fingerprint)).toEqual({});
  const said = (await verifyExport(zip)).content?.["question.json"];
  expect(said?.marks).toEqual([{ at: expect.any(String), momentMs, text: "four of a kind" }]);
  expect(JSON.stringify(said)).not.toContain("only for us");
  expect((await okan.get(`disputes/${id}`)).body["steps"]).toContainEqual(
    expect.objectContaining({ kind: "mark", momentMs, text: "four of a kind" }),
  );
  const headers = { authorization: `Bearer ${of.token}` };
  const own = await venue.app.inject({ method: "GET", url: `/v1/player/disputes/${of.game.id}`, headers });
  expect((own.json() as DisputeAnswer).dispute?.steps.map(({ kind }) => kind)).toEqual(["opened"]);
  expect(await noted("player.dispute", `player:${of.id}`)).toContainEqual({
    actor: "staff:okan",
    facts: { is: "mark", dispute: id, game: of.game.id, momentMs },
  });
});

test("without a recording the file says so, and has the rest", async () => {
  const of = await playRecorded(venue, "ev-03");
  const { zip, fingerprint } = await download(await ask(of), veli);
  const absent = { chain: ["absent"], index: ["absent"], segments: ["absent"], anchor: ["absent"], clip: ["absent"] };
  const found = await states(zip, fingerprint);
  expect(Object.keys(found).toSorted()).toEqual([...Object.keys(absent), "game"].toSorted());
  for (const [is] of Object.values(found)) expect(is).toBe("absent");
  expect((await veli.get("disputes/dq_none/evidence")).body).toMatchObject({ problem: "thing.unknown" });
});

test("a history or a ledger that was changed in the database is found against the recording", async () => {
  const of = await playRecorded(venue, "ev-04");
  const id = await ask(of);
  await putRecording(venue, of);
  await sql`update game set win = win + 500, credit_after = credit_after + 500
    where machine_id = ${of.machineId} and game_number = ${of.game.number}`.execute(venue.db);
  const { zip, fingerprint } = await download(id, veli);
  expect(await states(zip, fingerprint)).toEqual({
    game: ["wrong", "win is 550, by the recording 50.", "after is 5450, by the recording 4950."],
    ledger: ["wrong", "The ledger has -50 for the game, the machine 450."],
  });
});

test("the command line writes the file for its owner alone, and verifies it without a database", async () => {
  const of = await playRecorded(venue, "ev-05");
  const id = await ask(of);
  await putRecording(venue, of);
  const longarm = longarmOf(venue);
  const file = join(folder, "question.zip");
  const { code, said } = await longarm("disputes", "export", id, file);
  expect(code, said).toBe(0);
  const fingerprint = /Fingerprint ([0-9a-f]{64})/.exec(said)?.[1] ?? "";
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await states(await readFile(file), fingerprint)).toEqual({});
  expect(await noted("data.exported", `dispute:${id}`)).toMatchObject([{ facts: { fingerprint } }]);
  expect(await longarm("disputes", "export", id, file)).toMatchObject({ code: 3 });

  const verify = (...more: string[]) => longarm("disputes", "verify", file, ...more);
  expect(await verify("--fingerprint", fingerprint)).toMatchObject({ code: 0, complained: "" });
  expect((await verify()).said).toContain("absent  fingerprint");
  expect(await verify("--fingerprint", "0".repeat(64))).toMatchObject({ code: 1 });
  expect(await verify("--fingerprint", "so")).toMatchObject({ code: 2 });
  const attacked = await readFile(file);
  attacked[attacked.length - 40] = (attacked[attacked.length - 40] ?? 0) ^ 1;
  await writeFile(file, attacked);
  const json = await verify("--json");
  expect(json.code).toBe(1);
  expect(JSON.parse(json.said)).toMatchObject({ whole: false, findings: { length: 11 } });
  await rm(file);
  expect(await verify()).toMatchObject({ code: 3 });
});

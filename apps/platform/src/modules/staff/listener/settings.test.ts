import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SETTINGS_BYTES_MAX } from "@longarm/contract/venue-settings";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { longarm } from "../../../testing/longarm.ts";
import { staffMember } from "../../../testing/staff-client.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";

/* The venue's settings: on two nodes of one database, by console and command line. */

/** A busy computer is not a fault. */
const SOON = { timeout: 60_000 };

type Member = Awaited<ReturnType<typeof staffMember>>;
type Json = Record<string, unknown>;
let venue: TestVenue;
let other: TestVenue;
let eva: Member;
let tolga: Member;
let okan: Member;
beforeAll(async () => {
  const env = { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000", LARGE_WIN: "777", TURN_SECRET: "not-to-be-seen" };
  venue = await testVenue({ env: { ...env, TURN_URLS: "turn:turn.example.net:3478" } });
  other = await testVenue({ env: { NODE_ID: "other" }, database: venue.db, sharedBus: venue.bus });
  eva = await staffMember(venue, "eva", ["administrator"]);
  tolga = await staffMember(venue, "tolga", ["administrator"]);
  okan = await staffMember(venue, "okan", ["supervisor"]);
});
afterAll(async () => {
  await other.close(true);
  await venue.close();
});

const newest = async (): Promise<number> => Number((await eva.get("settings")).body["number"]);
const page = async (of: TestVenue = venue): Promise<Json> => (await of.get("/Settings.json")).json();
const change = async (changes: object, { by = eva, expected }: { by?: Member; expected?: number } = {}) =>
  await by.act("changeSettings", {}, { expected: expected ?? (await newest()), changes, reason: "a test" });
const rollBack = async (to: number, expected?: number) =>
  await eva.act("rollBackSettings", {}, { expected: expected ?? (await newest()), to, reason: "back" });
const sign = async (by: Member, approval: unknown) => {
  const { body } = await by.get(`approvals/${approval}`);
  return await by.act("signApproval", { id: String(approval) }, { hash: body["hash"] });
};
const cli = (...args: string[]) => longarm(["settings", ...args], { environment: { DATABASE_URL: venue.db.url } });

describe("a change", () => {
  test("is previewed, saved as a version, and holds on every node without a restart", async () => {
    const before = await newest();
    const wanted = { expected: before, changes: { hotFlagLimit: 31_000, infoText: "Open\nuntil six" }, reason: "more" };
    const preview = await eva.post("settings", { id: "preview-1", dryRun: true, ...wanted });
    expect(preview.body).toMatchObject({
      is: "dryRun",
      needsApproval: false,
      result: { changes: [{ key: "hotFlagLimit", before: null, after: 31_000 }, { key: "infoText" }], twoPeople: [] },
    });
    expect(await newest()).toBe(before);
    expect((await eva.act("changeSettings", {}, wanted)).body).toMatchObject({
      is: "done",
      result: { number: before + 1 },
    });
    for (const node of [venue, other])
      await vi.waitFor(async () => expect(await page(node)).toMatchObject({ hotFlagLimit: 31_000 }), SOON);
    expect((await eva.get("settings")).body).toMatchObject({
      number: before + 1,
      holds: before + 1,
      content: { hotFlagLimit: 31_000, infoText: "Open\nuntil six" },
      base: { hotFlagLimit: 20_000, largeWin: 777 },
    });
  });

  test("needs a passkey, the right to change, and the version that the person saw", async () => {
    const expected = await newest();
    const body = { id: "no-step-up-1", expected, changes: { volume: 0.2 }, reason: "quiet" };
    expect((await eva.post("settings", body)).body).toMatchObject({ problem: "stepUp.needed" });
    expect((await change({ volume: 0.2 }, { by: okan, expected })).body).toMatchObject({
      problem: "permission.missing",
    });
    expect(await change({ volume: 0.2 }, { expected: expected + 1 })).toMatchObject({
      status: 409,
      body: { problem: "settings.changed" },
    });
    expect((await okan.get("settings")).status).toBe(200);
    expect(await newest()).toBe(expected);
  });

  test("of several people at the same moment is saved once", async () => {
    const expected = await newest();
    // One person has one passkey check at a time.
    const people = [eva, tolga];
    for (const name of ["nil", "umut"]) people.push(await staffMember(venue, name, ["administrator"]));
    const answers = await Promise.all(people.map((by, at) => change({ volume: 0.11 + at / 100 }, { by, expected })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect(await newest()).toBe(expected + 1);
  });

  test("of money needs a second administrator, who sees exactly what differs", async () => {
    const expected = await newest();
    const requested = await change({ largeWin: 5_000_00, discountPercent: 20 });
    expect(requested.body).toMatchObject({ is: "waiting" });
    expect(await newest()).toBe(expected);
    const id = requested.body["approval"];
    expect((await sign(eva, id)).body).toMatchObject({ problem: "approval.own" });
    expect((await tolga.get(`approvals/${id}`)).body).toMatchObject({
      kind: "settings.change",
      evidence: [
        { label: "discountPercent", value: "– → 20" },
        { label: "largeWin", value: "– → 500000" },
      ],
    });
    expect((await sign(tolga, id)).body).toMatchObject({ is: "done" });
    expect((await eva.get("settings/versions")).body).toMatchObject({
      rows: [{ number: expected + 1, by: "eva", signedBy: "tolga", proven: true, usable: true }, {}, {}],
    });
  });

  test("that waits is not signed after another one was saved", async () => {
    const requested = await change({ largeWager: 1 });
    await change({ volume: 0.9 });
    const saved = await newest();
    expect((await sign(tolga, requested.body["approval"])).body).toMatchObject({ problem: "approval.changed" });
    expect(await newest()).toBe(saved);
  });

  test("of a limit reaches the platform at once, on every node", async () => {
    const requested = await change({ discountPeriodS: 99 });
    await sign(tolga, requested.body["approval"]);
    const number = await newest();
    await vi.waitFor(async () => expect((await eva.get("settings")).body["holds"]).toBe(number), SOON);
  });
});

describe("what is wrong", () => {
  test.each<[string, unknown]>([
    ["apiUrl", "https://evil.example/"],
    ["iceServers", []],
    ["constructor", {}],
    ["toString", 1],
    ["NODE_ID", "x"],
    ["volume", 2],
    ["volume", "loud"],
    ["currency", "TR"],
    ["infoText", "\u0000"],
    ["infoText", "\ud800"],
    ["infoText", "x".repeat(4_001)],
    ["contacts", [{ title: "help" }]],
    ["contacts", Array.from({ length: 41 }, () => ({ title: "x", phone: "1" }))],
    ["chat", { provider: "own", id: "x" }],
    ["theme", { main: "<script>" }],
    ["largeWin", -1],
    ["largeWin", 1.5],
    ["largeWin", 9_000_000_000_001],
    ["watchedMax", 0],
    ["minimumAge", [[[[[1]]]]]],
  ])("%s, as %#, is refused by its name, and nothing is saved", async (key, value) => {
    const before = await newest();
    const answer = await change({ [key]: value });
    expect(answer).toMatchObject({ status: 400, body: { problem: "settings.invalid" } });
    expect(String((answer.body["params"] as Json)["where"])).toContain(key);
    expect(await newest()).toBe(before);
  });

  test("nothing, a repeat of what holds, a list, and too much are refused", async () => {
    expect((await change({})).body).toMatchObject({ problem: "settings.invalid" });
    const { content } = (await eva.get("settings")).body as { content: Json };
    expect((await change({ volume: content["volume"] })).body).toMatchObject({ problem: "settings.invalid" });
    expect((await eva.post("settings", { id: "a-list-not-1", expected: 1, changes: [], reason: "x" })).status).toBe(
      400,
    );
    const whole = JSON.stringify({ infoText: "x".repeat(SETTINGS_BYTES_MAX) });
    expect((await eva.post("settings", { id: "too-much-1", expected: 1, changes: whole, reason: "x" })).status).toBe(
      400,
    );
    const hostile = JSON.parse('{"__proto__":{"polluted":"yes"}}') as object;
    expect((await eva.post("settings", { id: "proto-1234", expected: 1, changes: hostile, reason: "x" })).status).toBe(
      400,
    );
    expect(({} as Json)["polluted"]).toBeUndefined();
  });

  test.each(["0", "-1", "x", "1e9999", "99999999999"])("versions before %j are refused or none", async (after) => {
    const { status } = await eva.get(`settings/versions?after=${after}`);
    expect(status).toBe(400);
  });
});

describe("the way back", () => {
  test("is a new version with an old one's content; what the server says holds again where nothing was set", async () => {
    await change({ footerInfo: "first" });
    const first = await newest();
    await change({ footerInfo: "second" });
    expect((await rollBack(first)).body).toMatchObject({ is: "done", result: { number: first + 2 } });
    await vi.waitFor(async () => expect(await page()).toMatchObject({ footerInfo: "first" }), SOON);
    expect((await eva.get("settings/versions?limit=1")).body).toMatchObject({
      rows: [{ rolledBackTo: first, changes: [{ key: "footerInfo", before: "second", after: "first" }] }],
      next: String(first + 2),
    });
    expect((await change({ footerInfo: null })).body).toMatchObject({ is: "done" });
    await vi.waitFor(async () => expect(await page()).toMatchObject({ footerInfo: "" }), SOON);
  });

  test("over a change of money needs a second person too; to a version that never was it leads nowhere", async () => {
    expect((await rollBack(0)).body).toMatchObject({ is: "waiting" });
    expect((await rollBack(9_999)).body).toMatchObject({ problem: "thing.unknown" });
    expect((await rollBack(1, 1)).body).toMatchObject({ problem: "settings.changed" });
  });
});

describe("versions", () => {
  test("are never changed: by the platform, by its role, or without the chain showing it", async () => {
    const db = venue.db.kysely;
    await expect(sql`update settings_version set reason = 'x'`.execute(db)).rejects.toThrow("never changed");
    await expect(sql`delete from settings_version`.execute(db)).rejects.toThrow("never changed");
    await expect(sql`truncate settings_version`.execute(db)).rejects.toThrow("never changed");
    await expect(
      sql`insert into settings_version (number, saved_by, reason, content) values (1, 'x', 'x', '{}')`.execute(db),
    ).rejects.toThrow("does not follow");
    await sql`alter table settings_version disable trigger settings_version_stays`.execute(db);
    await sql`update settings_version set reason = reason || '!' where number = 2`.execute(db);
    const { body } = await eva.get("settings/versions?limit=500");
    const proven = (body["rows"] as { number: number; proven: boolean }[]).filter((row) => row.proven);
    expect(proven.map(({ number }) => number)).toEqual([1]);
    expect((await cli("history")).said).toContain("Version 2 is not what was saved");
    await sql`update settings_version set reason = rtrim(reason, '!') where number = 2`.execute(db);
    await sql`alter table settings_version enable trigger settings_version_stays`.execute(db);
    expect((await cli("history")).said).not.toContain("is not what was saved");
  });

  test("that cannot be used never stop a node: the last good one holds, with an alarm and a task", async () => {
    const good = await newest();
    const content = JSON.stringify({ volume: "loud", newKeyOfALaterVersion: true });
    await sql`insert into settings_version (number, saved_by, reason, content)
      values (${good + 1}, 'x', 'of another version', ${content}::jsonb)`.execute(venue.db.kysely);
    const late = await testVenue({ env: { NODE_ID: "late" }, database: venue.db });
    expect(late.lines.join("\n")).toContain('"alarm":"settings"');
    expect(await page(late)).toMatchObject({ hotFlagLimit: 31_000 });
    await late.close(true);
    expect((await eva.get("settings")).body).toMatchObject({ number: good + 1 });
    expect((await eva.get("tasks")).body).toMatchObject({
      rows: expect.arrayContaining([expect.objectContaining({ kind: "settings", subject: `settings:${good + 1}` })]),
    });
    // A change repairs it; the key of a later version stays.
    expect((await change({ volume: 0.5 })).body).toMatchObject({ is: "done" });
    expect((await eva.get("settings")).body).toMatchObject({ content: { newKeyOfALaterVersion: true, volume: 0.5 } });
  });

  test("hold over Settings.json key by key, and its other keys are still read", async () => {
    await change({ hotFlagLimit: 31_000 });
    await writeFile(join(venue.config.dataFolder, "Settings.json"), '{"hotFlagLimit": 5, "loginNotice": "LN 7"}');
    await vi.waitFor(
      async () => expect(await page()).toMatchObject({ hotFlagLimit: 31_000, loginNotice: "LN 7" }),
      20_000,
    );
    expect((await eva.get("settings")).body).toMatchObject({ base: { hotFlagLimit: 5 } });
  });
});

test("the server's own settings are shown, its secrets never", async () => {
  const { body } = await eva.get("settings");
  expect(body["environment"]).toEqual(
    expect.arrayContaining([
      { name: "LARGE_WIN", value: "777", isSet: true },
      { name: "TURN_SECRET", value: null, isSet: true },
      { name: "DATABASE_URL", value: null, isSet: false },
    ]),
  );
  expect(body["file"]).toEqual(
    expect.arrayContaining([
      { name: "iceServers", value: null, isSet: false },
      { name: "apiUrl", value: "/v1/", isSet: false },
    ]),
  );
  expect(JSON.stringify(body)).not.toContain("not-to-be-seen");
});

test("every version is an entry of the audit log, with exactly what differs", async () => {
  await change({ minimumAge: 21 });
  const { rows } = await sql<Json>`select actor, before, after from audit.entries
    where type = 'parameters.changed' and subject = 'settings' order by id desc limit 1`.execute(venue.db.kysely);
  expect(rows).toEqual([{ actor: "staff:eva", before: { minimumAge: null }, after: { minimumAge: 21 } }]);
});

describe("the command line", () => {
  test("shows, changes and rolls back by the same checks", async () => {
    const before = await newest();
    expect(await cli("set", "volume", "--to", "0.4", "--reason", "quiet", "--dry-run")).toMatchObject({ code: 0 });
    expect(await newest()).toBe(before);
    expect((await cli("set", "volume", "--to", "0.4", "--reason", "quiet")).said).toContain(`version ${before + 1}`);
    expect((await cli("show")).said).toMatch(/volume +0\.4/);
    await vi.waitFor(async () => expect(await page()).toMatchObject({ volume: 0.4 }), 20_000);
    const wrong = await cli("set", "volume", "--to", "9", "--reason", "loud");
    expect(wrong).toMatchObject({ code: 3, complained: expect.stringContaining("volume is at most 1") });
    const late = await cli("roll-back", "1", "--reason", "x", "--expected", String(before));
    expect(late.complained).toContain("Somebody changed the settings meanwhile");
    expect((await cli("roll-back", String(before), "--reason", "back")).said).toContain(`version ${before + 2}`);
    expect((await cli("history")).said).toContain("root:ayse");
  });

  test.each([
    ["set"],
    ["set", "volume", "--to", "1", "--file", "x.json"],
    ["set", "--file", "/nowhere/x.json"],
    ["set", "apiUrl", "--to", "https://evil.example"],
    ["roll-back", "-1"],
    ["roll-back", "99999999"],
  ])("refuses %j %j %j", async (...args) => {
    const before = await newest();
    expect((await cli(...args.filter((arg) => arg !== undefined), "--reason", "x")).code).not.toBe(0);
    expect(await newest()).toBe(before);
  });
});

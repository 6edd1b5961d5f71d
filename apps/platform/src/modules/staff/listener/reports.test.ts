import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STAFF_BASE } from "@longarm/contract/staff-call";
import { ROLE_NAMES, ROLES } from "@longarm/contract/staff-rights";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { longarmOf } from "../../../testing/longarm.ts";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { staffMember, staffOrigin } from "../../../testing/staff-client.ts";
import { proveReports } from "../../records/reports/index.ts";

/* Reports of a real venue, as the console and the command line read them. */

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
const longarm = longarmOf(venue);
type Member = Awaited<ReturnType<typeof staffMember>>;
type Json = Record<string, unknown>;
let auditor: Member;
let technician: Member;
let administrator: Member;
let today: string;
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  auditor = await staffMember(staff, "rana", ["auditor"]);
  technician = await staffMember(staff, "teo", ["technician"]);
  administrator = await staffMember(staff, "ada", ["administrator"]);
  await played("rp-01", "report.one", [40, 0, 900]);
  await played("rp-02", "report.two", [100]);
  const { rows } = await sql<{ today: string }>`select business_day(clock_timestamp())::text as today`.execute(
    venue.database.kysely,
  );
  today = rows[0]?.today ?? "";
}
afterAll(async () => expect(await proveReports(venue.database.kysely)).toEqual([]));

/** A play session with 20.00 cashed in, these wins at a stake of 1.00, and everything cashed out. */
async function played(id: string, username: string, wins: readonly number[]): Promise<void> {
  const { machine, agent } = await venue.machine(id);
  const player = await venue.player(username, 10_000);
  const page = await venue.page(player.token, id);
  await page.init();
  await page.peer.request("cashIn", { id: `${id}-cash-in`, amount: 2_000 });
  for (const win of wins) machine.play(win);
  await agent.pump();
  await page.peer.request("leave", {});
  await venue.inState(id, "free");
}

const period = () => `from=${today}&to=${today}`;
const report = async (query: string, by: Member = auditor) => await by.get(`reports?${period()}&${query}`);
const rowsOf = ({ body }: { body: Json }) => body["rows"] as { key: string; name: string; figures: Json }[];

describe("a report", () => {
  test("by machine says what games, ledger and sessions say, and its total is the sum of its rows", async () => {
    const answer = await report("by=machine");
    expect(answer.status).toBe(200);
    expect(rowsOf(answer)).toMatchObject([
      {
        ...{ key: "rp-01", name: "RP-01" },
        figures: {
          ...{
            games: 3,
            wagered: 300,
            machinePaid: 940,
            handPaid: 0,
            held: -640,
            hold: -21_333,
            expected: null,
            ledgerKept: -640,
          },
          ...{ sessions: 1, cashIn: 2_000, cashOut: 2_640, handPays: 0, venue: null },
          discrepancies: { found: 0, open: 0, amount: 0 },
        },
      },
      {
        key: "rp-02",
        figures: { games: 1, wagered: 100, machinePaid: 100, held: 0, hold: 0, cashIn: 2_000, cashOut: 2_000 },
      },
    ]);
    expect(answer.body).toMatchObject({
      total: {
        games: 4,
        wagered: 400,
        machinePaid: 1_040,
        ledgerKept: -640,
        sessions: 2,
        venue: { deposits: 20_000, withdrawals: 0 },
      },
      before: { games: 0, wagered: 0, hold: null },
      ...{ today, from: today, to: today, timeZone: "UTC", dayBeginsMinutes: 360, brands: ["nar"], denominations: [1] },
    });
  });

  test.each([
    ["brand", "nar"],
    ["denomination", "1"],
  ])("by %s has one row of all machines", async (by, key) => {
    expect(rowsOf(await report(`by=${by}`))).toMatchObject([{ key, figures: { games: 4, wagered: 400 } }]);
  });

  test("by day, month and year has the venue's own figures too", async () => {
    for (const [by, key] of [
      ["day", today],
      ["month", today.slice(0, 7)],
      ["year", today.slice(0, 4)],
    ] as const)
      expect(rowsOf(await report(`by=${by}`))).toMatchObject([
        { key, figures: { games: 4, venue: { deposits: 20_000, bonuses: 0 } } },
      ]);
  });

  test("of one machine, brand or denomination leaves the others out", async () => {
    expect((await report("by=day&machine=rp-02")).body).toMatchObject({ total: { games: 1, venue: null } });
    expect((await report("by=day&brand=nar")).body).toMatchObject({ total: { games: 4 } });
    expect((await report("by=machine&brand=none")).body).toMatchObject({ rows: [], total: { games: 0 } });
    expect((await report("by=machine&denomination=5")).body).toMatchObject({ rows: [], total: { games: 0 } });
  });

  test("shows when seats were taken, the running stay among them, and never longer than there was", async () => {
    const { page } = await seated("rp-03", "report.three");
    const hours = (await auditor.get(`reports/hours?${period()}`)).body["cells"] as Record<string, number>[];
    const taken = hours.reduce((sum, cell) => sum + (cell["seatedMs"] ?? 0), 0);
    expect(taken).toBeGreaterThan(0);
    for (const cell of hours) expect(cell["seatedMs"]).toBeLessThanOrEqual(cell["availableMs"] ?? 0);
    const before = Number(((await report("by=day&machine=rp-03")).body["total"] as Json)["seatedMs"]);
    expect(before).toBeGreaterThan(0);
    await page.peer.request("leave", {});
    await venue.inState("rp-03", "free");
    const after = Number(((await report("by=day&machine=rp-03")).body["total"] as Json)["seatedMs"]);
    expect(after).toBeGreaterThanOrEqual(before);
  });

  test("opens to its games and its transfers; players are named to who may see them", async () => {
    const games = await auditor.get(`reports/games?${period()}&machine=rp-01&limit=2`);
    expect(games.body).toMatchObject({
      rows: [{ number: 3, win: 900, player: { username: "report.one" } }, { number: 2 }],
      next: "2",
    });
    const rest = await auditor.get(`reports/games?${period()}&machine=rp-01&limit=2&after=2`);
    expect(rest.body).toMatchObject({ rows: [{ number: 1 }], next: null });
    const blind = await administrator.get(`reports/games?${period()}&machine=rp-01`);
    expect(blind.body).toMatchObject({ rows: [{ player: null }, {}, {}] });
    const moves = await auditor.get(`reports/transfers?${period()}&machine=rp-01`);
    const kinds = (moves.body["rows"] as Json[]).map(({ kind, amount }) => `${kind} ${amount}`);
    expect(kinds).toEqual(["cashOut 2640", "game 800", "game 100", "game 60", "cashIn 2000"]);
    const masked = await administrator.get(`reports/transfers?${period()}&machine=rp-01`);
    expect(JSON.stringify(masked.body)).not.toContain("player:");
    const ofVenue = await auditor.get(`reports/transfers?${period()}`);
    expect((ofVenue.body["rows"] as Json[]).every(({ kind }) => kind === "deposit")).toBe(true);
  });
});

async function seated(id: string, username: string) {
  await venue.machine(id);
  const player = await venue.player(username, 5_000);
  const page = await venue.page(player.token, id);
  await page.init();
  return { page };
}

describe("a paytable sheet", () => {
  test("counts once a second person signed it: hold, variance and band are known where every machine has one", async () => {
    const fields = { from: today, hold: 500, spread: 300, reason: "sheet 4711" };
    const wanted = await technician.act("setPaytable", { id: "rp-01" }, fields);
    expect(wanted.body).toMatchObject({ is: "waiting" });
    expect(rowsOf(await report("by=machine"))[0]?.figures["expected"]).toBeNull();
    const id = String(wanted.body["approval"]);
    const { hash } = (await administrator.get(`approvals/${id}`)).body as { hash: string };
    expect((await technician.act("signApproval", { id }, { hash })).body).toMatchObject({ problem: "approval.own" });
    expect((await administrator.act("signApproval", { id }, { hash })).body).toMatchObject({ is: "done" });
    expect((await auditor.get("paytables")).body).toMatchObject({
      rows: [{ machine: { id: "rp-01" }, from: today, hold: 500, spread: 300, setBy: "teo", reason: "sheet 4711" }],
    });
    // 3.00 staked in three games, 5 % of it is 0.15; √3 · 3.00 of 3.00 is a deviation of 173.2 %.
    expect(rowsOf(await report("by=machine"))).toMatchObject([
      {
        figures: { expected: { hold: 500, held: 15, variance: -655, band: { low: 500 - 33_948, high: 500 + 33_948 } } },
      },
      { figures: { expected: null } },
      { figures: { expected: null } },
    ]);
    // A machine with games and without a sheet: the hold of all is not known, and not 0.
    expect((await report("by=brand")).body).toMatchObject({ total: { expected: null } });
    expect((await auditor.get("machines/rp-01")).body).toMatchObject({ facts: { theoreticalReturn: 9_500 } });
    expect((await auditor.get("machines/rp-02")).body).toMatchObject({ facts: { theoreticalReturn: null } });
  });

  test("from the command line counts at once, and the hold of several machines is weighted by what was staked", async () => {
    const set = await longarm("paytables", "set", "rp-02", "--hold", "9.00", "--from", today, "--reason", "sheet 4712");
    expect(set).toMatchObject({ code: 0, said: expect.stringContaining("keeps 9.00 %") });
    // 3/4 of 5 % and 1/4 of 9 %: 6 %. Without a spread there is no band.
    expect((await report("by=brand")).body).toMatchObject({ total: { expected: { hold: 600, held: 24, band: null } } });
    const entries = await auditor.get("audit?type=machine.paytable");
    expect(entries.body).toMatchObject({
      rows: [{ actor: "root:ayse", subject: "machine:rp-02" }, { actor: "staff:ada" }],
    });
    const wrong = await longarm("paytables", "set", "none", "--hold", "1", "--reason", "x");
    expect(wrong).toMatchObject({ code: 3, complained: expect.stringContaining("no such machine") });
  });

  test.each([
    ["a hold above everything", { hold: 10_001 }],
    ["a hold below nothing", { hold: -1 }],
    ["a hold between two hundredths", { hold: 5.5 }],
    ["no spread at all", { spread: undefined }],
    ["a spread of nothing", { spread: 0 }],
    ["a day that is none", { from: "2026-02-30" }],
  ])("is refused with %s", async (_what, field) => {
    const body = { id: "paytable-hostile", from: today, hold: 1, spread: 1, reason: "x", ...field };
    const answer = await technician.post("machines/rp-01/paytable", body);
    expect(answer).toMatchObject({ status: 400, body: { problem: "request.invalid" } });
  });

  test.each([
    ["a day of another time", "rp-01", { from: "0001-01-01" }, "request.invalid"],
    ["a day to come", "rp-01", { from: "2199-01-01" }, "act.refused"],
    ["a machine that is none", "rp-99", {}, "thing.unknown"],
  ])("is refused before a second person sees it: %s", async (_what, id, field, problem) => {
    const fields = { from: today, hold: 1, spread: 1, reason: "x", ...field };
    expect((await technician.act("setPaytable", { id }, fields)).body).toMatchObject({ problem });
  });
});

const file = async (query: string, cookie = auditor.cookie) => {
  const { staff } = venue.platform;
  if (staff === undefined) throw new Error("STAFF_PORT is set");
  const headers = { host: new URL(staffOrigin(venue)).host, cookie };
  return await staff.app.inject({ method: "GET", url: `${STAFF_BASE}reports/file?${query}`, headers });
};

describe("files", () => {
  test("CSV and PDF are made on the server, have a name, and are entries of the audit log", async () => {
    const csv = await file(`${period()}&by=machine&format=csv&language=en`);
    expect(csv.statusCode).toBe(200);
    expect(csv.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(csv.headers["content-disposition"]).toBe(
      `attachment; filename="longarm-report-machine-${today}-${today}.csv"`,
    );
    expect(csv.body).toMatch(/^\uFEFFMachine,Games,Coin in,/);
    expect(csv.body).toContain("\r\nRP-01,3,3,9.4,0,-6.4,");
    const pdf = await file(`${period()}&by=day&format=pdf&language=ar`);
    expect(pdf.headers["content-type"]).toBe("application/pdf");
    expect(pdf.body.startsWith("%PDF-")).toBe(true);
    const entries = await auditor.get("audit?type=data.exported");
    expect(entries.body).toMatchObject({
      rows: [
        { actor: "staff:rana", subject: "reports", facts: { format: "pdf", by: "day", from: today } },
        { facts: { format: "csv" } },
      ],
    });
  });

  test("are refused without a sign-in, without the permission, and with what is none", async () => {
    const good = `${period()}&by=day&format=csv&language=en`;
    expect((await file(good, "")).statusCode).toBe(401);
    expect((await file(good, technician.cookie)).json()).toMatchObject({ problem: "permission.missing" });
    for (const bad of ["format=xls", "format=csv&by=moon", "format=csv&language=../../etc", "format=csv&from=x"])
      expect((await file(`${period()}&by=day&language=en&${bad}`)).statusCode).toBe(400);
  });

  test("from the command line are the same", async () => {
    const right = await longarm("reports", "show", "--from", today, "--by", "machine", "--csv");
    expect(right.said).toContain("\nRP-01,3,3,9.4,0,-6.4,");
    const folder = await mkdtemp(join(tmpdir(), "longarm-report-"));
    const path = join(folder, "day.pdf");
    expect(await longarm("reports", "show", "--by", "day", "--pdf", path)).toMatchObject({ code: 0 });
    expect((await readFile(path)).subarray(0, 5).toString()).toBe("%PDF-");
    await rm(folder, { recursive: true });
    expect((await longarm("reports", "show")).said).toMatch(/RP-01 +3 +3\.00 +9\.40 +0\.00 +-6\.40/);
  });
});

describe("payments by provider", () => {
  test("are empty before one went through a provider, and a file of their own that is audited", async () => {
    expect((await auditor.get(`reports/providers?${period()}`)).body).toMatchObject({
      ...{ from: today, to: today, today, rows: [] },
    });
    const csv = await file(`${period()}&of=providers&format=csv&language=tr`);
    expect(csv.statusCode).toBe(200);
    expect(csv.headers["content-disposition"]).toBe(
      `attachment; filename="longarm-report-providers-${today}-${today}.csv"`,
    );
    expect(csv.body).toMatch(/^\uFEFFSağlayıcı,/);
    const [entry] = (await auditor.get("audit?type=data.exported")).body["rows"] as Json[];
    expect(entry).toMatchObject({ actor: "staff:rana", facts: { of: "providers", format: "csv", from: today } });
  });

  test.each([
    ["a PDF", "&format=pdf"],
    ["a group", "&format=csv&by=day"],
    ["a brand", "&format=csv&brand=Nar"],
    ["another report", "&format=csv&of=players"],
    ["more than a year", "&format=csv&from=2024-01-01"],
  ])("are no file with %s", async (_what, bad) => {
    const days = bad.includes("from=") ? `to=${today}` : period();
    const of = bad.includes("of=") ? "" : "&of=providers";
    expect((await file(`${days}${of}&language=en${bad}`)).statusCode).toBe(400);
  });

  test("are refused to who sees no reports", async () => {
    expect((await technician.get(`reports/providers?${period()}`)).status).toBe(403);
    const answer = await file(`${period()}&of=providers&format=csv&language=en`, technician.cookie);
    expect(answer.json()).toMatchObject({ problem: "permission.missing" });
  });
});

describe("cashier shifts", () => {
  test("are listed with their receipts; sums are of the closed ones, and an open one is blind", async () => {
    const selin = await staffMember({ platform: venue.platform, db: venue.database }, "selin", ["cashier"]);
    const okan = await staffMember({ platform: venue.platform, db: venue.database }, "okan", ["supervisor"]);
    const { id } = await venue.player("report.cash");
    await selin.act("openShift", {}, { desk: "Cage 1", float: 10_000 });
    await selin.act("deposit", { id }, { amount: 5_000, reason: "cash" });
    await selin.act("closeShift", {}, { counted: 14_900 });
    await okan.act("openShift", {}, { desk: "Cage 2", float: 0 });
    await okan.act("deposit", { id }, { amount: 700, reason: "cash" });
    const shifts = await okan.get(`reports/shifts?${period()}`);
    expect(shifts.body).toMatchObject({
      rows: [
        { cashier: { name: "okan" }, cashIn: null, expected: null, receipts: 1 },
        { cashier: { name: "selin" }, cashIn: 5_000, expected: 15_000, difference: -100, receipts: 1 },
      ],
      total: { shifts: 2, open: 1, cashIn: 5_000, cashOut: 0, difference: -100, short: 1, over: 0 },
    });
    expect((await longarm("reports", "shifts")).said).toContain("2 shifts, 1 open; the counts differ by -1.00.");
  });
});

describe("what comes in", () => {
  test.each([
    ["no days", "by=day"],
    ["a day that is none", "from=2026-02-30&to=2026-03-01&by=day"],
    ["days in the wrong order", "from=2026-03-02&to=2026-03-01&by=day"],
    ["more than ten years", "from=2010-01-01&to=2026-03-01&by=day"],
    ["days before the calendar", "from=0001-01-01&to=0001-01-02&by=day"],
    ["days after all", "from=9999-12-30&to=9999-12-31&by=day"],
    ["a group of its own", "from=2026-03-01&to=2026-03-01&by=player"],
    ["a field of its own", "from=2026-03-01&to=2026-03-01&by=day&limit=1"],
    ["a denomination that is no number", "from=2026-03-01&to=2026-03-01&by=day&denomination=1e99"],
    ["a brand with control characters", "from=2026-03-01&to=2026-03-01&by=day&brand=%00"],
    ["twice the same field", "from=2026-03-01&from=2026-03-02&to=2026-03-03&by=day"],
    ["SQL", "from=2026-03-01'--&to=2026-03-01&by=day"],
  ])("is refused: %s", async (_what, query) => {
    expect((await auditor.get(`reports?${query}`)).body).toMatchObject({ problem: "request.invalid" });
  });

  test("is only ever compared: names with quotes, and an unknown place in a list", async () => {
    expect((await report(`by=machine&brand=${encodeURIComponent("' or true --")}`)).body).toMatchObject({ rows: [] });
    expect(
      (await auditor.get(`reports/games?${period()}&machine=${encodeURIComponent("x' or true --")}`)).body,
    ).toMatchObject({ rows: [] });
    expect(
      (await auditor.get(`reports/transfers?${period()}&after=${encodeURIComponent("' or true --")}`)).body,
    ).toMatchObject({ rows: [] });
    const long = "from=2026-01-01&to=2027-06-01";
    const paths = ["reports/games?machine=rp-01&", "reports/transfers?", "reports/shifts?", "reports/providers?"];
    for (const path of paths.map((one) => one + long))
      expect((await auditor.get(path)).body).toMatchObject({ problem: "request.invalid" });
  });

  test("each role sees reports or is refused", async () => {
    const staff = { platform: venue.platform, db: venue.database };
    for (const role of ROLE_NAMES) {
      const member = await staffMember(staff, `role-${role}`, [role]);
      const may = (ROLES[role].permissions as readonly string[]).includes("report.see");
      const paths = [
        "reports?by=day&",
        "reports/hours?",
        "reports/shifts?",
        "reports/providers?",
        "reports/transfers?",
        "reports/games?machine=rp-01&",
      ];
      for (const path of paths)
        expect({ role, path, status: (await member.get(path + period())).status }).toEqual({
          role,
          path,
          status: may ? 200 : 403,
        });
    }
  });
});

describe("the command line", () => {
  test("proves the sums, finds one that is wrong, and makes them again", async () => {
    expect(await longarm("reports", "prove")).toMatchObject({
      code: 0,
      said: expect.stringContaining("exactly what it is made of"),
    });
    await sql`update report_games set wagered = wagered + 1 where machine_id = 'rp-01'`.execute(venue.database.kysely);
    const wrong = await longarm("reports", "prove");
    expect(wrong).toMatchObject({ code: 1, said: expect.stringContaining("rp-01") });
    expect(await longarm("reports", "rebuild", "--yes")).toMatchObject({ code: 0 });
    expect(await longarm("reports", "prove")).toMatchObject({ code: 0 });
  });
});

import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { StaffTables } from "../modules/staff/accounts/index.ts";
import { longarm } from "../testing/longarm.ts";
import { sharePlayVenue } from "../testing/play-venue.ts";
import type { StaffClient } from "../testing/staff-client.ts";
import { staffClient, staffMember } from "../testing/staff-client.ts";

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
type Member = Awaited<ReturnType<typeof staffMember>>;
const member = (name: string, role: Parameters<typeof staffMember>[2][number]) =>
  staffMember({ platform: venue.platform, db: venue.database }, name, [role]);
const db = () => venue.database.kysely.withTables<StaffTables>();

let okan: Member;
let deniz: Member;
let config: string;
async function prepare(): Promise<void> {
  okan = await member("okan", "supervisor");
  deniz = await member("deniz", "cashier");
}
beforeEach(async () => {
  config = await mkdtemp(join(tmpdir(), "longarm-config-"));
});
const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

type DeviceRequest = { readonly code: string };

const environment = () => ({ DATABASE_URL: venue.database.url, STAFF_PUBLIC_URL: "https://staff.example.org" });

/** Types `longarm …` as a person whose sign-in is in `config`. */
function type(...args: string[]) {
  folders.push(config);
  return longarm(args, { environment: environment(), configFolder: config, signedIn: true, beginWithinMs: 200 });
}

/** Lets the command line ask, and a person act between two of its polls. */
async function signInWith(decide: (request: DeviceRequest) => Promise<unknown>) {
  folders.push(config);
  let asks = 0;
  const said: string[] = [];
  const answer = await longarm(["sign-in"], {
    environment: environment(),
    configFolder: config,
    signedIn: true,
    say: (line) => void said.push(line),
    pause: async () => {
      asks += 1;
      // No waiting: the time between two polls is over.
      await sql`update staff_device set polled_at = polled_at - interval '1 hour'`.execute(venue.db);
      const code = /Your code: (.*)/.exec(said.join("\n"))?.[1] ?? "";
      if (asks === 2) await decide({ code });
      if (asks > 4) throw new Error("no decision");
    },
  });
  return answer;
}

const confirm = (by: Member, { code }: DeviceRequest) => by.act("confirmDevice", {}, { code });
const signIn = (by: Member) => signInWith((request) => confirm(by, request));

const newest = async (kind: string) =>
  (
    await sql<{
      actor: string;
      facts: Record<string, unknown>;
    }>`select actor, facts from audit.entries where type = ${kind} order by id desc limit 1`.execute(venue.db)
  ).rows[0];

describe("longarm sign-in", () => {
  test("shows a code and the console's address, and acts in the name of the person who confirmed it", async () => {
    let looked: Awaited<ReturnType<StaffClient["post"]>> | undefined;
    const { code, said } = await signInWith(async (request) => {
      expect(request.code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
      looked = await okan.post("me/devices/look", { code: request.code.toLowerCase().replace("-", " ") });
      expect((await confirm(okan, request)).body).toMatchObject({ is: "done" });
    });
    expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining("Signed in as okan.") });
    expect(said).toContain("https://staff.example.org/device");
    expect(looked?.body).toMatchObject({ computer: "hall-1", systemUser: "ayse" });

    expect((await type("whoami")).said).toMatch(/^okan \(okan\): supervisor\.\nSigned in since /);
    expect(await newest("staff.signedIn")).toMatchObject({
      actor: "staff:okan",
      facts: { how: "device", device: "longarm, hall-1, ayse" },
    });
    expect((await okan.get("me/sign-ins")).body).toMatchObject({
      rows: [{ how: "device", device: "longarm, hall-1, ayse" }, {}],
    });
    const added = await type("notes", "add", "Cash desk");
    expect(added).toMatchObject({ code: 0, complained: "" });
    expect(await newest("quickPanel.added")).toMatchObject({ actor: "staff:okan" });
  });

  test("keeps its token where no other user reads it, and the database keeps neither token nor code", async () => {
    let typed = "";
    await signInWith(async (request) => {
      typed = request.code;
      await confirm(okan, request);
    });
    const file = join(config, "longarm", "sign-in.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(config, "longarm"))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(config, "longarm"))).toEqual(["sign-in.json"]);
    const { token } = JSON.parse(await readFile(file, "utf8")) as { token: string };
    const { rows } = await sql<{ all: string }>`select coalesce(string_agg(d::text, ''), '') || (select
      string_agg(s::text, '') from staff_sign_in s) as all from staff_device d`.execute(venue.db);
    expect(rows[0]?.all).not.toContain(token);
    expect(rows[0]?.all).not.toContain(typed);
    await chmod(file, 0o640);
    expect(await type("whoami")).toMatchObject({ code: 3, complained: expect.stringContaining("Others may read") });
    await chmod(file, 0o600);
    for (const text of ["", "{", '{"token":"x","username":"okan"}', `{"token":"${token}"}`, "x".repeat(9_000)]) {
      await writeFile(file, text);
      expect(await type("whoami")).toMatchObject({ code: 3, complained: expect.stringContaining("holds no sign-in") });
    }
    // A sign-out forgets it, whatever it holds.
    expect(await type("sign-out")).toMatchObject({ code: 0, said: "No person was signed in here." });
    expect(await readdir(join(config, "longarm"))).toEqual([]);
  });

  test("the token opens no console, and a cookie no command line", async () => {
    await signIn(okan);
    const file = join(config, "longarm", "sign-in.json");
    const { token } = JSON.parse(await readFile(file, "utf8")) as { token: string };
    const thief = staffClient(venue);
    thief.cookie = `longarm-staff=${token}`;
    expect((await thief.get("me")).status).toBe(401);
    const cookie = okan.client.cookie.split("=")[1] ?? "";
    await writeFile(file, JSON.stringify({ username: "okan", token: cookie }), { mode: 0o600 });
    expect(await type("whoami")).toMatchObject({ code: 3, complained: expect.stringContaining("is over") });
  });

  test("ends when it is refused, when it is too late, and when its confirmer's sign-in has ended", async () => {
    const refused = await signInWith(({ code }) => okan.act("refuseDevice", {}, { code }));
    expect(refused).toMatchObject({ code: 3, complained: "The console refused this code. No person is signed in." });
    const late = await signInWith(async (request) => {
      await sql`update staff_device set expires_at = clock_timestamp()`.execute(venue.db);
      expect((await confirm(okan, request)).body).toMatchObject({ problem: "device.unknown" });
    });
    expect(late).toMatchObject({ code: 3, complained: expect.stringContaining("not confirmed in time") });
    const gone = await member("gone.soon", "auditor");
    const ended = await signInWith(async (request) => {
      await confirm(gone, request);
      await gone.post("sign-out");
    });
    expect(ended).toMatchObject({ code: 3, complained: expect.stringContaining("refused") });
    expect(await readdir(config)).toEqual([]);
  });

  test("a code is confirmed once, with a passkey, and is not found by guessing", async () => {
    await signInWith(async (request) => {
      const { code } = request;
      expect((await deniz.post("me/devices/confirm", { id: "no-step-up", code })).body).toMatchObject({
        problem: "stepUp.needed",
      });
      // A step-up for another code does not confirm this one.
      const stepUp = await deniz.stepUp("confirmDevice", {}, { id: "other-code", code: "BBBB-CCCC" });
      expect((await deniz.post("me/devices/confirm", { id: "other-code", code, stepUp })).body).toMatchObject({
        problem: "stepUp.needed",
      });
      expect((await confirm(okan, request)).status).toBe(200);
      expect((await confirm(deniz, request)).body).toMatchObject({ problem: "device.unknown" });
    });
    for (let tries = 0; tries < 5; tries += 1)
      expect((await deniz.post("me/devices/look", { code: "BCDF-GHJK" })).body).toMatchObject({
        problem: "device.unknown",
      });
    expect(await newest("staff.deviceCodeWrong")).toMatchObject({ actor: "staff:deniz" });
    await signInWith(async ({ code }) => {
      expect((await deniz.post("me/devices/look", { code })).body).toMatchObject({ problem: "request.tooMany" });
      expect((await okan.post("me/devices/look", { code })).status).toBe(200);
      await okan.act("refuseDevice", {}, { code });
    });
    await db().deleteFrom("staff_device_miss").execute();
  });

  test("ends with a sign-out, from the console, by its age and after too long without use", async () => {
    await signIn(okan);
    expect((await type("sign-out")).said).toBe("okan is signed out here.");
    expect(await type("whoami")).toMatchObject({
      code: 3,
      complained: expect.stringContaining("No person is signed in"),
    });

    await signIn(okan);
    const rows = (await okan.get("me/sign-ins")).body["rows"] as { id: string; how: string }[];
    await okan.act("endMySignIn", { id: rows.find(({ how }) => how === "device")?.id ?? "" }, {});
    expect(await type("notes", "add", "x")).toMatchObject({ code: 3, complained: expect.stringContaining("is over") });

    await signIn(okan);
    await sql`update staff_sign_in set active_at = active_at - interval '6 minutes' where how = 'device'`.execute(
      venue.db,
    );
    expect(await type("whoami")).toMatchObject({
      code: 3,
      complained: expect.stringContaining("not used for too long"),
    });
    expect(await newest("staff.signInEnded")).toMatchObject({ facts: { how: "device", reason: "idle" } });

    await signIn(okan);
    await sql`update staff_sign_in set expires_at = clock_timestamp() where how = 'device'`.execute(venue.db);
    expect(await type("whoami")).toMatchObject({ code: 3, complained: expect.stringContaining("is over") });
  });
});

describe("who acts by the command line", () => {
  test("needs a sign-in or --as-root, which is audited with its reason before anything else", async () => {
    const act = ["notes", "add", "lost"];
    expect(await type(...act)).toMatchObject({ code: 3, complained: expect.stringContaining("Run longarm sign-in.") });
    expect(await type(...act, "--as-root")).toMatchObject({ code: 2 });
    expect(await type(...act, "--by", "eva")).toMatchObject({ code: 2, complained: expect.stringContaining("--by") });
    expect(await type(...act, "--as-root", "no console at night")).toMatchObject({ code: 0 });
    expect(await newest("staff.actedAsRoot")).toMatchObject({
      actor: "root:ayse",
      facts: { command: "notes add", why: "no console at night", computer: "hall-1" },
    });
    expect(await newest("quickPanel.added")).toMatchObject({ actor: "root:ayse" });
    // What only reads needs no sign-in.
    expect(await type("notes", "list")).toMatchObject({ code: 0 });
  });

  test("needs the permission of the act, which is gone with the next command", async () => {
    await signIn(deniz);
    const player = await venue.player("cli.guest", 5_000);
    expect(await type("players", "ban", "cli.guest", "--yes")).toMatchObject({
      code: 3,
      complained: "deniz lacks the permission player.lock. Nothing was changed.",
    });
    expect(await type("players", "limits", "cli.guest", "--loss-day", "100.00")).toMatchObject({ code: 0 });
    expect(await type("players", "limits", "cli.guest", "--loss-day", "none")).toMatchObject({
      code: 3,
      complained: expect.stringContaining("lacks the permission limit.looser"),
    });
    await db().deleteFrom("staff_has_role").where("staff_id", "=", deniz.id).execute();
    expect(await type("players", "limits", "cli.guest", "--loss-day", "50.00")).toMatchObject({ code: 3 });
    await db().insertInto("staff_has_role").values({ staff_id: deniz.id, role: "cashier" }).execute();
    expect(player.id).toMatch(/^p_/);
  });

  test("moves money in a shift and within the limit of the role, once for its id; above it a second person signs", async () => {
    await signIn(deniz);
    const { id } = await venue.player("cli.saver", 0);
    const deposit = (amount: string, ...more: string[]) =>
      type("wallets", "deposit", "cli.saver", amount, "--reason", "cash desk", ...more);
    expect(await deposit("100.00")).toMatchObject({ code: 3, complained: "Open your shift first." });
    await deniz.act("openShift", {}, { desk: "Desk 1", float: 100_000 });
    expect(await deposit("100.00", "--dry-run")).toMatchObject({
      code: 0,
      said: expect.stringContaining("Would move"),
    });
    expect((await deposit("100.00", "--id", "r-100")).said).toContain("from 0.00 to 100.00");
    expect((await deposit("100.00", "--id", "r-100")).said).toContain("It was done before");
    const waits = await deposit("20000.00");
    expect(waits).toMatchObject({
      code: 0,
      said: expect.stringMatching(/^Nothing was changed yet: a second person must sign ap_/),
    });
    const { rows } = (await okan.get("approvals")).body as {
      rows: { id: string; hash: string; requestedBy: object }[];
    };
    expect(rows[0]?.requestedBy).toMatchObject({ id: deniz.id });
    const params = { id: rows[0]?.id ?? "" };
    expect((await okan.act("signApproval", params, { hash: rows[0]?.hash })).body).toMatchObject({ is: "done" });
    expect((await type("wallets", "balance", "cli.saver")).said).toContain("20100.00 in the wallet");
    expect(id).toMatch(/^p_/);
  });

  test("works on a case from its opening to its outcome, in the person's name", async () => {
    const { id } = await venue.player("care.by.cli");
    await signIn(okan);
    expect(await type("care", "open", "care.by.cli", "--reason", "wanted credit")).toMatchObject({ code: 0 });
    const found = JSON.parse((await type("care", "list", "--json")).said) as {
      cases: { id: string; playerId: string }[];
    };
    const caseId = found.cases.find(({ playerId }) => playerId === id)?.id ?? "";
    expect(await type("care", "letter", caseId, "--text", "Hello.")).toMatchObject({
      code: 3,
      complained: expect.stringContaining("Take the case first."),
    });
    expect(await type("care", "take", caseId, "--dry-run")).toMatchObject({ code: 0 });
    expect(await type("care", "take", caseId)).toMatchObject({ code: 0, said: "The case is yours." });
    expect(await type("care", "means", "care.by.cli", "400.00", "--reason", "said at the desk")).toMatchObject({
      code: 0,
    });
    const advice = ["--suggest", "loss.week=500.00"];
    expect(await type("care", "letter", caseId, "--text", "Hello.", ...advice)).toMatchObject({ code: 0 });
    expect(await type("care", "time-out", caseId, "7", "--reason", "agreed", "--yes")).toMatchObject({ code: 0 });
    expect(await type("care", "note", caseId, "--text", "called")).toMatchObject({ code: 0 });
    expect(await type("care", "close", caseId, "tookBreak", "--reason", "a week")).toMatchObject({ code: 0 });
    expect((await type("care", "show", caseId)).said).toMatch(
      /tookBreak[\s\S]*closed: a week[\s\S]*note: called[\s\S]*timeOut/,
    );
    expect(await newest("player.care")).toMatchObject({ actor: "staff:okan", facts: { outcome: "tookBreak" } });
  });

  test("an emergency stop is set alone; its release waits for a second person", async () => {
    await venue.machine("si-01");
    await signIn(okan);
    expect(await type("machines", "emergency-stop", "si-01", "--yes")).toMatchObject({ code: 0 });
    expect((await okan.get("stops")).body).toMatchObject({ rows: [{ setBy: { name: "okan" }, releasedAt: null }] });
    const request = await type("machines", "resume", "si-01", "--reason", "all clear");
    expect(request).toMatchObject({ code: 0, said: expect.stringContaining("a second person must sign") });
    expect((await okan.get("stops")).body).toMatchObject({ rows: [{ releasedAt: null }] });
    expect(await type("machines", "resume", "si-01", "--as-root", "both supervisors are here")).toMatchObject({
      code: 0,
    });
    expect((await okan.get("stops")).body).toMatchObject({ rows: [{ releasedBy: [{ name: "root:ayse" }] }] });
  });

  test("invites staff as the console does: the roles wait for another administrator", async () => {
    const ada = await member("ada", "administrator");
    await signIn(ada);
    const added = await type("staff", "add", "yeni", "--role", "cashier", "--reason", "new");
    expect(added.said).toContain("https://staff.example.org/invitation#");
    expect(added.said).toContain("another administrator has signed ap_");
    expect((await type("staff", "list")).said).toMatch(/yeni +st_\S+ +yeni +last here never/);
    expect(await type("staff", "end", "ada", "--yes")).toMatchObject({
      code: 3,
      complained: "No person ends their own account.",
    });
    expect(await type("staff", "end", "yeni", "--yes")).toMatchObject({ code: 0 });
  });

  test("a bonus above the limit, a lifted exclusion, a RAM clear, a paytable sheet and a setting wait for a second person", async () => {
    const guest = await venue.player("cli.lucky", 5_000);
    await venue.machine("si-02");
    await signIn(okan);
    const grant = (amount: string) =>
      type("promotions", "grant", "--player", "cli.lucky", "--amount", amount, "--reason", "welcome");
    const waits = { code: 0, complained: "", said: expect.stringContaining("a second person must sign ap_") };
    expect(await grant("5.00")).toMatchObject({ code: 0, said: expect.stringContaining("Granted 5.00") });
    expect(await grant("20000.00")).toMatchObject(waits);
    const limits = (...more: string[]) => type("players", "limits", "cli.lucky", ...more);
    expect(await limits("--exclude-until", "30d")).toMatchObject({ code: 0, complained: "" });
    expect(await limits("--exclude-until", "none", "--reason", "the player's wish")).toMatchObject(waits);
    const both = await limits("--exclude-until", "none", "--loss-day", "1.00", "--reason", "x");
    expect(both).toMatchObject({ code: 3, complained: expect.stringContaining("by itself") });
    const { rows } = await sql<{ kind: string; requested_by: string }>`select kind, requested_by from approval
      where subject = ${`player:${guest.id}`} order by requested_at`.execute(venue.db);
    expect(rows).toEqual([
      { kind: "bonus.grant", requested_by: okan.id },
      { kind: "exclusion.lift", requested_by: okan.id },
    ]);

    const tekin = await member("tekin", "technician");
    await signIn(tekin);
    expect(await type("machines", "ram-clear", "si-02", "--reason", "new board", "--yes")).toMatchObject(waits);
    const sheet = ["paytables", "set", "si-02", "--hold", "5.20", "--reason", "sheet 1"];
    expect(await type(...sheet)).toMatchObject(waits);
    expect(await type(...sheet, "--dry-run")).toMatchObject({
      code: 0,
      said: "Would enter the paytable sheet of si-02 once a second person has signed it. Nothing was changed.",
    });
    const noRight = await type("settings", "set", "volume", "--to", "0.4", "--reason", "quiet");
    expect(noRight).toMatchObject({
      code: 3,
      complained: expect.stringContaining("lacks the permission settings.change"),
    });
  });

  test("pays a hand pay within the limit of the role, with a slip in the person's name", async () => {
    const { machine, agent } = await venue.machine("si-03");
    const player = await venue.player("cli.winner", 5_000);
    await (await venue.page(player.token, "si-03")).init();
    machine.handPay = { id: "hp-si", amount: 3_000, kind: "win" };
    machine.lockup = "handPay";
    machine.happen("handPayPending", { handPay: machine.handPay });
    await agent.pump();
    await signIn(okan);
    const paid = await type("handpay", "confirm", "si-03");
    expect(paid).toMatchObject({ code: 0, said: expect.stringContaining("Paid 30.00 at si-03.") });
    const { rows } = await sql<{ paid_by: string; one_person: boolean }>`select paid_by, one_person from slip
      where machine_id = 'si-03'`.execute(venue.db);
    expect(rows).toEqual([{ paid_by: okan.id, one_person: false }]);
  });
});

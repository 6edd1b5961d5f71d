import { staffCalls } from "@longarm/contract/staff";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { signApproval, staffMember } from "../../../testing/staff-client.ts";
import type { StaffTables } from "../accounts/index.ts";
import { setStop } from "../desk/index.ts";

/* What somebody of the staff may try with the rights they have, and what two of them do at the same moment. */

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
type Member = Awaited<ReturnType<typeof staffMember>>;
type Json = Record<string, unknown>;
let okan: Member;
let deniz: Member;
let veli: Member;
let chief: Member;
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  okan = await staffMember(staff, "okan", ["supervisor"]);
  deniz = await staffMember(staff, "deniz", ["attendant"]);
  veli = await staffMember(staff, "veli", ["auditor"]);
  chief = await staffMember(staff, "chief", ["supervisor"]);
}
afterAll(async () => expect(await venue.ledger.verify()).toEqual([]));

const rowsOf = (answer: { body: Json }): Json[] => (answer.body["rows"] as Json[] | undefined) ?? [];
const resultOf = (answer: { body: Json }): Json => answer.body["result"] as Json;

/** Sends acts of one person at the same moment; each was confirmed before. */
async function atOnce(
  by: Member,
  name: "deposit" | "grantBonus",
  acts: readonly { readonly params: { id: string }; readonly body: object }[],
) {
  const confirmed: (() => ReturnType<Member["post"]>)[] = [];
  for (const { params, body } of acts) {
    const stepUp = await by.stepUp(name, params, body);
    const path = staffCalls[name].path.replace("{id}", params.id);
    confirmed.push(() => by.post(path, { ...body, stepUp }));
  }
  return await Promise.all(confirmed.map((send) => send()));
}

describe("a limit", () => {
  test("of deposits is passed by no split, in no second shift and by no two at once; what two people signed does not count", async () => {
    const staff = { platform: venue.platform, db: venue.database };
    const splits = await staffMember(staff, "splits", ["cashier"]);
    const { id } = await venue.player("cage.split");
    const { id: other } = await venue.player("cage.split.too");
    const open = () => splits.act("openShift", {}, { desk: "Cage 7", float: 0 });
    await open();
    const signed = await splits.act("deposit", { id }, { amount: 1_500_000, reason: "wire" });
    expect((await signApproval(okan, signed)).body).toMatchObject({ is: "done" });
    expect((await splits.act("deposit", { id }, { amount: 400_000, reason: "cash" })).body).toMatchObject({
      is: "done",
    });
    await splits.act("closeShift", {}, { counted: 1_900_000 });
    await open();
    const order = { amount: 400_000, reason: "cash" };
    const both = await atOnce(splits, "deposit", [
      { params: { id: other }, body: { id: "split-at-once-1", ...order } },
      { params: { id: other }, body: { id: "split-at-once-2", ...order } },
    ]);
    expect(both.map(({ body }) => body["is"]).sort()).toEqual(["done", "waiting"]);
    const dry = await splits.act("deposit", { id }, { amount: 200_001, reason: "cash", dryRun: true });
    expect(dry.body).toMatchObject({ is: "dryRun", needsApproval: true });
    expect((await splits.act("deposit", { id }, { amount: 200_000, reason: "cash" })).body).toMatchObject({
      is: "done",
    });
    // Withdrawals have their own sum.
    expect((await splits.act("withdraw", { id }, { amount: 900_000, reason: "paid out" })).body).toMatchObject({
      is: "done",
    });
    expect((await splits.act("withdraw", { id }, { amount: 100_001, reason: "paid out" })).body).toMatchObject({
      is: "waiting",
    });
  });

  test("of bonuses is passed by no split and by no two at once", async () => {
    const staff = { platform: venue.platform, db: venue.database };
    const gives = await staffMember(staff, "gives", ["attendant"]);
    const { id } = await venue.player("bonus.split");
    const { id: other } = await venue.player("bonus.split.too");
    const expiresAt = new Date(venue.clock.now() + 86_400_000 * 7).toISOString();
    const give = (player: string, amount: number) =>
      gives.act("grantBonus", { id: player }, { amount, expiresAt, reason: "birthday" });
    expect((await signApproval(okan, await give(id, 60_000))).body).toMatchObject({ is: "done" });
    const order = { amount: 30_000, expiresAt, reason: "birthday" };
    const both = await atOnce(gives, "grantBonus", [
      { params: { id }, body: { id: "bonus-at-once-1", ...order } },
      { params: { id: other }, body: { id: "bonus-at-once-2", ...order } },
    ]);
    expect(both.map(({ body }) => body["is"]).sort()).toEqual(["done", "waiting"]);
    expect((await give(id, 20_001)).body).toMatchObject({ is: "waiting" });
    expect((await give(id, 20_000)).body).toMatchObject({ is: "done" });
  });
});

describe("a drawer", () => {
  test("that paid out more than was in it closes with what should be there below zero, and is listed", async () => {
    const staff = { platform: venue.platform, db: venue.database };
    const cash = await staffMember(staff, "empty-drawer", ["cashier"]);
    const { id } = await venue.player("cage.below", 10_000);
    expect((await cash.act("openShift", {}, { desk: "Cage 5", float: 1_000_000_001 })).status).toBe(400);
    await cash.act("openShift", {}, { desk: "Cage 5", float: 0 });
    expect((await cash.act("withdraw", { id }, { amount: 10_000, reason: "paid out" })).body).toMatchObject({
      is: "done",
    });
    const closed = await cash.act("closeShift", {}, { counted: 0, note: "from the safe" });
    expect(closed.body).toMatchObject({ is: "done", result: { expected: -10_000, counted: 0, difference: 10_000 } });
    expect(rowsOf(await okan.get("shifts"))[0]).toMatchObject({ expected: -10_000, cashOut: 10_000 });
  });

  test("gives the cashier of an open shift no sums before the count, and gives them to a supervisor", async () => {
    const staff = { platform: venue.platform, db: venue.database };
    const both = await staffMember(staff, "blind-count", ["cashier", "supervisor"]);
    const { id } = await venue.player("cage.blind");
    const blind = { float: 5_000, cashIn: null, cashOut: null, expected: null, difference: null };
    const opened = await both.act("openShift", {}, { desk: "Cage 6", float: 5_000 });
    expect(resultOf(opened)).toMatchObject(blind);
    await both.act("deposit", { id }, { amount: 700, reason: "cash" });
    expect((await both.get("shift")).body).toMatchObject({ shift: blind });
    expect(rowsOf(await both.get("shifts"))[0]).toMatchObject(blind);
    expect(rowsOf(await okan.get("shifts"))[0]).toMatchObject({ cashIn: 700, cashOut: 0 });
    const dry = await both.act("closeShift", {}, { counted: 0, dryRun: true });
    expect(dry).toMatchObject({ status: 400, body: { problem: "request.invalid" } });
    expect(JSON.stringify(dry.body)).not.toContain("5700");
    const closed = await both.act("closeShift", {}, { counted: 5_700 });
    expect(resultOf(closed)).toMatchObject({ cashIn: 700, expected: 5_700, difference: 0 });
  });
});

describe("the release of an emergency stop", () => {
  const scopeOf = (machine: string) => ({ scope: { is: "machine" as const, machine } });
  const modeOf = async (id: string) => rowsOf(await okan.get("floor")).find((row) => row["id"] === id)?.["mode"];
  const stop = async (machine: string) => String(resultOf(await deniz.act("stop", {}, scopeOf(machine)))["id"]);
  test("opens no machine that another stop reaches at the same moment", async () => {
    await venue.machine("es-04");
    const waiting = await okan.act("releaseStop", { id: await stop("es-04") }, { reason: "checked" });
    let released: ReturnType<typeof signApproval> | undefined;
    const db = venue.database.kysely.withTables<StaffTables>();
    await db.transaction().execute(async (trx) => {
      await setStop(trx, systemRandom, { ...scopeOf("es-04"), by: deniz.id });
      released = signApproval(chief, waiting);
      await eventually(async () => {
        const { rows } = await sql`select from pg_locks l join pg_stat_activity a using (pid)
          where not l.granted and a.datname = current_database()`.execute(venue.database.kysely);
        expect(rows.length).toBeGreaterThan(0);
      });
    });
    expect((await released)?.body).toMatchObject({ is: "done" });
    expect(await modeOf("es-04")).toBe("stopped");
  });

  test.each([
    ["close", "disabled"],
    ["drain", "drained"],
  ] as const)("leaves a machine as it was before: %s, also after two stops", async (change, mode) => {
    const id = `es-${change}`;
    await venue.machine(id);
    await okan.act(change, { id }, { reason: "bill jam" });
    const stops = [await stop(id), await stop(id)];
    for (const one of stops) {
      expect(await modeOf(id)).toBe("stopped");
      const waiting = await okan.act("releaseStop", { id: one }, { reason: "checked" });
      expect((await signApproval(chief, waiting)).body).toMatchObject({ is: "done" });
    }
    expect(await modeOf(id)).toBe(mode);
  });
});

describe("proofs of the audit log", () => {
  test("asked for by many at once are one proof, and leave the database to others", async () => {
    const many = Array.from({ length: 24 }, () => veli.act("proveAudit", {}, {}));
    const other = await deniz.get("floor");
    expect(other.status).toBe(200);
    for (const proof of await Promise.all(many))
      expect(proof.body).toMatchObject({ is: "done", result: { whole: true, breaches: [] } });
  });

  test("of a log that is not what a witness saw answer so to that witness alone, and are kept", async () => {
    const witness = { position: 1, hash: "0".repeat(64) };
    // While one runs the other is refused, and asks again.
    const proved = async (by: Member, fields: object) => {
      let proof = await by.act("proveAudit", {}, fields);
      await eventually(async () => {
        if (proof.status !== 200) proof = await by.act("proveAudit", {}, fields);
        expect(proof.status).toBe(200);
      });
      return proof;
    };
    const [whole, broken] = await Promise.all([proved(veli, {}), proved(okan, { witness })]);
    expect(whole.body).toMatchObject({ result: { whole: true } });
    expect(broken.body).toMatchObject({ result: { whole: false, breaches: [{ is: "otherThanWitness" }] } });
    expect(rowsOf(await veli.get("audit?type=data.tampered&limit=1"))).toMatchObject([{ actor: "staff:okan" }]);
  });
});

import { staffCalls } from "@longarm/contract/staff";
import { PERMISSION_NAMES } from "@longarm/contract/staff-rights";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { longarmOf } from "../../../testing/longarm.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { signApproval, staffMember } from "../../../testing/staff-client.ts";
import { dayBegan } from "./desk.ts";

/* The desk and the floor of a real venue, as the console calls them. */

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
type Member = Awaited<ReturnType<typeof staffMember>>;
type Json = Record<string, unknown>;
let selin: Member;
let tolga: Member;
let okan: Member;
let deniz: Member;
let veli: Member;
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  selin = await staffMember(staff, "selin", ["cashier"]);
  tolga = await staffMember(staff, "tolga", ["cashier"]);
  okan = await staffMember(staff, "okan", ["supervisor"]);
  deniz = await staffMember(staff, "deniz", ["attendant"]);
  veli = await staffMember(staff, "veli", ["auditor"]);
}
afterAll(async () => expect(await venue.ledger.verify()).toEqual([]));

const rowsOf = (answer: { body: Json }): Json[] => (answer.body["rows"] as Json[] | undefined) ?? [];
const resultOf = (answer: { body: Json }): Json => answer.body["result"] as Json;

/** A player at a machine that owes a hand pay. */
async function owing(machineId: string, username: string, amount: number) {
  const { machine, agent } = await venue.machine(machineId);
  const player = await venue.player(username, 5_000);
  const page = await venue.page(player.token, machineId);
  await page.init();
  machine.handPay = { id: `hp-${machineId}`, amount, kind: "win" };
  machine.lockup = "handPay";
  machine.happen("handPayPending", { handPay: machine.handPay });
  await agent.pump();
  await venue.inState(machineId, "handPay");
  return { machine, agent, player, page };
}

describe("the cage", () => {
  test("a shift is opened once; deposits and withdrawals have receipts without a gap, and the count is blind", async () => {
    const { id } = await venue.player("cage.one");
    expect((await selin.act("deposit", { id }, { amount: 500, reason: "cash" })).body).toMatchObject({
      problem: "shift.none",
    });
    const opened = await selin.act("openShift", {}, { desk: "Cage 1", float: 100_000 });
    expect(opened.body).toMatchObject({ is: "done", result: { float: 100_000, expected: null, counted: null } });
    expect((await selin.act("openShift", {}, { desk: "Cage 2", float: 1 })).body).toMatchObject({
      problem: "shift.open",
    });
    const dry = await selin.act("deposit", { id }, { amount: 700, reason: "cash", dryRun: true });
    expect(dry.body).toMatchObject({ is: "dryRun", needsApproval: false, result: { before: 0, after: 700 } });
    expect(await venue.ledgerOf(`player:${id}`)).toBe(0);
    const first = await selin.act("deposit", { id }, { amount: 50_000, reason: "cash", receipt: "P-1" });
    const number = Number((resultOf(first)["receipt"] as Json)["number"]);
    expect((await selin.act("deposit", { id }, { amount: 1, reason: "cash", receipt: "P-1" })).body).toMatchObject({
      problem: "wallet.receiptUsed",
    });
    const back = await selin.act("withdraw", { id }, { amount: 20_000, reason: "paid out" });
    expect(resultOf(back)).toMatchObject({ before: 50_000, after: 30_000, receipt: { number: number + 1 } });
    expect((await selin.act("withdraw", { id }, { amount: 30_001, reason: "more" })).body).toMatchObject({
      problem: "wallet.insufficient",
      params: { available: 30_000 },
    });
    expect((await selin.get(`receipts/${number}`)).body).toMatchObject({ amount: 50_000, cashier: { name: "selin" } });
    // Another cashier's receipt is as unknown as one that was never written.
    expect((await tolga.get(`receipts/${number}`)).status).toBe(404);
    expect((await veli.get(`receipts/${number}`)).status).toBe(200);
    const closed = await selin.act("closeShift", {}, { counted: 129_900, note: "one coin short" });
    expect(resultOf(closed)).toMatchObject({ expected: 130_000, counted: 129_900, difference: -100, cashIn: 50_000 });
    expect(rowsOf(await okan.get("shifts"))[0]).toMatchObject({ cashier: { name: "selin" }, difference: -100 });
  });

  test("an act is done once: a repeat answers the same, the same id with another content is refused", async () => {
    const { id } = await venue.player("cage.twice");
    await tolga.act("openShift", {}, { desk: "Cage 3", float: 0 });
    const fields = { amount: 900, reason: "cash" };
    const first = await tolga.act("deposit", { id }, fields, "same-act-1");
    const again = await tolga.act("deposit", { id }, fields, "same-act-1");
    expect(first.body).toMatchObject({ is: "done", repeated: false });
    expect(again.body).toMatchObject({ is: "done", repeated: true, result: resultOf(first) });
    expect((await tolga.act("deposit", { id }, { ...fields, amount: 901 }, "same-act-1")).body).toMatchObject({
      problem: "act.idUsed",
    });
    expect(await venue.ledgerOf(`player:${id}`)).toBe(900);
    await tolga.act("closeShift", {}, { counted: 900 });
  });

  test("above the limit of the role a second person signs what both see; nothing moves before, and never twice", async () => {
    const { id } = await venue.player("cage.large");
    await selin.act("openShift", {}, { desk: "Cage 1", float: 0 });
    const dry = await selin.act("deposit", { id }, { amount: 2_000_000, reason: "wire", dryRun: true });
    expect(dry.body).toMatchObject({ is: "dryRun", needsApproval: true, result: { before: 0, after: 2_000_000 } });
    const waiting = await selin.act("deposit", { id }, { amount: 2_000_000, reason: "wire" });
    const approval = String(waiting.body["approval"]);
    expect((await okan.get(`approvals/${approval}`)).body).toMatchObject({
      kind: "wallet.deposit",
      amount: 2_000_000,
      maySign: true,
      evidence: [{ label: "player", value: "cage.large" }, { amount: 0 }, { amount: 2_000_000 }],
    });
    expect(await venue.ledgerOf(`player:${id}`)).toBe(0);
    expect((await signApproval(selin, waiting)).body).toMatchObject({ problem: "approval.own" });
    expect((await signApproval(okan, waiting)).body).toMatchObject({ is: "done" });
    expect((await signApproval(tolga, waiting)).body).toMatchObject({ problem: "approval.over" });
    expect(await venue.ledgerOf(`player:${id}`)).toBe(2_000_000);
    const own = await selin.act("deposit", { id }, { amount: 2_000_000, reason: "again" });
    await selin.act("closeShift", {}, { counted: 2_000_000 });
    // The drawer in which it was requested is closed: what was requested is not what it was.
    expect((await signApproval(okan, own)).body).toMatchObject({ problem: "approval.changed" });
    expect(await venue.ledgerOf(`player:${id}`)).toBe(2_000_000);
  });
});

describe("a hand pay", () => {
  test("within the limit is paid once with its slip, the player is notified and the machine is reset", async () => {
    const { machine, player } = await owing("hp-01", "wins.small", 70_000);
    const tasks = rowsOf(await deniz.get("tasks"));
    expect(tasks[0]).toMatchObject({ kind: "handPay", group: "now", amount: 70_000, mayAct: true, owner: null });
    const wrong = { handPay: "hp-hp-01", machineAmount: 60_000 };
    expect((await deniz.act("payHandPay", { id: "hp-01" }, wrong)).body).toMatchObject({ problem: "approval.changed" });
    const paid = await deniz.act("payHandPay", { id: "hp-01" }, { handPay: "hp-hp-01", machineAmount: 70_000 });
    expect(paid.body).toMatchObject({
      is: "done",
      result: { machineReset: true, slip: { state: "paid", machineAmount: 70_000, paidAmount: 70_000 } },
    });
    expect(machine.handPay).toBeUndefined();
    expect(await venue.ledgerOf(`player:${player.id}`)).toBe(75_000);
    const again = await deniz.act("payHandPay", { id: "hp-01" }, { handPay: "hp-hp-01", machineAmount: 70_000 });
    expect(again.body).toMatchObject({ problem: "act.refused" });
    expect(rowsOf(await okan.get("hand-pays?state=paid"))).toMatchObject([{ state: "paid", slip: { number: 1 } }]);
  });

  test("with another amount needs a second person, keeps both figures, and is voided by two people", async () => {
    const { player } = await owing("hp-02", "wins.more", 40_000);
    const fields = { handPay: "hp-hp-02", machineAmount: 40_000, override: { amount: 45_000, reason: "meter stuck" } };
    const waiting = await deniz.act("payHandPay", { id: "hp-02" }, fields);
    expect((await signApproval(veli, waiting)).status).toBe(403);
    expect((await signApproval(okan, waiting)).body).toMatchObject({ is: "done" });
    expect(await venue.ledgerOf(`player:${player.id}`)).toBe(50_000);
    const [row] = rowsOf(await okan.get("hand-pays?state=paid"));
    const slip = row?.["slip"] as Json;
    expect(slip).toMatchObject({ number: 2, machineAmount: 40_000, paidAmount: 45_000, signedBy: { name: "okan" } });
    const staff = { platform: venue.platform, db: venue.database };
    const burak = await staffMember(staff, "burak", ["supervisor"]);
    const asked = await okan.act("voidSlip", { number: "2" }, { reason: "wrong player" });
    expect((await signApproval(burak, asked)).body).toMatchObject({ is: "done" });
    expect(await venue.ledgerOf(`player:${player.id}`)).toBe(5_000);
    expect((await okan.get("slips/2")).body).toMatchObject({ state: "voided", voidedBy: { name: "okan" } });
    expect(rowsOf(await okan.get("hand-pays?state=voided"))).toHaveLength(1);
  });

  test("above the limit waits for a second person", async () => {
    await owing("hp-03", "wins.large", 1_000_001);
    const waiting = await deniz.act("payHandPay", { id: "hp-03" }, { handPay: "hp-hp-03", machineAmount: 1_000_001 });
    expect(rowsOf(await okan.get("tasks")).map(({ kind }) => kind)).toContain("approval");
    expect((await signApproval(okan, waiting)).body).toMatchObject({ is: "done" });
    expect(rowsOf(await okan.get("hand-pays?state=all&limit=1"))[0]).toMatchObject({ state: "paid" });
  });
});

describe("an emergency stop", () => {
  test("of a machine needs no words, brings credits home, and is released by two people alone", async () => {
    const { machine } = await venue.machine("es-01");
    const player = await venue.player("stopped.one", 5_000);
    const page = await venue.page(player.token, "es-01");
    await page.init();
    await page.peer.request("cashIn", { id: "stopped-in-1", amount: 2_000 });
    const scope = { is: "machine", machine: "es-01" };
    const set = await deniz.act("stop", {}, { scope });
    expect(set.body).toMatchObject({ is: "done", result: { reason: null, releasedAt: null } });
    const id = String(resultOf(set)["id"]);
    await eventually(async () => expect(await venue.ledgerOf(`player:${player.id}`)).toBe(5_000));
    expect(machine.credit).toBe(0);
    const kinds = () => deniz.get("tasks").then((answer) => rowsOf(answer).map(({ kind }) => kind));
    expect(await kinds()).toEqual(expect.arrayContaining(["stopReason", "stopRelease"]));
    expect((await deniz.act("open", { id: "es-01" }, { reason: "go on" })).body).toMatchObject({
      problem: "act.refused",
    });
    expect((await deniz.act("releaseStop", { id }, { reason: "go on" })).status).toBe(403);
    expect((await deniz.act("stopReason", { id }, { reason: "smoke" })).body).toMatchObject({ is: "done" });
    expect((await deniz.act("stopReason", { id }, { reason: "no smoke" })).body).toMatchObject({
      problem: "act.refused",
    });
    const waiting = await okan.act("releaseStop", { id }, { reason: "checked" });
    const floor = rowsOf(await okan.get("floor")).find((row) => row["id"] === "es-01");
    expect(floor).toMatchObject({ mode: "stopped", lamp: "notAvailable" });
    const staff = { platform: venue.platform, db: venue.database };
    const admin = await staffMember(staff, "admin-1", ["administrator"]);
    expect((await signApproval(admin, waiting)).body).toMatchObject({ is: "done" });
    const stops = rowsOf(await okan.get("stops"));
    expect(stops[0]).toMatchObject({ id, reason: "smoke", releasedBy: [{ name: "okan" }, { name: "admin-1" }] });
    await eventually(async () =>
      expect(rowsOf(await okan.get("floor")).find((row) => row["id"] === "es-01")).toMatchObject({ mode: "open" }),
    );
  });

  test("of a group holds a machine until every stop of it is released", async () => {
    await venue.machine("es-02");
    await venue.machine("es-03");
    const staff = { platform: venue.platform, db: venue.database };
    const tech = await staffMember(staff, "tech", ["technician"]);
    const boss = await staffMember(staff, "boss", ["supervisor"]);
    for (const id of ["es-02", "es-03"]) await tech.act("moveMachine", { id }, { group: "Hall 2", reason: "rebuilt" });
    expect((await deniz.act("stop", {}, { scope: { is: "group", group: "Hall 9" } })).status).toBe(404);
    const group = resultOf(await deniz.act("stop", {}, { scope: { is: "group", group: "Hall 2" } }));
    const one = resultOf(await deniz.act("stop", {}, { scope: { is: "machine", machine: "es-02" } }));
    expect(group["machines"]).toHaveLength(2);
    const release = async (id: string) =>
      signApproval(boss, await okan.act("releaseStop", { id }, { reason: "checked" }));
    await release(String(group["id"]));
    const modeOf = async (id: string) => rowsOf(await okan.get("floor")).find((row) => row["id"] === id)?.["mode"];
    expect([await modeOf("es-02"), await modeOf("es-03")]).toEqual(["stopped", "open"]);
    await release(String(one["id"]));
    expect(await modeOf("es-02")).toBe("open");
  });
});

describe("the command line", () => {
  const longarm = longarmOf(venue);

  test("pays a hand pay by the same function: the slip says that one person did it, and the console pays nothing more", async () => {
    const { machine, player } = await owing("cl-01", "wins.shell", 20_000);
    expect(await longarm("handpay", "confirm", "cl-01", "--dry-run")).toMatchObject({ code: 0 });
    expect(await venue.ledgerOf(`player:${player.id}`)).toBe(5_000);
    expect(await longarm("handpay", "confirm", "cl-01")).toMatchObject({ code: 0, complained: "" });
    expect(await venue.ledgerOf(`player:${player.id}`)).toBe(25_000);
    expect(machine.handPay).toBeUndefined();
    const slips = rowsOf(await okan.get("hand-pays?state=paid")).map((row) => row["slip"] as Json);
    expect(slips.find(({ machine: of }) => (of as Json)["id"] === "cl-01")).toMatchObject({
      paidBy: { id: "command-line", name: "root:ayse" },
      onePerson: true,
    });
    const again = await deniz.act("payHandPay", { id: "cl-01" }, { handPay: "hp-cl-01", machineAmount: 20_000 });
    expect(again.body).toMatchObject({ problem: "act.refused" });
    expect(await longarm("handpay", "confirm", "cl-01")).toMatchObject({ code: 3 });
  });

  test("stops and resumes by the same rows: the console shows who did it", async () => {
    await venue.machine("cl-02");
    const stop = ["machines", "emergency-stop", "cl-02", "--reason", "smoke"];
    expect(await longarm(...stop)).toMatchObject({ code: 0 });
    const [shown] = rowsOf(await okan.get("stops"));
    expect(shown).toMatchObject({ setBy: { name: "root:ayse" }, reason: "smoke", releasedAt: null });
    expect(await longarm("machines", "resume", "cl-02")).toMatchObject({ code: 0 });
    const after = rowsOf(await okan.get("stops")).find(({ id }) => id === shown?.["id"]);
    expect(after).toMatchObject({ releasedBy: [{ name: "root:ayse" }] });
  });

  test("refuses what the console refuses, in the same words", async () => {
    const { id } = await venue.player("banned.shell", 100);
    await okan.act("banPlayer", { id }, { reason: "fraud" });
    const money = ["wallets", "deposit", "banned.shell", "1.00", "--reason", "cash"];
    expect(await longarm(...money)).toMatchObject({ code: 3, complained: "banned.shell is banned." });
    const more = ["wallets", "withdraw", "banned.shell", "2.00", "--reason", "cash"];
    expect(await longarm(...more)).toMatchObject({ code: 3, complained: "The wallet has 1.00 free." });
  });
});

describe("machines and play sessions", () => {
  test("are closed and opened, reserved, and a play session ends: the very one that the person sees", async () => {
    await venue.machine("mm-01");
    const player = await venue.player("plays.here", 5_000);
    const page = await venue.page(player.token, "mm-01");
    await page.init();
    const detail = (await deniz.get("machines/mm-01")).body;
    const session = (detail["session"] as Json)["id"];
    expect(detail).toMatchObject({ machine: { player: { username: "plays.here" } }, moneyInFlight: [] });
    // What a player won and lost is theirs: seen with the right to see players alone.
    expect(detail).toMatchObject({ session: { sums: null } });
    expect((await okan.get("machines/mm-01")).body).toMatchObject({ session: { sums: { cashedIn: 0, games: 0 } } });
    const wrong = { session: "ps_another", reason: "x" };
    expect((await deniz.act("endSession", { id: "mm-01" }, wrong)).body).toMatchObject({ problem: "act.refused" });
    expect((await deniz.act("endSession", { id: "mm-01" }, { session, reason: "closing" })).body).toMatchObject({
      is: "done",
    });
    await venue.inState("mm-01", "free");
    expect((await deniz.act("close", { id: "mm-01" }, { reason: "bill jam" })).body).toMatchObject({ is: "done" });
    expect((await deniz.act("close", { id: "mm-01" }, { reason: "again" })).body).toMatchObject({
      problem: "act.refused",
      params: { sentence: "mm-01 is disabled already." },
    });
    expect((await deniz.act("open", { id: "mm-01" }, { reason: "fixed" })).body).toMatchObject({ is: "done" });
    const kept = { player: player.id, minutes: 5, reason: "guest" };
    expect((await deniz.act("reserve", { id: "mm-01" }, kept)).body).toMatchObject({ is: "done" });
    const [row] = rowsOf(await deniz.get("floor")).filter(({ id }) => id === "mm-01");
    expect(row).toMatchObject({ lamp: "reserved", reservedFor: { username: "plays.here" } });
    expect((await deniz.act("endReservation", { id: "mm-01" }, {})).body).toMatchObject({ is: "done" });
    expect((await deniz.act("close", { id: "no-such" }, { reason: "x" })).status).toBe(404);
    expect((await deniz.get("machines/no-such")).status).toBe(404);
    expect((await deniz.get("machines/..%2f..")).status).toBe(404);
    for (const id of ["mm-01", "no-such", "..%2f.."])
      expect((await deniz.get(`stills/${id}`)).body).toMatchObject({ problem: "thing.unknown" });
    expect((await deniz.get("pulse")).body).toMatchObject({ machines: expect.any(Number) });
    await sql`insert into game (machine_id, game_number, play_session_id, stake, win, credit_before, credit_after, hand_paid, started_at, ended_at)
      values ('mm-01', 1, ${session}, 10, 30, 100, 120, 0, now(), now())`.execute(venue.database.kysely);
    const [unseen, seen] = [await deniz.get("machines/mm-01/games"), await okan.get("machines/mm-01/games")];
    expect(rowsOf(unseen)).toMatchObject([{ number: 1, stake: 10, win: 30, player: null }]);
    expect(rowsOf(seen)).toMatchObject([{ number: 1, player: { username: "plays.here" } }]);
    expect((await okan.get("machines/mm-01/games?after=1")).body).toMatchObject({ rows: [] });
    expect((await okan.get("machines/mm-01/events?limit=1")).status).toBe(200);
  });
});

describe("discrepancies", () => {
  test("are written off by two people, whose signature moves the money out of suspense", async () => {
    const { machine } = await venue.machine("di-01");
    const player = await venue.player("differs.one", 5_000);
    const page = await venue.page(player.token, "di-01");
    await page.init();
    await page.peer.request("cashIn", { id: "differs-in-1", amount: 2_000 });
    // The machine lost its credits: when the play session is settled, the ledger has more than the machine.
    machine.credit = 0;
    await page.peer.request("leave", {});
    await eventually(async () => expect(rowsOf(await okan.get("discrepancies"))).not.toEqual([]));
    const [row] = rowsOf(await okan.get("discrepancies"));
    const number = String(row?.["number"]);
    expect(row).toMatchObject({ state: "open", inSuspense: 2_000, player: { username: "differs.one" } });
    const explain = (fields: object) =>
      okan.act("explainDiscrepancy", { number }, { reason: "memory lost", ...fields });
    expect((await explain({ owner: "none" })).body).toMatchObject({ problem: "act.refused" });
    expect((await explain({ owner: "player", dryRun: true })).body).toMatchObject({
      is: "dryRun",
      needsApproval: true,
      result: { postings: [{ account: "suspense", amount: -2_000 }, { amount: 2_000 }] },
    });
    const waiting = await explain({ owner: "player" });
    expect(await venue.ledgerOf("suspense")).toBe(2_000);
    expect((await signApproval(okan, waiting)).body).toMatchObject({ problem: "approval.own" });
    const staff = { platform: venue.platform, db: venue.database };
    const admin = await staffMember(staff, "admin-2", ["administrator"]);
    expect((await signApproval(admin, waiting)).body).toMatchObject({ is: "done" });
    expect(await venue.ledgerOf("suspense")).toBe(0);
    expect(await venue.ledgerOf(`player:${player.id}`)).toBe(5_000);
    expect((await okan.get(`discrepancies/${number}`)).body).toMatchObject({ state: "explained", explainedBy: "okan" });
    expect((await explain({ owner: "player" })).body).toMatchObject({ problem: "act.refused" });
  });
});

describe("an unresolved transfer", () => {
  test("is listed with its witnesses, and asking again decides what the machine knows", async () => {
    const { machine } = await venue.machine("un-01");
    const player = await venue.player("unknown.one", 5_000);
    const page = await venue.page(player.token, "un-01");
    await page.init();
    machine.mood = "pending";
    void page.peer.request("cashIn", { id: "unknown-in-1", amount: 1_000 });
    await eventually(async () => expect(rowsOf(await okan.get("unresolved"))).toHaveLength(1));
    await venue.inState("un-01", "transferUnknown");
    const [row] = rowsOf(await okan.get("unresolved"));
    expect(row).toMatchObject({ direction: "cashIn", amount: 1_000, ledger: { says: "unknown", amount: 1_000 } });
    const id = String(row?.["id"]);
    expect((await deniz.act("askAgain", { id }, {})).body).toMatchObject({ is: "done", result: { id } });
    machine.mood = "well";
    machine.finishPending("done");
    await eventually(async () => expect(rowsOf(await okan.get("unresolved"))).toEqual([]));
    expect((await deniz.act("askAgain", { id }, {})).status).toBe(404);
    await page.peer.request("cashOut", { id: "unknown-out-1" });
  });
});

describe("tasks", () => {
  test("are claimed, given, escalated and given back; one that is over is refused", async () => {
    await owing("ta-01", "tasks.one", 30_000);
    const id = "handPay:ta-01:hp-ta-01";
    const task = async () => rowsOf(await deniz.get("tasks")).find((row) => row["id"] === id);
    expect((await deniz.act("claimTask", { id }, {})).body).toMatchObject({ is: "done" });
    expect(await task()).toMatchObject({ owner: { name: "deniz" }, escalated: false });
    expect((await deniz.act("assignTask", { id }, { person: okan.id })).body).toMatchObject({ is: "done" });
    expect((await deniz.act("escalateTask", { id }, { reason: "no attendant on the floor" })).body).toMatchObject({
      is: "done",
    });
    expect(await task()).toMatchObject({ owner: { name: "okan" }, escalated: true });
    expect((await deniz.act("releaseTask", { id }, {})).body).toMatchObject({ is: "done" });
    expect(await task()).toMatchObject({ owner: null });
    expect((await deniz.act("snoozeTask", { id }, {})).body).toMatchObject({ problem: "act.refused" });
    expect((await deniz.act("claimTask", { id: "handPay:none:none" }, {})).body).toMatchObject({
      problem: "task.over",
    });
    expect((await deniz.act("assignTask", { id }, { person: "st_nobody" })).body).toMatchObject({
      problem: "act.refused",
    });
  });
});

describe("a right that its requester lost meanwhile", () => {
  test("takes the request with it", async () => {
    const { id } = await venue.player("lost.right");
    const staff = { platform: venue.platform, db: venue.database };
    const temp = await staffMember(staff, "temp", ["cashier"]);
    await temp.act("openShift", {}, { desk: "Cage 9", float: 0 });
    const waiting = await temp.act("deposit", { id }, { amount: 3_000_000, reason: "wire" });
    await venue.database.kysely
      .withTables<{ staff_has_role: { staff_id: string; role: string } }>()
      .deleteFrom("staff_has_role")
      .where("staff_id", "=", temp.id)
      .execute();
    expect((await signApproval(okan, waiting)).body).toMatchObject({ problem: "approval.changed" });
    expect(await venue.ledgerOf(`player:${id}`)).toBe(0);
  });
});

const HOSTILE_TEXTS = [
  "zero\0inside",
  "\ud800half",
  "\u001b[2Jgone",
  "two\nlines",
  "' or 1=1 --",
  "x'; drop table staff; --",
  "../../etc/passwd",
  "__proto__",
  "9".repeat(400),
  "x".repeat(9_000),
  " ",
  "",
];

/** What each act of the desk and the floor is sent when all is well. */
const GOOD: readonly (readonly [call: Parameters<Member["act"]>[0], params: Record<string, string>, fields: object])[] =
  [
    ["deposit", { id: "p_x" }, { amount: 1, reason: "why", receipt: "P-77" }],
    ["openShift", {}, { desk: "Cage", float: 1 }],
    ["closeShift", {}, { counted: 1, note: "why" }],
    ["payHandPay", { id: "hs-01" }, { handPay: "hp", machineAmount: 1, override: { amount: 2, reason: "why" } }],
    ["voidSlip", { number: "1" }, { reason: "why" }],
    ["explainDiscrepancy", { number: "1" }, { owner: "none", reason: "why" }],
    ["stop", {}, { scope: { is: "group", group: "Hall" } }],
    ["stop", {}, { scope: { is: "machine", machine: "hs-99" } }],
    ["stopReason", { id: "st_x" }, { reason: "why" }],
    ["releaseStop", { id: "st_x" }, { reason: "why" }],
    ["close", { id: "hs-01" }, { reason: "why" }],
    ["reserve", { id: "hs-01" }, { player: "p_x", minutes: 1, reason: "why" }],
    ["endSession", { id: "hs-01" }, { session: "ps_x", reason: "why" }],
    ["moveMachine", { id: "hs-01" }, { group: "Hall", reason: "why" }],
    ["assignTask", { id: "call:1" }, { person: "st_x" }],
    ["closeCall", { id: "1" }, { note: "why" }],
    ["addPlayer", {}, { username: "x", name: "x", email: "a@example.org" }],
    ["notePlayer", { id: "p_x" }, { text: "why" }],
    ["stricterLimits", { id: "p_x" }, { excludeUntil: "2030-01-01T00:00:00Z", reason: "why" }],
    ["grantBonus", { id: "p_x" }, { amount: 1, expiresAt: "2030-01-01T00:00:00Z", reason: "why" }],
    ["enrolAgent", {}, { name: "", reason: "why" }],
    ["rotateAgent", { id: "ag_x" }, { old: { is: "hours", hours: 1 }, reason: "why" }],
    ["endAgentKey", { id: "ag_x", key: "ak_x" }, { reason: "why" }],
    ["changeRole", { role: "cashier" }, { permissions: ["floor.see"], limits: {}, reason: "why" }],
    ["inviteStaff", {}, { username: "x", name: "x", roles: [], reason: "why" }],
  ];

/** The same fields with one text replaced, at every place of one. */
function* replaced(value: unknown, text: string): Generator<unknown> {
  if (typeof value === "string") yield text;
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value))
    for (const other of replaced(part, text)) yield Array.isArray(value) ? [other] : { ...value, [key]: other };
}

describe("hostile text", () => {
  test("in any field or address of any act is refused or kept as it is, and never a failure of ours", async () => {
    await venue.machine("hs-01");
    const all = await staffMember({ platform: venue.platform, db: venue.database }, "everything", ["technician"]);
    const db = venue.database.kysely.withTables<{ staff_role: { role: string; permissions: string[] } }>();
    const before = await db
      .selectFrom("staff_role")
      .selectAll()
      .where("role", "=", "technician")
      .executeTakeFirstOrThrow();
    await db
      .updateTable("staff_role")
      .set({ permissions: [...PERMISSION_NAMES] })
      .where("role", "=", "technician")
      .execute();
    // Each act meets a third of the texts, the next act another third: all texts meet all kinds of fields.
    const lines = GOOD.flatMap(([name, params, fields], act) =>
      HOSTILE_TEXTS.filter((_, at) => (at + act) % 3 === 0).flatMap((text) => {
        const path = (part: (key: string) => string) =>
          staffCalls[name].path.replaceAll(/\{(\w+)\}/g, (_whole, key: string) => part(key));
        const bodies = [...replaced(fields, text)].map((body) => ({ path: path((key) => params[key] ?? ""), body }));
        const odd = path(() => encodeURIComponent(text.toWellFormed()));
        return text === "" || Object.keys(params).length === 0 ? bodies : [...bodies, { path: odd, body: fields }];
      }),
    );
    const send = async ({ path, body }: { readonly path: string; readonly body: unknown }, at: number) => {
      const { status } = await all.post(path, { id: `hostile-${at}`, dryRun: true, ...(body as object) });
      expect({ path, body, isOurFailure: status >= 500 }).toEqual({ path, body, isOurFailure: false });
    };
    for (let from = 0; from < lines.length; from += 8)
      await Promise.all(lines.slice(from, from + 8).map((line, at) => send(line, from + at)));
    const queries = [
      "players?search=",
      "players?after=",
      "audit?actor=",
      "audit?subject=",
      "hand-pays?after=",
      "shifts?after=",
      "approvals?after=",
      "players/p_x/sessions?after=",
      "machines/hs-01/games?after=",
      "shifts?day=",
    ];
    for (const text of HOSTILE_TEXTS)
      await Promise.all(
        queries.map(async (path) => {
          const { status } = await all.get(path + encodeURIComponent(text.toWellFormed()));
          expect({ path, text, isOurFailure: status >= 500 }).toEqual({ path, text, isOurFailure: false });
        }),
      );
    expect(lines.length).toBeGreaterThan(150);
    await db
      .updateTable("staff_role")
      .set({ permissions: before.permissions })
      .where("role", "=", "technician")
      .execute();
  });
});

test("a business day begins in the venue's time zone", () => {
  const venueDay = { timeZone: "Europe/Istanbul", dayBeginsMinutes: 360 };
  expect(dayBegan(new Date("2026-11-27T02:59:59.500Z"), venueDay).toISOString()).toBe("2026-11-26T03:00:00.000Z");
  expect(dayBegan(new Date("2026-11-27T03:00:00.000Z"), venueDay).toISOString()).toBe("2026-11-27T03:00:00.000Z");
});

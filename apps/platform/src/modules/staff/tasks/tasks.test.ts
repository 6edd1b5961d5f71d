import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { staffMember } from "../../../testing/staff-client.ts";
import { Alarms } from "../../play/alarms.ts";
import { openAudit } from "../../records/audit/index.ts";
import type { StaffTables } from "../accounts/index.ts";
import { createTasks } from "./keeper.ts";
import { ALARM_TASKS, KINDS } from "./kinds.ts";

/* What needs a person, as rows: opened and closed by the platform, with owners, roles and times. */

const venue = sharePlayVenue({ env: { STAFF_PORT: "0", LOGINS_PER_MINUTE_ADDRESS: "10000" } }, prepare);
type Member = Awaited<ReturnType<typeof staffMember>>;
type Json = Record<string, unknown>;
let okan: Member;
let deniz: Member;
let ada: Member;
let selin: Member;
async function prepare(): Promise<void> {
  const staff = { platform: venue.platform, db: venue.database };
  okan = await staffMember(staff, "okan", ["supervisor"]);
  deniz = await staffMember(staff, "deniz", ["attendant"]);
  ada = await staffMember(staff, "ada", ["administrator"]);
  selin = await staffMember(staff, "selin", ["cashier", "supervisor"]);
}

const tasksOf = async (by: Member): Promise<Json[]> => ((await by.get("tasks")).body["rows"] as Json[]) ?? [];
const taskOf = async (by: Member, id: string) => (await tasksOf(by)).find((task) => task["id"] === id);
const rowsOf = async (id: string) =>
  (
    await sql<{
      number: number;
      closed: boolean;
      closedBy: string | null;
    }>`select number, closed_at is not null as closed,
      closed_by as "closedBy" from staff_task where id = ${id} order by number`.execute(venue.db)
  ).rows;
const auditOf = async (id: string) =>
  (
    await sql<{ actor: string; is: string }>`select actor, facts ->> 'is' as is from audit.entries
      where type = 'staff.task' and subject = ${`task:${id}`} order by id`.execute(venue.db)
  ).rows;

/** A keeper as another node would have it, on the same database. */
function otherNode() {
  const { database, bus, platform } = venue;
  const log = platform.app.log as never;
  const targets = { unknownTransfer: 60_000, agentAway: 600_000, call: 120_000 };
  const random = { bytes: (length: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(length))) };
  const db = database.kysely.withTables<StaffTables>();
  return createTasks({ db, clock: manualClock(), random, log, bus, targets });
}

const alarms = () => new Alarms({ clock: manualClock(), log: { error: () => {} } as never });

describe("a machine that a hand pay locks", () => {
  test("is no task of its own while the hand pay is owed, nor until it had time to be reset; then only for whom hand pays are", async () => {
    await venue.machine("tk-hp");
    await sql`update machine set lockup = 'handPay' where id = 'tk-hp'`.execute(venue.db);
    await sql`insert into hand_pay (machine_id, hand_pay_id, amount, kind) values ('tk-hp', 'reset', 900, 'win')`.execute(
      venue.db,
    );
    const id = "machineLocked:machine:tk-hp";
    expect(await taskOf(deniz, id)).toBeUndefined();
    await sql`update hand_pay set confirmed_at = clock_timestamp(), confirmed_by = 'test' where hand_pay_id = 'reset'`.execute(
      venue.db,
    );
    expect(await taskOf(deniz, id)).toBeUndefined();
    await sql`update hand_pay set confirmed_at = clock_timestamp() - interval '31 seconds' where hand_pay_id = 'reset'`.execute(
      venue.db,
    );
    expect(await taskOf(deniz, id)).toMatchObject({ facts: { lockup: "handPay" } });
    // An administrator sees no hand pays, and learns of none by its machine.
    expect(await taskOf(ada, id)).toBeUndefined();
    await sql`update machine set lockup = null where id = 'tk-hp'`.execute(venue.db);
  });
});

describe("an escalation", () => {
  const age = (id: string, minutes: number) =>
    sql`update staff_task set since = since - ${minutes} * interval '1 minute', escalated_at = escalated_at - ${minutes} * interval '1 minute'
      where id = ${id} and closed_at is null`.execute(venue.db);

  test("goes to the role above that may see it after the kind's time, later while somebody has it, and is audited", async () => {
    await venue.machine("tk-02");
    await sql`update machine set lockup = 'tilt' where id = 'tk-02'`.execute(venue.db);
    const id = "machineLocked:machine:tk-02";
    expect(await taskOf(deniz, id)).toMatchObject({ role: "attendant", escalated: false });
    await deniz.act("claimTask", { id }, {});
    // 80 % of the target are over: its owner has the whole of it.
    await age(id, 13);
    expect(await taskOf(deniz, id)).toMatchObject({ role: "attendant", owner: { name: "deniz" } });
    await age(id, 3);
    expect(await taskOf(deniz, id)).toMatchObject({ role: "supervisor", escalated: true, owner: { name: "deniz" } });
    await age(id, 16);
    expect(await taskOf(deniz, id)).toMatchObject({ role: "administrator", escalatesAt: null });
    // No role is above: it stays where it is.
    await age(id, 60);
    expect(await taskOf(deniz, id)).toMatchObject({ role: "administrator" });
    expect(await auditOf(id)).toEqual([
      { actor: "platform", is: "opened" },
      { actor: "staff:deniz", is: "owner" },
      { actor: "platform", is: "escalated" },
      { actor: "platform", is: "escalated" },
    ]);
    await sql`update machine set lockup = null where id = 'tk-02'`.execute(venue.db);
  });

  test("never widens what a role may see, and by hand has a reason that is kept", async () => {
    await venue.machine("tk-03");
    await sql`insert into hand_pay (machine_id, hand_pay_id, amount, kind) values ('tk-03', 'hp', 900, 'win')`.execute(
      venue.db,
    );
    const id = "handPay:tk-03:hp";
    expect(await taskOf(deniz, id)).toMatchObject({ role: "attendant" });
    await deniz.act("escalateTask", { id }, { reason: "the display is dark" });
    expect(await taskOf(okan, id)).toMatchObject({ role: "supervisor", escalated: true, escalatesAt: null });
    // An administrator sees no hand pays: no role is above.
    expect((await okan.act("escalateTask", { id }, { reason: "more" })).body).toMatchObject({ problem: "act.refused" });
    expect(await taskOf(ada, id)).toBeUndefined();
    expect((await ada.act("claimTask", { id }, {})).body).toMatchObject({ problem: "permission.missing" });
    const { rows } = await sql<{ reason: string }>`select facts ->> 'reason' as reason from audit.entries
      where type = 'staff.act' and facts ->> 'call' = 'escalateTask' order by id desc limit 1`.execute(venue.db);
    expect(rows).toEqual([{ reason: "the display is dark" }]);
    await sql`update hand_pay set confirmed_at = now(), confirmed_by = 'test' where hand_pay_id = 'hp'`.execute(
      venue.db,
    );
  });

  test("follows the venue's own times, which only some may set and which must be in order", async () => {
    const set = (by: Member, targetS: number, escalateS: number) =>
      by.act("setTaskTimes", { kind: "seatStuck" }, { targetS, escalateS, reason: "a small venue" });
    expect((await set(okan, 60, 30)).body).toMatchObject({ problem: "permission.missing" });
    expect((await set(ada, 60, 90)).body).toMatchObject({ problem: "act.refused" });
    expect((await set(ada, 5, 5)).status).toBe(400);
    expect((await set(ada, 60, 30)).body).toMatchObject({ is: "done" });
    const times = (await okan.get("task-times")).body["rows"] as Json[];
    expect(times).toHaveLength(Object.keys(KINDS).length);
    expect(times.find(({ kind }) => kind === "seatStuck")).toMatchObject({ targetS: 60, escalateS: 30, changed: true });
    expect(times.find(({ kind }) => kind === "handPay")).toMatchObject({
      targetS: 300,
      escalateS: 240,
      changed: false,
    });
  });
});

describe("an owner", () => {
  test("who has left has nothing any more, and only who may see a task gets it", async () => {
    await venue.machine("tk-04");
    await sql`insert into hand_pay (machine_id, hand_pay_id, amount, kind) values ('tk-04', 'hq', 700, 'win')`.execute(
      venue.db,
    );
    const id = "handPay:tk-04:hq";
    const staff = { platform: venue.platform, db: venue.database };
    const gul = await staffMember(staff, "gul", ["attendant"]);
    await gul.act("claimTask", { id }, {});
    expect(await taskOf(deniz, id)).toMatchObject({ owner: { name: "gul" } });
    expect((await deniz.act("assignTask", { id }, { person: ada.id })).body).toMatchObject({ problem: "act.refused" });
    await gul.post("sign-out");
    expect(await taskOf(deniz, id)).toMatchObject({ owner: null });
    await sql`update hand_pay set confirmed_at = now(), confirmed_by = 'test' where hand_pay_id = 'hq'`.execute(
      venue.db,
    );
  });
});

describe("every alarm", () => {
  test("of the sources has a kind of task", async () => {
    const names = new Set<string>();
    for await (const path of glob("apps/platform/src/**/*.ts", { cwd: `${import.meta.dirname}/../../../../../..` })) {
      if (path.endsWith(".test.ts")) continue;
      const text = readFileSync(`${import.meta.dirname}/../../../../../../${path}`, "utf8");
      for (const [, name = ""] of text.matchAll(/\balarm: "([A-Za-z]+)"/g)) names.add(name);
    }
    expect(names.size).toBeGreaterThan(8);
    expect([...names].filter((name) => !Object.hasOwn(ALARM_TASKS, name))).toEqual([]);
  });

  test.each([
    ["moved", "machineMoved", {}],
    ["orphan", "orphanedMoney", { missing: 4_200 }],
    ["restored", "machineRestored", {}],
    ["events", "eventsLost", { seq: 7 }],
  ] as const)("%s is a task of the kind %s until a person says that it is settled", async (alarm, kind, facts) => {
    const id = `tk-${alarm}`;
    await venue.machine(id);
    const raise = () =>
      alarms().keep(venue.db, { alarm, subject: `machine:${id}`, machineId: id, facts, sentence: "for a test" });
    await raise();
    await raise();
    const own = async () => (await tasksOf(okan)).filter((task) => task["kind"] === kind);
    const [task] = await own();
    expect(await own()).toMatchObject([{ machine: { id }, ends: "person", amount: "missing" in facts ? 4_200 : null }]);
    const params = { id: String(task?.["id"]) };
    // An attendant sees lost money, and does not say that it is settled.
    if (alarm === "orphan")
      expect((await deniz.act("closeTask", params, { reason: "seen" })).body).toMatchObject({
        problem: "permission.missing",
      });
    expect((await okan.act("closeTask", params, { reason: "looked at it" })).body).toMatchObject({ is: "done" });
    expect(await own()).toEqual([]);
    expect(await rowsOf(params.id)).toMatchObject([{ closed: true, closedBy: okan.id }]);
    // A new one of the same machine is a new task.
    await raise();
    expect(await own()).toHaveLength(1);
  });

  test("seat and credits close when what they reported is over", async () => {
    await venue.machine("tk-seat");
    const raise = (alarm: "seat" | "credits", state: string) =>
      alarms().keep(venue.db, {
        alarm,
        subject: "machine:tk-seat",
        machineId: "tk-seat",
        facts: { state, credit: 500 },
        sentence: "for a test",
      });
    await raise("seat", "free");
    await sql`update machine set meters = jsonb_set(meters, '{credit}', '500') where id = 'tk-seat'`.execute(venue.db);
    await raise("credits", "free");
    const kinds = async () =>
      (await tasksOf(deniz))
        .filter(({ machine }) => (machine as Json | null)?.["id"] === "tk-seat")
        .map(({ kind }) => kind);
    expect(await kinds()).toEqual(expect.arrayContaining(["seatStuck", "unclaimedCredits"]));
    await sql`update machine set meters = jsonb_set(meters, '{credit}', '0') where id = 'tk-seat'`.execute(venue.db);
    await sql`update alarm set facts = '{"state": "handPay"}' where alarm = 'seat'`.execute(venue.db);
    expect(await kinds()).toEqual([]);
  });
});

describe("the platform's own condition", () => {
  test("the bus, the clock and the audit log are tasks of who looks after them", async () => {
    const audit = openAudit(venue.db, "node-b");
    const kinds = async () => (await tasksOf(okan)).map(({ kind }) => kind);
    await audit.write({ type: "bus.away", actor: "node:node-b", subject: "bus" });
    await audit.write({ type: "clock.differs", actor: "node:node-b", subject: "node:node-b", facts: {} });
    expect(await kinds()).toEqual(expect.arrayContaining(["bus", "clock"]));
    await audit.write({ type: "bus.back", actor: "node:node-b", subject: "bus" });
    expect(await kinds()).not.toContain("bus");
    await audit.write({ type: "data.tampered", actor: "node:node-b", subject: "audit", facts: {} });
    expect(await taskOf(ada, "audit:audit:log")).toMatchObject({ role: "administrator", ends: "person", group: "now" });
    expect((await ada.act("closeTask", { id: "audit:audit:log" }, { reason: "a restore of ours" })).body).toMatchObject(
      {
        is: "done",
      },
    );
    expect(await taskOf(ada, "audit:audit:log")).toBeUndefined();
    await audit.write({ type: "data.tampered", actor: "node:node-b", subject: "audit", facts: {} });
    expect(await taskOf(ada, "audit:audit:log")).toMatchObject({ facts: { count: 1 } });
  });

  test("a day that does not reconcile, and a count that differs, wait for a person, who is never the cashier", async () => {
    await sql`insert into reconciliation (scope, day, made_by, agrees, lines) values ('day', '2026-11-20', 'test', false, '[]')`.execute(
      venue.db,
    );
    const day = "reconciliation:day:2026-11-20";
    expect(await taskOf(okan, day)).toMatchObject({ facts: { day: "2026-11-20" }, ends: "person" });
    await okan.act("closeTask", { id: day }, { reason: "a restore" });
    expect(await taskOf(okan, day)).toBeUndefined();
    await selin.act("openShift", {}, { desk: "Cage 1", float: 1_000 });
    await selin.act("closeShift", {}, { counted: 900, note: "short" });
    const [task] = (await tasksOf(okan)).filter(({ kind }) => kind === "shiftDifference");
    expect(task).toMatchObject({ amount: -100, facts: { name: "selin" } });
    // She is a supervisor too, and it is about her.
    expect((await tasksOf(selin)).filter(({ kind }) => kind === "shiftDifference")).toEqual([]);
    const params = { id: String(task?.["id"]) };
    expect((await selin.act("closeTask", params, { reason: "mine" })).body).toMatchObject({ problem: "task.over" });
    expect((await okan.act("closeTask", params, { reason: "counted again" })).body).toMatchObject({ is: "done" });
  });

  test("what its cause ends, no person closes", async () => {
    await venue.machine("tk-09");
    await sql`update machine set lockup = 'door' where id = 'tk-09'`.execute(venue.db);
    const id = "machineLocked:machine:tk-09";
    expect((await okan.act("closeTask", { id }, { reason: "done" })).body).toMatchObject({ problem: "act.refused" });
    expect(await taskOf(okan, id)).toBeDefined();
  });
});

describe("a task", () => {
  test("is opened once by nodes that look at the same time, and closed when its cause is gone", async () => {
    await venue.machine("tk-01");
    const lockup = (what: string | null) =>
      sql`update machine set lockup = ${what} where id = 'tk-01'`.execute(venue.db);
    await lockup("door");
    const nodes = [otherNode(), otherNode()];
    await Promise.all([...nodes.map((node) => node.look()), tasksOf(deniz)]);
    const id = "machineLocked:machine:tk-01";
    expect(await rowsOf(id)).toHaveLength(1);
    expect(await taskOf(deniz, id)).toMatchObject({ owner: null, role: "attendant", ends: "cause", mayAct: true });
    await lockup(null);
    await otherNode().look();
    expect(await rowsOf(id)).toMatchObject([{ closed: true, closedBy: null }]);
    // The same cause again is another task.
    await lockup("door");
    await Promise.all(nodes.map((node) => node.look()));
    expect(await rowsOf(id)).toHaveLength(2);
    await lockup(null);
    await otherNode().look();
    expect((await auditOf(id)).map(({ is }) => is)).toEqual(["opened", "closed", "opened", "closed"]);
  });

  // The last one: clients of staff belong to the platform before the restart.
  test("outlives a restart with its number and its owner", async () => {
    await venue.machine("tk-10");
    await sql`insert into hand_pay (machine_id, hand_pay_id, amount, kind) values ('tk-10', 'hr', 500, 'win')`.execute(
      venue.db,
    );
    const id = "handPay:tk-10:hr";
    await deniz.act("claimTask", { id }, {});
    const before = await rowsOf(id);
    await venue.startAgain(async () => undefined);
    await otherNode().look();
    expect(await rowsOf(id)).toEqual(before);
    const { rows } = await sql<{ owner: string }>`select owner from staff_task where id = ${id}`.execute(venue.db);
    expect(rows).toEqual([{ owner: deniz.id }]);
  });
});

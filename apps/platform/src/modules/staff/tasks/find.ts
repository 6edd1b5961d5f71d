import type { Permission } from "@longarm/contract/staff-rights";
import { APPROVAL_KINDS } from "@longarm/contract/staff-rights";
import type { Task, TaskKind } from "@longarm/contract/staff-tasks";
import { readVersion } from "@longarm/contract/venue-settings";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { silentProviders, troubledPayments } from "../../payments/book/index.ts";
import type { OpenAlarm } from "../../play/alarms.ts";
import { openAlarms } from "../../play/alarms.ts";
import { listCalls } from "../../play/calls.ts";
import type { DeskMachine } from "../../play/desk/index.ts";
import {
  deskAgents,
  deskDiscrepancies,
  deskHandPayMachines,
  deskHandPays,
  deskUnresolved,
  deskWrongDays,
} from "../../play/desk/index.ts";
import { waitingCases } from "../../protection/cases/index.ts";
import { heldPlayers } from "../../protection/identity/index.ts";
import { silentRegisters } from "../../protection/registers/index.ts";
import { auditState } from "../../records/audit/index.ts";
import { waitingDisputes } from "../../records/disputes/index.ts";
import { newestVersion } from "../../records/settings/index.ts";
import { overdueMoves } from "../../remote-wallet/index.ts";
import { deliveryCounts } from "../../talk/outbox/index.ts";
import type { StaffTables } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import { listStops } from "../desk/index.ts";
import { listWaiting } from "../sign-in/index.ts";
import { ALARM_TASKS } from "./kinds.ts";

type Db = Kysely<StaffTables>;

/** What needs a person, as the rows of its cause say it. */
export type Found = {
  /** Kind and subject. */
  readonly id: string;
  readonly kind: TaskKind;
  readonly subject: string;
  readonly since: Date;
  readonly machineId: string | null;
  readonly playerId: string | null;
  readonly amount: number | null;
  readonly facts: Task["facts"];
  /** Who may not see it: the person whom it is about. */
  readonly withheldFrom: string | null;
  /** The permission that it needs, where its kind alone does not say. */
  readonly signs: Permission | null;
};

type More = Partial<Omit<Found, "kind" | "subject" | "since">>;

function found(kind: TaskKind, subject: string, since: Date | string, more: More = {}): Found {
  return {
    id: `${kind}:${subject}`,
    kind,
    subject,
    since: new Date(since),
    machineId: null,
    playerId: null,
    amount: null,
    facts: {},
    withheldFrom: null,
    signs: null,
    ...more,
  };
}

/** Everything that needs a person now, but for the sums of the ledger, which `ledgerTasks` reads less often. */
export async function findTasks(db: Db, floor: readonly DeskMachine[]): Promise<readonly Found[]> {
  const whole = wholeOf(db);
  // One after the other: a look must not take every connection from money.
  const handPays = await deskHandPays(whole, { state: "owed", limit: 500 });
  const locked = floor.filter(({ lockup }) => lockup === "handPay").map(({ id }) => id);
  const lockedByHandPay = await deskHandPayMachines(whole, locked);
  const unresolved = await deskUnresolved(whole);
  const discrepancies = await deskDiscrepancies(whole, { state: "open", limit: 500 });
  const calls = await listCalls(whole, { all: false, limit: 500 });
  const agents = await deskAgents(whole);
  const days = await deskWrongDays(whole);
  const alarms = await openAlarms(whole);
  const all = [
    ...handPays.map((row) =>
      found("handPay", `machine:${row.machine.id}`, row.since, {
        id: `handPay:${row.machine.id}:${row.handPay}`,
        machineId: row.machine.id,
        playerId: row.player?.id ?? null,
        amount: row.amount,
        facts: { handPay: row.handPay, kind: row.kind },
      }),
    ),
    ...unresolved
      .filter(({ state }) => state === "unknown")
      .map((row) =>
        found("unknownTransfer", `transfer:${row.id}`, row.since, {
          machineId: row.machine.id,
          playerId: row.player.id,
          amount: row.amount,
          facts: { direction: row.direction },
        }),
      ),
    ...discrepancies.map((row) =>
      found("discrepancy", `discrepancy:${row.number}`, row.foundAt, {
        machineId: row.machine.id,
        playerId: row.player?.id ?? null,
        amount: row.inSuspense,
        facts: { kind: row.kind, number: row.number },
      }),
    ),
    ...floor.flatMap((machine) => machineTasks(machine, lockedByHandPay)),
    ...agents
      .filter((agent) => agent.revokedAt === null && agent.machines.length > 0 && !agent.linked)
      .map((agent) =>
        found("agentAway", `agent:${agent.id}`, agent.seenAt ?? agent.enrolledAt, {
          facts: { name: agent.name, machines: agent.machines.length },
        }),
      ),
    ...calls.map((call) =>
      found("call", `call:${call.id}`, call.calledAt, {
        machineId: call.machineId,
        playerId: call.playerId,
        facts: { reason: call.reason, answered: call.answeredAt !== null },
      }),
    ),
    ...days.map(({ day, madeAt }) => found("reconciliation", `day:${day}`, madeAt, { facts: { day } })),
    ...alarms.map(alarmTask),
    ...(await settingsTasks(db)),
    ...(await registerTasks(db)),
    ...(await careTasks(db)).concat(await disputeTasks(db)),
    ...(await samePersonTasks(db)),
    ...(await auditTasks(db)),
    ...(await deskTasks(db, floor)),
    ...(await foundOutside(whole)),
  ];
  return await withoutSettled(db, all);
}

/** The most payments with trouble that a look reads. */
const TROUBLED_MAX = 200;

/** What the operator's own systems do not answer, and payments that went wrong there. */
async function foundOutside(whole: ReturnType<typeof wholeOf>): Promise<Found[]> {
  const { dead, deadSince } = await deliveryCounts(whole);
  const { count, oldest } = await overdueMoves(whole);
  const silent = await silentProviders(whole);
  const troubled = await troubledPayments(whole, TROUBLED_MAX);
  return [
    ...(dead === 0 || deadSince === null
      ? []
      : [found("delivery", "webhook:operator", deadSince, { facts: { dead } })]),
    ...(oldest === null ? [] : [found("remoteWallet", "wallet:operator", oldest, { facts: { count } })]),
    ...silent.map((one) =>
      found("paymentProvider", `provider:${one.way}`, one.oldest, { facts: { name: one.way, count: one.count } }),
    ),
    ...troubled.map(({ id, since, playerId, amount, way, trouble }) =>
      found("paymentTrouble", `payment:${id}`, since, { playerId, amount, facts: { name: way, trouble } }),
    ),
  ];
}

/** The newest version of the settings cannot be used: an older one holds. */
async function settingsTasks(db: Db): Promise<Found[]> {
  const newest = await newestVersion(wholeOf(db));
  if (newest === undefined || readVersion(newest.content).problems.length === 0) return [];
  return [found("settings", `settings:${newest.number}`, newest.at, { facts: { version: newest.number } })];
}

/** National registers whose newest answer is none: play of their market stays closed. */
async function registerTasks(db: Db): Promise<Found[]> {
  const silent = await silentRegisters(wholeOf(db));
  return silent.map(({ register, since, cause }) =>
    found("register", `register:${register}`, since, { facts: { register, cause } }),
  );
}

/** The most cases that wait which a look reads. */
const CASES_MAX = 200;

/** Players whose play shows strong signs of harm, and whose case no person has taken yet. */
async function careTasks(db: Db): Promise<Found[]> {
  const cases = await waitingCases(wholeOf(db), CASES_MAX);
  return cases.map(({ id, playerId, since }) => found("care", `case:${id}`, since, { playerId }));
}

/** The most held decisions that a look reads. */
const HELD_MAX = 200;

/** Players who were not verified, because another account has the same number or document. */
async function samePersonTasks(db: Db): Promise<Found[]> {
  const held = await heldPlayers(wholeOf(db), HELD_MAX);
  return held.map(({ playerId, since }) => found("samePerson", `player:${playerId}`, since, { playerId }));
}

/** The most questions that a look reads. */
const DISPUTES_MAX = 200;

/** Questions of players about a game that no person has taken, and those whose answer is late. */
async function disputeTasks(db: Db): Promise<Found[]> {
  const waiting = await waitingDisputes(wholeOf(db), DISPUTES_MAX);
  return waiting.map(({ id, number, since, playerId, machineId, late }) =>
    found(late ? "disputeLate" : "dispute", `dispute:${id}`, since, { playerId, machineId, facts: { number } }),
  );
}

/** What the desk's own rows say: stops, approvals and shifts. */
async function deskTasks(db: Db, floor: readonly DeskMachine[]): Promise<Found[]> {
  const stops = await listStops(db, floor);
  const approvals = await listWaiting(db);
  const shifts = await db
    .selectFrom("cashier_shift as c")
    .innerJoin("staff as p", "p.id", "c.staff_id")
    .select(["c.id", "c.staff_id", "c.desk", "c.closed_at", "p.name"])
    .select(sql<number>`c.counted - c.expected`.as("difference"))
    .where(sql<boolean>`c.counted <> c.expected and c.closed_at > clock_timestamp() - interval '35 days'`)
    .orderBy("c.closed_at")
    .limit(200)
    .execute();
  return [
    ...stops.flatMap((stop) => [
      ...(stop.reason === null ? [found("stopReason", `stop:${stop.id}`, stop.setAt)] : []),
      ...(stop.releasedAt === null ? [found("stopRelease", `stop:${stop.id}`, stop.setAt)] : []),
    ]),
    ...approvals.map((row) =>
      found("approval", `approval:${row.id}`, row.requested_at, {
        amount: row.amount,
        facts: { kind: row.kind, subject: row.subject, by: row.requestedName },
        withheldFrom: row.requested_by,
        signs: APPROVAL_KINDS[row.kind],
      }),
    ),
    ...shifts.map((row) =>
      found("shiftDifference", `shift:${row.id}`, row.closed_at ?? new Date(0), {
        amount: row.difference,
        facts: { name: row.name, desk: row.desk },
        withheldFrom: row.staff_id,
      }),
    ),
  ];
}

async function auditTasks(db: Db): Promise<Found[]> {
  const { rows } = await sql<{ settled: number }>`select coalesce(max((facts ->> 'entry')::bigint), 0) as settled
    from staff_task where kind = 'audit' and closed_by is not null`.execute(db);
  const { tampered, busAway, clocks } = await auditState(wholeOf(db), rows[0]?.settled ?? 0);
  return [
    ...(tampered === null
      ? []
      : [found("audit", "audit:log", tampered.since, { facts: { entry: tampered.entry, count: tampered.count } })]),
    ...busAway.map(({ node, since }) => found("bus", node, since, { facts: { name: node.replace("node:", "") } })),
    ...clocks.map(({ node, since }) => found("clock", node, since, { facts: { name: node.replace("node:", "") } })),
  ];
}

function alarmTask({ id, alarm, subject, machineId, facts, since }: OpenAlarm): Found {
  const kind = ALARM_TASKS[alarm];
  const amount = facts["amount"] ?? facts["credit"] ?? facts["missing"];
  return found(kind, subject, since, {
    // A new alarm of the same subject is a new task.
    id: `${kind}:alarm:${id}`,
    machineId,
    amount: typeof amount === "number" ? amount : null,
    facts: { alarm, ...(typeof facts["state"] === "string" && { state: facts["state"] }) },
  });
}

function machineTasks(machine: DeskMachine, lockedByHandPay: ReadonlySet<string>): Found[] {
  const of = { machineId: machine.id, playerId: machine.player?.id ?? null };
  const subject = `machine:${machine.id}`;
  // A silent agent is its own task; a hand pay locks its machine until it is reset, and is its own task too.
  if (machine.offline) return [found("machineSilent", subject, machine.since, of)];
  if (machine.lockup === null || lockedByHandPay.has(machine.id) || !machine.answers) return [];
  // A person who may not see hand pays does not learn of one here.
  const signs = machine.lockup === "handPay" ? "handPay.see" : null;
  return [found("machineLocked", subject, machine.since, { ...of, signs, facts: { lockup: machine.lockup } })];
}

/** Without what a person has said is settled: nothing in the rows of its cause changes then. */
async function withoutSettled(db: Db, tasks: readonly Found[]): Promise<readonly Found[]> {
  const { rows } = await sql<{ id: string }>`select id from staff_task
    where closed_by is not null and kind in ('reconciliation', 'shiftDifference')`.execute(db);
  const settled = new Set(rows.map(({ id }) => id));
  return tasks.filter(({ id }) => !settled.has(id));
}

/** Whether the ledger adds up, and no player is below zero. It sums every account, so it is read less often. */
export async function ledgerTasks(db: Db): Promise<Found[]> {
  const { rows } = await sql<{ sum: number; below: number; now: Date }>`select
    (select coalesce(sum(balance_minor), 0)::float8 from ledger.accounts) as sum, clock_timestamp() as now,
    (select count(*)::int from ledger.accounts where address like 'player:%' and balance_minor - held_minor < 0) as below`.execute(
    db,
  );
  const [found_] = rows;
  if (found_ === undefined || (found_.sum === 0 && found_.below === 0)) return [];
  const { sum, below, now } = found_;
  return [found("ledger", "ledger:all", now, { amount: sum === 0 ? null : sum, facts: { below } })];
}

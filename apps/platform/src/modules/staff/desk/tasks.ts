import type { Task, TaskKind } from "@longarm/contract/staff-floor";
import type { Permission } from "@longarm/contract/staff-rights";
import { APPROVAL_KINDS } from "@longarm/contract/staff-rights";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import { listCalls } from "../../play/calls.ts";
import type { DeskMachine } from "../../play/desk/index.ts";
import { deskAgents, deskDiscrepancies, deskHandPays, deskUnresolved } from "../../play/desk/index.ts";
import type { StaffTables, StaffTransaction } from "../accounts/index.ts";
import { sha256, wholeOf } from "../accounts/index.ts";
import type { StaffCaller } from "../sign-in/index.ts";
import { listWaiting, Refused } from "../sign-in/index.ts";
import { listStops } from "./stops.ts";

type Db = Kysely<StaffTables>;

/** When each kind should be done by, ms. Some are settings of the platform. */
export type TaskTargets = Readonly<Record<"unknownTransfer" | "agentAway" | "call", number>>;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

type Found = Omit<Task, "target" | "owner" | "escalated" | "snoozedUntil" | "mayAct" | "group"> & {
  /** Which kind of approval it is. */
  readonly signs?: Permission;
  readonly own?: boolean;
};

type KindSpec = {
  readonly group: Task["group"];
  readonly targetMs: (targets: TaskTargets) => number;
  /** Who sees it, and who may take its next step. */
  readonly sees: Permission;
  readonly acts: Permission;
};

/** Every kind of task: how urgent it is, and whose it is. */
const KINDS = {
  handPay: { group: "now", targetMs: () => 5 * MINUTE_MS, sees: "handPay.see", acts: "handPay.pay" },
  unknownTransfer: {
    group: "now",
    targetMs: ({ unknownTransfer }) => unknownTransfer,
    sees: "transfer.see",
    acts: "transfer.askAgain",
  },
  machineLocked: { group: "now", targetMs: () => 15 * MINUTE_MS, sees: "floor.see", acts: "machine.operate" },
  machineSilent: { group: "now", targetMs: () => 15 * MINUTE_MS, sees: "floor.see", acts: "machine.operate" },
  agentAway: { group: "now", targetMs: ({ agentAway }) => agentAway, sees: "agent.see", acts: "agent.see" },
  call: { group: "now", targetMs: ({ call }) => call, sees: "floor.see", acts: "task.take" },
  approval: { group: "hour", targetMs: () => 15 * MINUTE_MS, sees: "floor.see", acts: "floor.see" },
  discrepancy: { group: "hour", targetMs: () => 2 * HOUR_MS, sees: "discrepancy.see", acts: "discrepancy.explain" },
  stopRelease: { group: "hour", targetMs: () => HOUR_MS, sees: "floor.see", acts: "stop.release" },
  stopReason: { group: "shift", targetMs: () => 8 * HOUR_MS, sees: "floor.see", acts: "stop.set" },
} as const satisfies Partial<Record<TaskKind, KindSpec>>;
type MadeKind = keyof typeof KINDS;
const isMade = (kind: TaskKind): kind is MadeKind => Object.hasOwn(KINDS, kind);

export type TaskDeps = { readonly db: Db; readonly targets: TaskTargets };

/** Everything that needs a person now, as one member of staff may see it; the most urgent first. */
export async function listTasks(
  { db, targets }: TaskDeps,
  caller: StaffCaller,
  floor: readonly DeskMachine[],
): Promise<Task[]> {
  return await tasksFor({ db, targets }, caller, await findTasks(db, floor));
}

/** What needs a person, for every member of staff. */
export async function findTasks(db: Db, floor: readonly DeskMachine[]): Promise<readonly Found[]> {
  const whole = wholeOf(db);
  // One after the other: a console that looks must not take every connection from money.
  const handPays = await deskHandPays(whole, { state: "owed", limit: 500 });
  const unresolved = await deskUnresolved(whole);
  const discrepancies = await deskDiscrepancies(whole, { state: "open", limit: 500 });
  const calls = await listCalls(whole, { all: false, limit: 500 });
  const agents = await deskAgents(whole);
  const stops = await listStops(db, floor);
  const approvals = await listWaiting(db);
  const nameOf = new Map(floor.map(({ id, name }) => [id, name]));
  const machineRef = (id: string) => ({ id, name: nameOf.get(id) ?? id });
  return [
    ...handPays.map((row) =>
      found("handPay", `machine:${row.machine.id}`, row.since, {
        id: `handPay:${row.machine.id}:${row.handPay}`,
        machine: row.machine,
        player: row.player,
        amount: row.amount,
        facts: { handPay: row.handPay, kind: row.kind },
      }),
    ),
    ...unresolved
      .filter(({ state }) => state === "unknown")
      .map((row) =>
        found("unknownTransfer", `transfer:${row.id}`, row.since, {
          machine: row.machine,
          player: row.player,
          amount: row.amount,
          facts: { direction: row.direction, queries: row.queries },
        }),
      ),
    ...discrepancies.map((row) =>
      found("discrepancy", `discrepancy:${row.number}`, row.foundAt, {
        machine: row.machine,
        player: row.player,
        amount: row.inSuspense,
        facts: { kind: row.kind, number: row.number },
      }),
    ),
    ...floor.flatMap(machineTasks),
    ...agents
      .filter((agent) => agent.revokedAt === null && agent.machines.length > 0 && !agent.linked)
      .map((agent) =>
        found("agentAway", `agent:${agent.id}`, agent.seenAt ?? agent.enrolledAt, {
          facts: { name: agent.name, machines: agent.machines.length },
        }),
      ),
    ...calls.map((call) =>
      found("call", `call:${call.id}`, call.calledAt.toISOString(), {
        machine: machineRef(call.machineId),
        player: { id: call.playerId, username: call.player },
        facts: { reason: call.reason, answered: call.answeredAt !== null },
      }),
    ),
    ...stops.flatMap((stop) => [
      ...(stop.reason === null ? [found("stopReason", `stop:${stop.id}`, stop.setAt, { facts: {} })] : []),
      ...(stop.releasedAt === null ? [found("stopRelease", `stop:${stop.id}`, stop.setAt, { facts: {} })] : []),
    ]),
    ...approvals.map((row) => ({
      ...found("approval", `approval:${row.id}`, row.requested_at.toISOString(), {
        amount: row.amount,
        facts: { kind: row.kind, subject: row.subject, by: row.requestedName },
      }),
      signs: APPROVAL_KINDS[row.kind],
      requestedBy: row.requested_by,
    })),
  ];
}

function machineTasks(machine: DeskMachine): Found[] {
  const of = { machine: { id: machine.id, name: machine.name }, player: machine.player };
  const since = machine.since.toISOString();
  const subject = `machine:${machine.id}`;
  // A silent agent is its own task; a hand pay locks its machine, and is its own task too.
  if (machine.offline) return [found("machineSilent", subject, since, { ...of, facts: {} })];
  if (machine.lockup === null || machine.handPay || !machine.answers) return [];
  return [found("machineLocked", subject, since, { ...of, facts: { lockup: machine.lockup } })];
}

function found(kind: MadeKind, subject: string, since: string, more: Partial<Found> & Pick<Found, "facts">): Found {
  return { id: `${kind}:${subject}`, kind, subject, since, machine: null, player: null, amount: null, ...more };
}

/** Those that a member of staff may see, with owners and targets. */
export async function tasksFor(
  { db, targets }: TaskDeps,
  caller: StaffCaller,
  tasks: readonly (Found & { readonly requestedBy?: string })[],
): Promise<Task[]> {
  const seen = tasks.filter((task) => maySee(caller, task));
  const kept = await ownersOf(
    db,
    seen.map(({ id }) => id),
  );
  return seen
    .map(({ signs, requestedBy: _, ...task }): Task => {
      const { group, targetMs, acts } = specOf(task.kind);
      const row = kept.get(task.id);
      return {
        ...task,
        group,
        target: new Date(Date.parse(task.since) + targetMs(targets)).toISOString(),
        owner: row?.owner ?? null,
        escalated: row?.escalated ?? false,
        snoozedUntil: row?.snoozedUntil?.toISOString() ?? null,
        mayAct: caller.permissions.has(signs ?? acts),
      };
    })
    .sort(byUrgency);
}

/** What a wall shows of tasks: where and since when, and neither who has them nor whose they are. Approvals and books are no business of a wall. */
export async function wallTasks({ db, targets }: TaskDeps, tasks: readonly Found[]) {
  const shown = tasks.filter(({ kind, signs }) => signs === undefined && specOf(kind).group !== "shift");
  const kept = await ownersOf(
    db,
    shown.map(({ id }) => id),
  );
  return shown
    .map(({ id, kind, since, machine, facts }) => ({
      id: sha256(id).slice(0, 20),
      kind,
      group: specOf(kind).group,
      where: machine?.name ?? (typeof facts["name"] === "string" ? facts["name"] : null),
      since,
      target: new Date(Date.parse(since) + specOf(kind).targetMs(targets)).toISOString(),
      taken: (kept.get(id)?.owner ?? null) !== null,
      machineId: machine?.id ?? null,
    }))
    .sort(
      (one, other) =>
        GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group) || Date.parse(one.target) - Date.parse(other.target),
    )
    .map(({ group: _, ...call }) => call);
}

const specOf = (kind: TaskKind): KindSpec => {
  if (!isMade(kind)) throw new Error(`no task of the kind ${kind} is made`);
  return KINDS[kind];
};

function maySee(caller: StaffCaller, { kind, signs, requestedBy }: Found & { readonly requestedBy?: string }): boolean {
  if (signs !== undefined) return caller.permissions.has(signs) && requestedBy !== caller.staffId;
  return caller.permissions.has(specOf(kind).sees);
}

const GROUPS: readonly Task["group"][] = ["now", "hour", "shift"];
function byUrgency(one: Task, other: Task): number {
  const groups = GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group);
  return groups || Date.parse(one.target) - Date.parse(other.target) || (other.amount ?? 0) - (one.amount ?? 0);
}

type Kept = {
  readonly owner: { readonly id: string; readonly name: string } | null;
  readonly escalated: boolean;
  readonly snoozedUntil: Date | null;
};

/** Owners whose sign-ins have all ended have nothing any more: their tasks come back to the queue. */
async function ownersOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Kept>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("staff_task as t")
    .leftJoin("staff as s", (join) =>
      join
        .onRef("s.id", "=", "t.owner")
        .on(
          sql<boolean>`exists (select from staff_sign_in i where i.staff_id = s.id and i.ended_at is null and i.expires_at > clock_timestamp())`,
        ),
    )
    .select(["t.id", "s.id as owner", "s.name", "t.escalated"])
    .select(sql<Date | null>`case when t.snoozed_until > clock_timestamp() then t.snoozed_until end`.as("snoozedUntil"))
    .where("t.id", "in", [...ids])
    .execute();
  return new Map(
    rows.map(({ id, owner, name, escalated, snoozedUntil }) => [
      id,
      { owner: owner === null ? null : { id: owner, name: name ?? "" }, escalated, snoozedUntil },
    ]),
  );
}

type Change =
  | { readonly is: "owner"; readonly staffId: string | null }
  | { readonly is: "escalated" }
  | { readonly is: "snoozed" };

const SNOOZE_MS = 10 * MINUTE_MS;

/** Changes who has a task, or when it comes back. @throws Refused: it is over, or it is snoozed for the second time or too urgent for it. */
export async function changeTask(
  trx: StaffTransaction,
  { targets }: Pick<TaskDeps, "targets">,
  caller: StaffCaller,
  { id, floor, change }: { readonly id: string; readonly floor: readonly DeskMachine[]; readonly change: Change },
): Promise<void> {
  const task = (await listTasks({ db: trx, targets }, caller, floor)).find((one) => one.id === id);
  if (task === undefined) throw new Refused("task.over");
  const before = await trx.selectFrom("staff_task").select("snoozed_until").where("id", "=", id).executeTakeFirst();
  if (change.is === "snoozed" && (task.group === "now" || (before?.snoozed_until ?? null) !== null))
    throw new Refused("act.refused", { sentence: "This task waits no longer." });
  const set = {
    owner: change.is === "owner" ? change.staffId : (task.owner?.id ?? null),
    changed_at: databaseNow(),
    ...(change.is === "escalated" && { escalated: true }),
    ...(change.is === "snoozed" && { snoozed_until: databaseIn(SNOOZE_MS) }),
  };
  await trx
    .insertInto("staff_task")
    .values({ id, ...set })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(set))
    .execute();
}

import type { RoleName } from "@longarm/contract/staff-rights";
import type { Task, TaskKind } from "@longarm/contract/staff-tasks";
import { runTransaction } from "@longarm/database/run-transaction";
import { sql } from "kysely";
import type { Bus, Topic } from "../../../bus/index.ts";
import type { Clock } from "../../../clock.ts";
import { databaseNow } from "../../../database-time.ts";
import type { Log } from "../../../log.ts";
import type { Random } from "../../../random.ts";
import { closePastAlarms } from "../../play/alarms.ts";
import type { DeskMachine } from "../../play/desk/index.ts";
import { deskFloor } from "../../play/desk/index.ts";
import type { StaffDb, StaffTransaction } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import type { StaffCaller } from "../sign-in/index.ts";
import { announce } from "./announce.ts";
import type { Found } from "./find.ts";
import { findTasks, ledgerTasks } from "./find.ts";
import type { RolesNow, SetTargets, Times } from "./kinds.ts";
import { roleAbove, specOf, timesOf } from "./kinds.ts";
import type { TaskRow, WallTask } from "./rows.ts";
import { escalatesAfterS, openTasks, seesOf, tasksFor, wallTasks } from "./rows.ts";

/** The platform looks this often for what needs a person, ms; a hint of the bus and every console that looks make it sooner. */
const LOOK_MS = 2_000;
/** Hints of a busy floor come many times a second: they cause a look at most this often, ms. */
const HINT_MS = 500;
/** The sums of the ledger are read this often, ms. */
const LEDGER_MS = 60_000;
/** Hints that something may need a person now. */
const HINTS = ["machine.changed", "seat.changed", "call.changed", "agent.linked"] as const satisfies Topic[];

type TasksDeps = {
  readonly db: StaffDb;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly bus: Pick<Bus, "subscribe">;
  readonly targets: SetTargets;
};

/** What needs a person, and the floor of the same look. */
export type TasksNow = {
  readonly floor: readonly DeskMachine[];
  /** Those that this member of staff may see, the most urgent first. */
  of(caller: StaffCaller): Task[];
  /** What a wall shows of them. */
  forWall(): WallTask[];
};

export interface Tasks {
  /** Begins to look by itself. */
  start(): void;
  close(): Promise<void>;
  /** Opens what needs a person since the last look, closes what is over, and returns what is open. */
  look(): Promise<TasksNow>;
  /** When each kind should be done by, and when it goes to the role above. */
  times(): Promise<Readonly<Record<TaskKind, Times>>>;
}

/** The rules that are data: what each role may do, and the venue's times. */
export async function rulesOf(db: StaffDb, targets: SetTargets): Promise<Rules> {
  const roles = await db.selectFrom("staff_role").select(["role", "permissions"]).execute();
  const own = await db.selectFrom("task_times").selectAll().execute();
  return {
    roles: new Map(roles.map(({ role, permissions }) => [role, new Set(permissions)])),
    times: timesOf(targets, own),
  };
}
type Rules = { readonly roles: RolesNow; readonly times: Readonly<Record<TaskKind, Times>> };

/** One task is written by one transaction at a time, on all nodes: what is announced is in the order in which it happened. */
export async function lockTasks(trx: StaffTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('longarm tasks', 0))`.execute(trx);
}

/** Keeps a row for everything that needs a person: opened, escalated and closed by what other rows say, whichever node looks. */
export function createTasks(deps: TasksDeps): Tasks {
  const { db, clock, log } = deps;
  let ledger: { readonly at: number; readonly found: readonly Found[] } | undefined;
  const stops: (() => void)[] = [];

  async function facts(source: StaffDb, floor: readonly DeskMachine[]): Promise<readonly Found[]> {
    if (ledger === undefined || clock.now() - ledger.at >= LEDGER_MS)
      ledger = { at: clock.now(), found: await ledgerTasks(source) };
    return [...(await findTasks(source, floor)), ...ledger.found];
  }

  async function lookNow(): Promise<TasksNow> {
    const floor = await deskFloor(wholeOf(db));
    const rules = await rulesOf(db, deps.targets);
    let rows = await openTasks(db);
    const seen = changesOf(rows, await facts(db, floor), rules);
    // Another node may know better by now: what is opened and closed is decided by sums that are read now.
    if (seen.some(isOfLedger)) ledger = undefined;
    if (seen.length > 0)
      rows = await runTransaction(db, async (trx) => {
        await lockTasks(trx);
        await closePastAlarms(trx);
        // Read again: another node may have written the same meanwhile.
        const before = await openTasks(trx);
        const changes = changesOf(before, await facts(trx, await deskFloor(wholeOf(trx))), rules);
        for (const change of changes) await carryOut(trx, deps.random, rules, change);
        return await openTasks(trx);
      });
    const names = new Map(floor.map(({ id, name }) => [id, name]));
    const machineName = (id: string) => names.get(id) ?? id;
    return {
      floor,
      of: (caller) => tasksFor(rows, { caller, ...rules, machineName }),
      forWall: () => wallTasks(rows, { ...rules, machineName }),
    };
  }

  const { look, isRequested, settled } = oneAtATime(lookNow);

  function lookByItself(): void {
    if (isRequested()) return;
    look().catch((error: unknown) => log.warn({ err: error }, "what needs a person could not be read"));
  }

  let hinted: (() => void) | undefined;
  function lookSoon(): void {
    hinted ??= clock.after(HINT_MS, () => {
      hinted = undefined;
      lookByItself();
    });
  }

  return {
    look,
    times: async () => (await rulesOf(db, deps.targets)).times,
    start() {
      stops.push(clock.every(LOOK_MS, lookByItself), ...HINTS.map((topic) => deps.bus.subscribe(topic, lookSoon)));
      lookByItself();
    },
    async close() {
      for (const stop of stops.splice(0)) stop();
      hinted?.();
      await settled();
    },
  };
}

/** Looks one after the other, and many callers share one. */
function oneAtATime(lookNow: () => Promise<TasksNow>) {
  let running: Promise<TasksNow> | undefined;
  let next: Promise<TasksNow> | undefined;

  function begin(): Promise<TasksNow> {
    const looking = lookNow().finally(() => {
      if (running === looking) running = undefined;
    });
    running = looking;
    return looking;
  }

  /** A caller during a look waits for the next one: the running one may have read before what the caller did. */
  function look(): Promise<TasksNow> {
    if (running === undefined) return begin();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  }

  return {
    look,
    /** A further look is requested already. */
    isRequested: () => next !== undefined,
    async settled(): Promise<void> {
      while (running !== undefined || next !== undefined) await Promise.allSettled([running, next]);
    },
  };
}

type Change =
  | { readonly is: "open"; readonly found: Found }
  | { readonly is: "update"; readonly row: TaskRow; readonly found: Found }
  | { readonly is: "release"; readonly row: TaskRow }
  | { readonly is: "escalate"; readonly row: TaskRow; readonly to: RoleName }
  | { readonly is: "close"; readonly row: TaskRow };

const isOfLedger = (change: Change): boolean => ("row" in change ? change.row : change.found).kind === "ledger";

/** What has to be written so that the rows say what was found. */
function changesOf(rows: readonly TaskRow[], found: readonly Found[], { roles, times }: Rules): Change[] {
  const open = new Map(rows.map((row) => [row.id, row]));
  const wanted = new Map(found.map((one) => [one.id, one]));
  const changes: Change[] = [];
  for (const [id, one] of wanted) {
    const row = open.get(id);
    if (row === undefined) changes.push({ is: "open", found: one });
    else if (marksOf(row) !== marksOf(one)) changes.push({ is: "update", row, found: one });
  }
  for (const row of rows) {
    if (!wanted.has(row.id)) {
      changes.push({ is: "close", row });
      continue;
    }
    // Who has left has nothing any more: it comes back to the queue.
    if (row.owner !== null && !row.ownerHere) changes.push({ is: "release", row });
    const to = roleAbove(roles, row.role, seesOf(row));
    if (to !== null && row.waitedS >= escalatesAfterS(row, times[row.kind])) changes.push({ is: "escalate", row, to });
  }
  return changes;
}

/** What of a task may change while its cause lasts. */
function marksOf({ subject, machineId, playerId, amount, facts, withheldFrom, signs }: Found | TaskRow): string {
  const inOrder = Object.entries(facts).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([subject, machineId, playerId, amount, inOrder, withheldFrom, signs]);
}

async function carryOut(trx: StaffTransaction, random: Random, { times }: Rules, change: Change): Promise<void> {
  if (change.is === "open") return await openTask(trx, random, times, change.found);
  const { row } = change;
  const announced = { task: row, times: times[row.kind], by: null } as const;
  const update = trx.updateTable("staff_task").where("number", "=", row.number);
  if (change.is === "update") {
    const { subject, machineId, playerId, amount, facts, withheldFrom, signs } = change.found;
    await update
      .set({ subject, machine_id: machineId, player_id: playerId, amount, facts: JSON.stringify(facts) })
      .set({ withheld_from: withheldFrom, signs })
      .execute();
  } else if (change.is === "release") {
    await update.set({ owner: null, owned_at: null }).execute();
    await announce(trx, random, { event: "released", ...announced });
  } else if (change.is === "escalate") {
    await escalate(trx, row, change.to);
    await announce(trx, random, { event: "escalated", ...announced, task: { ...row, role: change.to } });
  } else {
    await update.set({ closed_at: databaseNow() }).execute();
    await announce(trx, random, { event: "closed", ...announced });
  }
}

/** Gives a task to the role above. */
export async function escalate(
  trx: StaffTransaction,
  { number }: Pick<TaskRow, "number">,
  role: RoleName,
): Promise<void> {
  await trx
    .updateTable("staff_task")
    .set({ role, level: sql<number>`level + 1`, escalated_at: databaseNow(), snoozed_until: null })
    .where("number", "=", number)
    .execute();
}

async function openTask(trx: StaffTransaction, random: Random, times: Rules["times"], found: Found): Promise<void> {
  const { role } = specOf(found.kind);
  const row = await trx
    .insertInto("staff_task")
    .values({
      id: found.id,
      kind: found.kind,
      subject: found.subject,
      machine_id: found.machineId,
      player_id: found.playerId,
      amount: found.amount,
      facts: JSON.stringify(found.facts),
      withheld_from: found.withheldFrom,
      signs: found.signs,
      since: found.since,
      owner: null,
      role,
      closed_by: null,
      close_reason: null,
    })
    .returning("number")
    .executeTakeFirstOrThrow();
  await announce(trx, random, {
    event: "opened",
    task: { ...found, number: row.number, role },
    times: times[found.kind],
    by: null,
  });
}

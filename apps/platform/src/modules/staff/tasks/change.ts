import type { TaskKind } from "@longarm/contract/staff-tasks";
import { databaseIn, databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import type { KeptAlarm } from "../../play/alarms.ts";
import { closeAlarm, KEPT_ALARMS } from "../../play/alarms.ts";
import type { StaffTransaction } from "../accounts/index.ts";
import { rightsOf } from "../accounts/index.ts";
import type { StaffCaller } from "../sign-in/index.ts";
import { Refused } from "../sign-in/index.ts";
import type { TaskEvent } from "./announce.ts";
import { announce } from "./announce.ts";
import { escalate, lockTasks, rulesOf } from "./keeper.ts";
import type { SetTargets } from "./kinds.ts";
import { roleAbove, specOf } from "./kinds.ts";
import type { TaskRow } from "./rows.ts";
import { maySee, openTasks, seesOf } from "./rows.ts";

export type TaskChange =
  | { readonly is: "owner"; readonly staffId: string | null }
  | { readonly is: "escalated" }
  | { readonly is: "snoozed" }
  | { readonly is: "closed"; readonly reason: string };

type Given = { readonly id: string; readonly caller: StaffCaller; readonly change: TaskChange };
type ChangeDeps = { readonly random: Random; readonly targets: SetTargets };

/**
 * Changes who has a task, whose it is, when it comes back, or that it is settled.
 * @throws Refused: it is over, the person may not see it, or the task does not allow the change.
 */
export async function changeTask(
  trx: StaffTransaction,
  { random, targets }: ChangeDeps,
  { id, caller, change }: Given,
): Promise<void> {
  await lockTasks(trx);
  const row = (await openTasks(trx)).find((one) => one.id === id);
  if (row === undefined || !maySee(caller, row)) throw new Refused("task.over");
  const { times, roles } = await rulesOf(trx, targets);
  const publish = (event: TaskEvent, more: { readonly owner?: string | null } & Partial<Pick<TaskRow, "role">> = {}) =>
    announce(trx, random, {
      event,
      task: { ...row, ...(more.role !== undefined && { role: more.role }) },
      times: times[row.kind],
      owner: more.owner ?? null,
      by: caller.staffId,
    });
  const update = trx.updateTable("staff_task").where("number", "=", row.number);
  switch (change.is) {
    case "owner": {
      const { staffId } = change;
      if (staffId === row.owner) return;
      if (staffId !== null) await mustSee(trx, staffId, row);
      await update.set({ owner: staffId, owned_at: staffId === null ? null : databaseNow() }).execute();
      return await publish(staffId === null ? "released" : "assigned", { owner: staffId });
    }
    case "escalated": {
      const role = roleAbove(roles, row.role, seesOf(row));
      if (role === null) throw new Refused("act.refused", { sentence: "No role above may see this task." });
      await escalate(trx, row, role);
      return await publish("escalated", { role, owner: row.owner });
    }
    case "snoozed": {
      const waits = await trx
        .selectFrom("staff_task")
        .select("snoozed_until")
        .where("number", "=", row.number)
        .executeTakeFirstOrThrow();
      if (specOf(row.kind).group === "now" || waits.snoozed_until !== null)
        throw new Refused("act.refused", { sentence: "This task waits no longer." });
      await update.set({ snoozed_until: databaseIn(SNOOZE_MS) }).execute();
      return;
    }
    case "closed": {
      await settle(trx, caller, row);
      await update.set({ closed_at: databaseNow(), closed_by: caller.staffId, close_reason: change.reason }).execute();
      return await publish("closed");
    }
  }
}

const SNOOZE_MS = 600_000;

/** @throws Refused: this person may not see the task. */
async function mustSee(trx: StaffTransaction, staffId: string, row: TaskRow): Promise<void> {
  if (!maySee({ staffId, permissions: (await rightsOf(trx, staffId)).permissions }, row))
    throw new Refused("act.refused", { sentence: "This person may not see the task." });
}

/** @throws Refused: the cause of such a task ends it, or somebody with another right does. */
async function settle(trx: StaffTransaction, { permissions }: StaffCaller, row: TaskRow): Promise<void> {
  const { ends, acts } = specOf(row.kind);
  if (ends !== "person") throw new Refused("act.refused", { sentence: "It is over when its cause is." });
  if (!permissions.has(acts)) throw new Refused("permission.missing", { permission: acts });
  const alarm = KEPT_ALARMS.find((name) => name === row.facts["alarm"]);
  if (alarm !== undefined) await closeAlarm(trx, alarm satisfies KeptAlarm, row.subject);
}

/** Sets when tasks of a kind should be done by. @throws Refused: they would escalate after their target. */
export async function setTaskTimes(
  trx: StaffTransaction,
  { kind, targetS, escalateS }: { readonly kind: TaskKind; readonly targetS: number; readonly escalateS: number },
): Promise<void> {
  if (escalateS > targetS) throw new Refused("act.refused", { sentence: "It escalates before its target, not after." });
  const times = { target_s: targetS, escalate_s: escalateS };
  await trx
    .insertInto("task_times")
    .values({ kind, ...times })
    .onConflict((conflict) => conflict.column("kind").doUpdateSet(times))
    .execute();
}

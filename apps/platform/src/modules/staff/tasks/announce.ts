import type { Random } from "../../../random.ts";
import { machineNameOf } from "../../play/machines.ts";
import { devicesOf, dropWaiting, sendTo, writeFact } from "../../talk/outbox/index.ts";
import type { StaffTransaction } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import { concerns, peopleHere, toneOf } from "./concerns.ts";
import type { Times } from "./kinds.ts";
import { specOf } from "./kinds.ts";
import type { TaskRow } from "./rows.ts";

/** What happens to a task. */
export type TaskEvent = "opened" | "assigned" | "released" | "escalated" | "closed";

type Announcement = {
  readonly event: TaskEvent;
  readonly task: Pick<TaskRow, "number" | "id" | "kind" | "subject" | "machineId" | "amount" | "since" | "role"> &
    Pick<TaskRow, "signs" | "withheldFrom">;
  readonly times: Times;
  /** Who has it from now on. */
  readonly owner?: string | null;
  /** The member of staff who did it; null: the platform. */
  readonly by: string | null;
};

/** Announces what happens to a task, in the transaction in which it does. */
export async function announce(trx: StaffTransaction, random: Random, given: Announcement): Promise<void> {
  const { event, task, times, by } = given;
  const { group } = specOf(task.kind);
  // A person has it: it need not ring anywhere any more.
  if (event !== "opened" && event !== "escalated") await dropWaiting(trx, "push", `task:${task.number}`);
  const seq = await writeFact(trx, random, {
    type: `task.${event}`,
    subject: `task:${task.number}`,
    data: {
      task: task.number,
      id: task.id,
      kind: task.kind,
      group,
      subject: task.subject,
      machine: task.machineId,
      machineName: task.machineId === null ? null : await machineNameOf(wholeOf(trx), task.machineId),
      amount: task.amount,
      since: task.since.toISOString(),
      target: new Date(task.since.getTime() + times.targetS * 1_000).toISOString(),
      role: task.role,
      owner: given.owner ?? null,
      by,
    },
  });
  const people = await calledBy(trx, given);
  if (people.length > 0) await sendTo(trx, seq, "push", await devicesOf(wholeOf(trx), people));
}

/** Whose pockets ring: whom it concerns when it is urgent, and to whom it was given. */
async function calledBy(trx: StaffTransaction, { event, task, owner, by }: Announcement): Promise<readonly string[]> {
  if (event === "assigned") return owner === undefined || owner === null || owner === by ? [] : [owner];
  if ((event !== "opened" && event !== "escalated") || toneOf(task, event) === "info") return [];
  const people = await peopleHere(trx);
  const here = new Set(people.flatMap(({ roles }) => roles));
  return people.filter((person) => concerns(person, task, here)).map(({ staffId }) => staffId);
}

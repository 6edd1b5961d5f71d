import type { RoleName } from "@longarm/contract/staff-rights";
import type { Notice, Task, TaskKind } from "@longarm/contract/staff-tasks";
import { TASK_KINDS } from "@longarm/contract/staff-tasks";
import { sql } from "kysely";
import { newestFact, recentFacts } from "../../talk/outbox/index.ts";
import type { StaffDb } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import type { StaffCaller } from "../sign-in/index.ts";
import { concerns, rolesHere, toneOf } from "./concerns.ts";
import { specOf } from "./kinds.ts";
import { maySee } from "./rows.ts";

/** The newest that are looked through, and shown. */
const LOOKED_THROUGH = 400;
const SHOWN = 60;

const EVENTS = {
  "task.opened": "opened",
  "task.escalated": "escalated",
  "task.assigned": "assigned",
} as const satisfies Record<string, Notice["event"]>;

/** What the fact said then, of a task as it is now. */
type Row = TaskNow & {
  readonly seq: number;
  readonly at: Date;
  readonly event: Notice["event"];
  readonly role: RoleName;
  readonly given: unknown;
  readonly by: unknown;
  readonly machineName: unknown;
};

type TaskNow = {
  readonly number: number;
  readonly id: string;
  readonly kind: TaskKind;
  readonly machineId: string | null;
  readonly amount: number | null;
  readonly facts: Task["facts"];
  readonly signs: Parameters<typeof maySee>[1]["signs"];
  readonly withheldFrom: string | null;
  readonly owner: string | null;
  readonly ownerName: string | null;
  readonly open: boolean;
};

/** Notifications of a member of staff within the last day, newest first; `unread`: how many of them are. */
export async function noticesOf(
  db: StaffDb,
  caller: StaffCaller,
): Promise<{ readonly rows: Notice[]; readonly unread: number }> {
  const facts = await recentFacts(wholeOf(db), Object.keys(EVENTS), LOOKED_THROUGH);
  const tasks = await tasksOf(
    db,
    facts.map(({ data }) => Number(data["task"])),
  );
  const rows = facts.flatMap(({ seq, type, data, madeAt }): Row[] => {
    const task = tasks.get(Number(data["task"]));
    if (task === undefined) return [];
    const event = EVENTS[type as keyof typeof EVENTS];
    const { role, owner: given, by, machineName } = data;
    return [{ ...task, seq, at: madeAt, event, role: role as RoleName, given, by, machineName }];
  });
  const here = await rolesHere(db);
  const read = await readUpTo(db, caller.staffId);
  const mine = rows
    .filter((row) => (TASK_KINDS as readonly string[]).includes(row.kind))
    .filter((row) =>
      row.event === "assigned"
        ? row.given === caller.staffId && row.by !== caller.staffId && maySee(caller, row)
        : concerns(caller, row, here),
    )
    .slice(0, SHOWN)
    .map((row): Notice => shownOf(row, read));
  return { rows: mine, unread: mine.filter((notice) => !notice.read).length };
}

async function tasksOf(db: StaffDb, numbers: readonly number[]): Promise<ReadonlyMap<number, TaskNow>> {
  const { rows } =
    await sql<TaskNow>`select t.number, t.id, t.kind, t.machine_id as "machineId", t.amount, t.facts, t.signs,
      t.withheld_from as "withheldFrom", t.owner, s.name as "ownerName", t.closed_at is null as open
    from staff_task t left join staff s on s.id = t.owner where t.number = any(${[...numbers]}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.number, row]));
}

function shownOf(row: Row, readSeq: number): Notice {
  const { event } = row;
  const tone = toneOf(row, event);
  return {
    seq: row.seq,
    at: row.at.toISOString(),
    event,
    task: row.id,
    number: row.number,
    kind: row.kind,
    group: specOf(row.kind).group,
    tone,
    machine: row.machineId === null ? null : { id: row.machineId, name: String(row.machineName ?? row.machineId) },
    amount: row.amount,
    facts: row.facts,
    owner: row.owner === null ? null : { id: row.owner, name: row.ownerName ?? "" },
    open: row.open,
    rings: row.open && (event === "assigned" || (row.owner === null && tone !== "info")),
    read: row.seq <= readSeq,
  };
}

async function readUpTo(db: StaffDb, staffId: string): Promise<number> {
  const { rows } = await sql<{ seq: number }>`select seq from staff_notice_read where staff_id = ${staffId}`.execute(
    db,
  );
  return rows[0]?.seq ?? 0;
}

/** Notes that everything up to this one is read, on every device of the person. Never back. */
export async function readNotices(db: StaffDb, staffId: string, upTo: number): Promise<void> {
  await sql`insert into staff_notice_read as r (staff_id, seq)
    values (${staffId}, ${Math.min(upTo, await newestFact(wholeOf(db)))})
    on conflict (staff_id) do update set seq = greatest(r.seq, excluded.seq)`.execute(db);
}

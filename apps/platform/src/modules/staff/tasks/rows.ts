import type { Permission, RoleName } from "@longarm/contract/staff-rights";
import { ROLE_NAMES } from "@longarm/contract/staff-rights";
import type { Task, TaskKind } from "@longarm/contract/staff-tasks";
import { TASK_KINDS } from "@longarm/contract/staff-tasks";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { usernameOf } from "../../players/accounts/index.ts";
import type { StaffTables } from "../accounts/index.ts";
import { sha256 } from "../accounts/index.ts";
import type { StaffCaller } from "../sign-in/index.ts";
import type { RolesNow, Times } from "./kinds.ts";
import { roleAbove, specOf } from "./kinds.ts";

/** An open task as its row has it. */
export type TaskRow = {
  readonly number: number;
  readonly id: string;
  readonly kind: TaskKind;
  readonly subject: string;
  readonly machineId: string | null;
  readonly playerId: string | null;
  readonly player: string | null;
  readonly amount: number | null;
  readonly facts: Task["facts"];
  readonly withheldFrom: string | null;
  readonly signs: Permission | null;
  readonly since: Date;
  readonly owner: string | null;
  readonly ownerName: string | null;
  /** Its owner has an open sign-in. */
  readonly ownerHere: boolean;
  readonly role: RoleName;
  readonly level: number;
  readonly snoozedUntil: Date | null;
  /** When the time until the next escalation began. */
  readonly waitsSince: Date;
  /** Seconds since then, and since its cause began, by the database's clock. */
  readonly waitedS: number;
};

const isKind = (kind: string): kind is TaskKind => (TASK_KINDS as readonly string[]).includes(kind);
const isRole = (role: string): role is RoleName => (ROLE_NAMES as readonly string[]).includes(role);

/** Tasks that are open, oldest first. Those of a kind that this version does not know belong to another node. */
export async function openTasks(db: Kysely<StaffTables>): Promise<readonly TaskRow[]> {
  const { rows } =
    await sql<TaskRow>`select t.number, t.id, t.kind, t.subject, t.machine_id as "machineId", t.player_id as "playerId",
      ${usernameOf<string | null>("t.player_id")} as player, t.amount, t.facts, t.withheld_from as "withheldFrom", t.signs, t.since, t.owner,
      s.name as "ownerName", t.role, t.level,
      exists (select from staff_sign_in i where i.staff_id = t.owner and i.ended_at is null and i.expires_at > clock_timestamp()) as "ownerHere",
      case when t.snoozed_until > clock_timestamp() then t.snoozed_until end as "snoozedUntil",
      coalesce(t.escalated_at, t.since) as "waitsSince",
      extract(epoch from clock_timestamp() - coalesce(t.escalated_at, t.since))::float8 as "waitedS"
    from staff_task t left join staff s on s.id = t.owner where t.closed_at is null order by t.number limit 2000`.execute(
      db,
    );
  return rows.filter(({ kind, role }) => isKind(kind) && isRole(role));
}

/** The permission to see a task: its approval's, or its kind's. */
export const seesOf = ({ kind, signs }: Pick<TaskRow, "kind" | "signs">): Permission => signs ?? specOf(kind).sees;

export function maySee(
  { permissions, staffId }: Pick<StaffCaller, "permissions" | "staffId">,
  task: Pick<TaskRow, "kind" | "signs" | "withheldFrom">,
): boolean {
  return permissions.has(seesOf(task)) && task.withheldFrom !== staffId;
}

/** Seconds after which a task goes to the role above: one that somebody has may take its whole target. */
export const escalatesAfterS = ({ owner }: Pick<TaskRow, "owner">, { escalateS, targetS }: Times): number =>
  owner === null ? escalateS : Math.max(escalateS, targetS);

type Shown = {
  readonly caller: StaffCaller;
  readonly times: Readonly<Record<TaskKind, Times>>;
  readonly roles: RolesNow;
  readonly machineName: (id: string) => string;
};

/** The tasks that a member of staff may see, the most urgent first. */
export function tasksFor(rows: readonly TaskRow[], { caller, times, roles, machineName }: Shown): Task[] {
  return rows
    .filter((row) => maySee(caller, row))
    .map((row): Task => {
      const { group, acts, ends } = specOf(row.kind);
      const { targetS } = times[row.kind];
      const above = roleAbove(roles, row.role, seesOf(row));
      const escalates = row.waitsSince.getTime() + escalatesAfterS(row, times[row.kind]) * 1_000;
      return {
        id: row.id,
        number: row.number,
        kind: row.kind,
        group,
        subject: row.subject,
        machine: row.machineId === null ? null : { id: row.machineId, name: machineName(row.machineId) },
        player: row.playerId === null || row.player === null ? null : { id: row.playerId, username: row.player },
        amount: row.amount,
        facts: row.facts,
        since: row.since.toISOString(),
        target: new Date(row.since.getTime() + targetS * 1_000).toISOString(),
        owner: row.owner === null ? null : { id: row.owner, name: row.ownerName ?? "" },
        role: row.role,
        escalated: row.level > 0,
        escalatesAt: above === null ? null : new Date(escalates).toISOString(),
        snoozedUntil: row.snoozedUntil?.toISOString() ?? null,
        mayAct: caller.permissions.has(row.signs ?? acts),
        ends,
      };
    })
    .sort(byUrgency);
}

export type WallTask = {
  readonly id: string;
  readonly kind: TaskKind;
  readonly where: string | null;
  readonly since: string;
  readonly target: string;
  readonly taken: boolean;
  readonly machineId: string | null;
};

const OFF_THE_WALL: ReadonlySet<TaskKind> = new Set(["ledger", "audit"]);

const nameIn = ({ name }: TaskRow["facts"]): string | null => (typeof name === "string" ? name : null);

/** What a wall shows of tasks: where and since when, and neither who has them nor whose they are. Approvals and books are no business of a wall. */
export function wallTasks(rows: readonly TaskRow[], { times, machineName }: Omit<Shown, "caller">): WallTask[] {
  return rows
    .filter(({ kind }) => (specOf(kind).group === "now" && !OFF_THE_WALL.has(kind)) || kind === "stopRelease")
    .map(({ id, kind, since, machineId, facts, owner }) => ({
      id: sha256(id).slice(0, 20),
      kind,
      group: specOf(kind).group,
      where: machineId === null ? nameIn(facts) : machineName(machineId),
      since: since.toISOString(),
      target: new Date(since.getTime() + times[kind].targetS * 1_000).toISOString(),
      taken: owner !== null,
      machineId,
    }))
    .sort(
      (one, other) =>
        GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group) || Date.parse(one.target) - Date.parse(other.target),
    )
    .map(({ group: _, ...task }) => task);
}

const GROUPS: readonly Task["group"][] = ["now", "hour", "shift"];
function byUrgency(one: Task, other: Task): number {
  const groups = GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group);
  return groups || Date.parse(one.target) - Date.parse(other.target) || (other.amount ?? 0) - (one.amount ?? 0);
}

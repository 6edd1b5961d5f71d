import type { RoleName } from "@longarm/contract/staff-rights";
import type { Notice } from "@longarm/contract/staff-tasks";
import { sql } from "kysely";
import type { StaffDb } from "../accounts/index.ts";
import { rightsOf } from "../accounts/index.ts";
import type { StaffCaller } from "../sign-in/index.ts";
import { specOf } from "./kinds.ts";
import type { TaskRow } from "./rows.ts";
import { maySee } from "./rows.ts";

type Somebody = Pick<StaffCaller, "staffId" | "permissions" | "roles">;

/** Who is signed in, with their rights: no one else is called. */
export async function peopleHere(db: StaffDb): Promise<readonly Somebody[]> {
  const { rows } = await sql<{
    staffId: string;
  }>`select distinct i.staff_id as "staffId" from staff_sign_in i join staff s on s.id = i.staff_id
    where i.ended_at is null and i.expires_at > clock_timestamp() and s.ended_at is null limit 500`.execute(db);
  const people: Somebody[] = [];
  for (const { staffId } of rows) people.push({ staffId, ...(await rightsOf(db, staffId)) });
  return people;
}

/** The roles of everybody who is signed in. */
export async function rolesHere(db: StaffDb): Promise<ReadonlySet<RoleName>> {
  const { rows } = await sql<{
    role: RoleName;
  }>`select distinct h.role from staff_has_role h join staff_sign_in i on i.staff_id = h.staff_id
    where i.ended_at is null and i.expires_at > clock_timestamp()`.execute(db);
  return new Set(rows.map(({ role }) => role));
}

/** Whether a task calls this person: whose role it is for, or each person who may see it while that role has no person signed in. */
export function concerns(
  person: Somebody,
  task: Pick<TaskRow, "kind" | "signs" | "withheldFrom" | "role">,
  here: ReadonlySet<RoleName>,
): boolean {
  return maySee(person, task) && (person.roles.includes(task.role) || !here.has(task.role));
}

/** Kinds that are announced as a stop: they cannot be muted. */
const STOPS: ReadonlySet<string> = new Set(["stopRelease", "audit", "ledger"]);

/** How a task is announced to whom it concerns. */
export function toneOf({ kind }: Pick<TaskRow, "kind">, event: Notice["event"]): Notice["tone"] {
  if (STOPS.has(kind)) return "stop";
  const { group } = specOf(kind);
  if (group === "now") return "urgent";
  return event === "opened" && kind !== "approval" ? "info" : "forYou";
}

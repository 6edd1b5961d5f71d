import type { Stop, StopScope } from "@longarm/contract/staff-floor";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import type { ControlTables, MachineMode } from "../../play/control/index.ts";
import { changeMode, readWish } from "../../play/control/index.ts";
import type { DeskMachine } from "../../play/desk/index.ts";
import { deskFloor } from "../../play/desk/index.ts";
import type { StaffTables, StaffTransaction } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import { Refused } from "../sign-in/index.ts";

type Db = Kysely<StaffTables>;

const inScope = (scope: StopScope, { id, group }: DeskMachine): boolean =>
  scope.is === "venue" || (scope.is === "machine" ? id === scope.machine : group === scope.group);

/**
 * Stops a machine, a group or the venue. Machines that are stopped already stay in their own stop too. Without words: the reason follows.
 * @returns the machines whose mode changed. @throws Refused `thing.unknown`: no machine is in the scope.
 */
export async function setStop(
  trx: StaffTransaction,
  random: Random,
  { scope, by }: { readonly scope: StopScope; readonly by: string },
): Promise<{ readonly id: string; readonly machines: readonly string[] }> {
  const machines = (await deskFloor(wholeOf(trx))).filter((one) => inScope(scope, one));
  if (machines.length === 0) throw new Refused("thing.unknown", { kind: scope.is === "group" ? "group" : "machine" });
  const control = wholeOf(trx).withTables<ControlTables>();
  const stopped: StoppedMachine[] = [];
  // In the order of their ids, as every other place that locks many seats.
  for (const { id: machineId } of machines) {
    const changed = await changeMode(control, machineId, "emergency-stop", { by, reason: "emergency stop" });
    if (changed.is !== "unknown") stopped.push({ id: machineId, was: changed.was });
  }
  const id = await noteStop(trx, random, { scope, by, machines: stopped, reason: null });
  return { id, machines: stopped.map(({ id: machineId }) => machineId) };
}

/** What staff wanted of it before; `stopped`: another stop was first. */
type StoppedMachine = { readonly id: string; readonly was: MachineMode };

export type NewStop = {
  readonly scope: StopScope;
  /** A staff id, or `root:` and the system user who acted without a sign-in. */
  readonly by: string;
  readonly machines: readonly StoppedMachine[];
  readonly reason: string | null;
};

/** Writes down who stopped which machines, and what was wanted of each before it was stopped at all. */
export async function noteStop(
  trx: StaffTransaction,
  random: Random,
  { scope, by, machines, reason }: NewStop,
): Promise<string> {
  const id = newId(random, "st");
  await trx
    .insertInto("emergency_stop")
    .values({ id, scope: JSON.stringify(scope), set_by: by, reason })
    .execute();
  const rows: StaffTables["emergency_stop_machine"][] = [];
  for (const { id: machine_id, was } of machines)
    rows.push({ stop_id: id, machine_id, was: was === "stopped" ? await modeBefore(trx, machine_id) : was });
  await trx.insertInto("emergency_stop_machine").values(rows).execute();
  return id;
}

/** What was wanted of a machine before it was stopped, as its newest stop has it. */
async function modeBefore(trx: StaffTransaction, machineId: string): Promise<"open" | "draining" | "disabled"> {
  const row = await trx
    .selectFrom("emergency_stop_machine as m")
    .innerJoin("emergency_stop as s", "s.id", "m.stop_id")
    .select("m.was")
    .where("m.machine_id", "=", machineId)
    .orderBy("s.set_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.was ?? "open";
}

/** Stops none of whose machines is stopped any more are released: the command line on the server opened each of them. */
export async function closeEmptyStops(trx: StaffTransaction, by: string): Promise<void> {
  const stopped = (await deskFloor(wholeOf(trx))).filter(({ mode }) => mode === "stopped").map(({ id }) => id);
  await trx
    .updateTable("emergency_stop as s")
    .set({ released_at: databaseNow(), released_by: [by] })
    .where("s.released_at", "is", null)
    .where(
      sql<boolean>`not exists (select from emergency_stop_machine m where m.stop_id = s.id and m.machine_id = any(${stopped}::text[]))`,
    )
    .execute();
}

/** Writes down why. Once: it is kept as it was written. @throws Refused. */
export async function writeStopReason(trx: StaffTransaction, id: string, reason: string): Promise<void> {
  const written = await trx
    .updateTable("emergency_stop")
    .set({ reason })
    .where("id", "=", id)
    .where("reason", "is", null)
    .executeTakeFirstOrThrow();
  if (written.numUpdatedRows > 0n) return;
  const known = await trx.selectFrom("emergency_stop").select("id").where("id", "=", id).executeTakeFirst();
  if (known === undefined) throw new Refused("thing.unknown", { kind: "stop" });
  throw new Refused("act.refused", { sentence: "The reason is written already." });
}

/** The stop that may be released, locked until the transaction ends. @throws Refused. */
export async function lockStop(trx: StaffTransaction, id: string): Promise<{ readonly machines: readonly string[] }> {
  const row = await trx
    .selectFrom("emergency_stop")
    .select("released_at")
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new Refused("thing.unknown", { kind: "stop" });
  if (row.released_at !== null) throw new Refused("approval.changed");
  const machines = await trx
    .selectFrom("emergency_stop_machine")
    .select("machine_id")
    .where("stop_id", "=", id)
    .orderBy("machine_id")
    .execute();
  return { machines: machines.map(({ machine_id }) => machine_id) };
}

/**
 * Lets play continue: each machine that no other stop still holds goes back to what was wanted of it before. @returns the machines that did.
 * @throws Refused `approval.changed`: it was released before.
 */
export async function releaseStop(
  trx: StaffTransaction,
  {
    id,
    by,
    reason,
    people,
  }: { readonly id: string; readonly by: string; readonly reason: string; readonly people: readonly string[] },
): Promise<readonly string[]> {
  const { machines } = await lockStop(trx, id);
  await trx
    .updateTable("emergency_stop")
    .set({ released_at: databaseNow(), released_by: [...people] })
    .where("id", "=", id)
    .execute();
  const control = wholeOf(trx).withTables<ControlTables>();
  const released: string[] = [];
  for (const machineId of machines) {
    // The seat's lock first: another stop either is seen here, or comes after and stops the machine again.
    await readWish(control, machineId);
    if (await isHeld(trx, machineId)) continue;
    const before = await modeBefore(trx, machineId);
    const changed = await changeMode(control, machineId, "resume", { by, reason }, before);
    if (changed.is === "changed") released.push(machineId);
  }
  return released;
}

/** Whether a stop holds the machine which is not released. */
async function isHeld(db: Db, machineId: string): Promise<boolean> {
  const row = await db
    .selectFrom("emergency_stop_machine as m")
    .innerJoin("emergency_stop as s", "s.id", "m.stop_id")
    .select("m.stop_id")
    .where("s.released_at", "is", null)
    .where("m.machine_id", "=", machineId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Stops that hold, the oldest first: all, or those of one machine. */
export async function openStops(db: Db, machineId: string | undefined): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("emergency_stop as s")
    .select("s.id")
    .where("s.released_at", "is", null)
    .$if(machineId !== undefined, (query) =>
      query.where("s.id", "in", (those) =>
        those
          .selectFrom("emergency_stop_machine")
          .select("stop_id")
          .where("machine_id", "=", machineId ?? ""),
      ),
    )
    .orderBy("s.set_at")
    .execute();
  return rows.map(({ id }) => id);
}

/** Stops that hold, and those of the last day; the newest first. */
export async function listStops(db: Db, floor: readonly DeskMachine[], id?: string): Promise<Stop[]> {
  const rows = await db
    .selectFrom("emergency_stop as s")
    .selectAll("s")
    .select([
      sql<
        string[]
      >`array(select machine_id from emergency_stop_machine m where m.stop_id = s.id order by machine_id)`.as(
        "machines",
      ),
      sql<string | null>`(select a.id from approval a join staff_sign_in i on i.id = a.sign_in_id
        where a.kind = 'stop.release' and a.subject = 'stop:' || s.id and a.state = 'waiting' and a.expires_at > clock_timestamp()
          and i.ended_at is null and i.expires_at > clock_timestamp() order by a.requested_at limit 1)`.as("approval"),
    ])
    .where((row) =>
      row.or([row("s.released_at", "is", null), sql<boolean>`s.released_at > clock_timestamp() - interval '1 day'`]),
    )
    .$if(id !== undefined, (query) => query.where("s.id", "=", id ?? ""))
    .orderBy("s.set_at", "desc")
    .limit(100)
    .execute();
  const names = await namesOf(
    db,
    rows.flatMap(({ set_by, released_by }) => [set_by, ...released_by]),
  );
  const byId = new Map(floor.map((machine) => [machine.id, machine]));
  return rows.map((row) => {
    const machines = row.machines.flatMap((machineId) => byId.get(machineId) ?? []);
    return {
      id: row.id,
      scope: row.scope,
      setBy: personOf(names, row.set_by),
      setAt: row.set_at.toISOString(),
      reason: row.reason,
      releasedBy: row.released_by.map((person) => personOf(names, person)),
      releasedAt: row.released_at?.toISOString() ?? null,
      approval: row.approval,
      machines: machines.map((machine) => ({
        machine: { id: machine.id, name: machine.name },
        is: stateOf(machine),
        credit: machine.credit,
        home: machine.player === null && machine.credit === 0,
      })),
      agentsAway: [...new Set(machines.filter(({ answers }) => !answers).map(({ agentId }) => agentId))],
    };
  });
}

/** A machine that does not answer receives it as soon as it does; until then its own buttons may work. */
function stateOf({ answers, player, lamp }: DeskMachine): Stop["machines"][number]["is"] {
  if (!answers) return "unreachable";
  return player === null && lamp === "notAvailable" ? "stopped" : "stopping";
}

/** Names of people by what is kept of them: a staff id, or `root:` and the system user who acted without a sign-in. */
export async function namesOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const rows = await db.selectFrom("staff").select(["id", "name"]).where("id", "in", wanted).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** A person as the contract names one. The command line on the server acts without an account. */
export function personOf(names: ReadonlyMap<string, string>, id: string): { id: string; name: string } {
  const name = names.get(id);
  return name === undefined ? { id: "command-line", name: id.replace(/^cli:/, "") } : { id, name };
}

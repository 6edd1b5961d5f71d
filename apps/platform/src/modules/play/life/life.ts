import type { Kysely, Transaction } from "kysely";
import { sql } from "kysely";
import { databaseNow } from "../../../database-time.ts";
import { renameMachine } from "../machines.ts";
import { isQuietAtRest } from "./at-rest.ts";
import type { LifeState, LifeTables } from "./tables.ts";

export type { LifeState } from "./tables.ts";

type Trx = Transaction<LifeTables>;
export type LifeAnswer = { readonly is: "done" } | { readonly is: "refused"; readonly sentence: string };
/** `by`: an actor of the audit log, such as `staff:eva`. */
type By = { readonly by: string; readonly reason: string };

const DONE: LifeAnswer = { is: "done" };
const refused = (sentence: string): LifeAnswer => ({ is: "refused", sentence });

export type NewMachine = {
  readonly machineId: string;
  /** Only this agent may bring it; null: the first one that does. */
  readonly agentId: string | null;
  readonly name: string | null;
  readonly group: string | null;
  /** Percent times 100; null: not known. */
  readonly theoreticalReturn: number | null;
};

/** Enrols a machine before its agent brings it. Refuses an id that was ever used: its history would be another machine's. */
export async function enrolMachine(trx: Trx, machine: NewMachine, { by, reason }: By): Promise<LifeAnswer> {
  const { machineId } = machine;
  const added = await trx
    .insertInto("machine_life")
    .values({
      machine_id: machineId,
      state: "expected",
      agent_id: machine.agentId,
      name: machine.name,
      theoretical_return: machine.theoreticalReturn,
      changed_by: by,
      reason,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (added.numInsertedOrUpdatedRows !== 1n) return refused(`There is a machine ${machineId} already.`);
  if (machine.group !== null) await wishGroup(trx, machineId, machine.group);
  return DONE;
}

/** What changes of a machine; what is absent stays. */
export type Move = {
  /** Null: the agent that brings it. */
  readonly agentId?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly group?: string | undefined;
  readonly theoreticalReturn?: number | null | undefined;
};

/** Gives a machine another agent, name, group or paytable figure. To another agent it goes only at rest: only its agent's journal has what it owes. */
export async function moveMachine(trx: Trx, machineId: string, move: Move, { by, reason }: By): Promise<LifeAnswer> {
  const life = await lockLife(trx, machineId);
  if (life === undefined) return refused(`There is no machine ${machineId}.`);
  if (life.state === "retired") return refused(`${machineId} is retired.`);
  const agentId = move.agentId === undefined ? life.agent_id : move.agentId;
  if (agentId !== null && agentId !== life.agent_id) {
    const agent = await trx.selectFrom("agent").select("revoked_at").where("id", "=", agentId).executeTakeFirst();
    if (agent === undefined || agent.revoked_at !== null) return refused("There is no such agent with a key.");
    const open = await isQuietAtRest(trx, machineId);
    if (open !== null) return refused(open);
  }
  const name = move.name === undefined ? life.name : move.name;
  const theoretical_return = move.theoreticalReturn === undefined ? life.theoretical_return : move.theoreticalReturn;
  await trx
    .updateTable("machine_life")
    .set({ agent_id: agentId, name, theoretical_return, changed_by: by, reason })
    .where("machine_id", "=", machineId)
    .execute();
  if (move.group !== undefined) await wishGroup(trx, machineId, move.group);
  // Without a name of the venue's own the agent reports the machine's at its next link.
  if (name !== null && name !== life.name) await renameMachine(trx, machineId, name);
  return DONE;
}

/** Takes a machine out of the lobby and off the floor. Refuses while anything of it is open. One that never came is forgotten. */
export async function retireMachine(trx: Trx, machineId: string, { by, reason }: By): Promise<LifeAnswer> {
  const life = await lockLife(trx, machineId);
  if (life === undefined) return refused(`There is no machine ${machineId}.`);
  if (life.state === "retired") return refused(`${machineId} is retired already.`);
  if (life.state === "expected") {
    await trx.deleteFrom("machine_life").where("machine_id", "=", machineId).execute();
    return DONE;
  }
  const open = await isQuietAtRest(trx, machineId);
  if (open !== null) return refused(open);
  await trx
    .updateTable("machine_life")
    .set({ state: "retired", retired_at: databaseNow(), changed_by: by, reason })
    .where("machine_id", "=", machineId)
    .execute();
  return DONE;
}

/** Brings a retired machine back into service, with its history. */
export async function returnMachine(trx: Trx, machineId: string, { by, reason }: By): Promise<LifeAnswer> {
  const life = await lockLife(trx, machineId);
  if (life?.state !== "retired") return refused(`There is no retired machine ${machineId}.`);
  await trx
    .updateTable("machine_life")
    .set({ state: "inService", retired_at: null, changed_by: by, reason })
    .where("machine_id", "=", machineId)
    .execute();
  return DONE;
}

async function lockLife(db: Kysely<LifeTables>, machineId: string) {
  return await db
    .selectFrom("machine_life")
    .selectAll()
    .where("machine_id", "=", machineId)
    .forUpdate()
    .executeTakeFirst();
}

/** Puts a machine that is here into a group: the hall or bank where it stands. */
export async function moveToGroup(trx: Pick<Trx, "insertInto">, machineId: string, name: string): Promise<void> {
  await trx
    .insertInto("machine_group")
    .values({ machine_id: machineId, name })
    .onConflict((conflict) => conflict.column("machine_id").doUpdateSet({ name }))
    .execute();
}

/** A machine that never came has no row that a group could name: it is given its group when it comes. */
async function wishGroup(trx: Trx, machineId: string, group: string): Promise<void> {
  const here = await trx.selectFrom("machine").select("id").where("id", "=", machineId).executeTakeFirst();
  if (here !== undefined) return await moveToGroup(trx, machineId, group);
  await trx.updateTable("machine_life").set({ group_wanted: group }).where("machine_id", "=", machineId).execute();
}

/** A machine that an agent may bring, with what the venue calls it; `skipped`: why it may not. */
export type Admitted =
  | {
      readonly is: "admitted";
      readonly name: string | null;
      /** Staff gave it to this agent. */
      readonly isBound: boolean;
    }
  | { readonly is: "skipped"; readonly sentence: string };

/** Whether an agent may bring a machine now. Others of the same agent go on without it. @param enrolFirst machines that staff did not enrol stay out. */
export async function admits(
  db: Kysely<LifeTables>,
  machineId: string,
  agentId: string,
  enrolFirst: boolean,
): Promise<Admitted> {
  const life = await lockLife(db, machineId);
  if (life === undefined) {
    if (enrolFirst) return { is: "skipped", sentence: `The machine ${machineId} is not enrolled` };
    return { is: "admitted", name: null, isBound: false };
  }
  if (life.state === "retired") return { is: "skipped", sentence: `The machine ${machineId} is retired` };
  if (life.agent_id !== null && life.agent_id !== agentId)
    return { is: "skipped", sentence: `The machine ${machineId} is another agent's: take it out of this one's file` };
  return { is: "admitted", name: life.name, isBound: life.agent_id !== null };
}

/** A machine has come: it is in service, in the group that was wanted for it. */
export async function beginService(trx: Trx, machineId: string, agentId: string): Promise<void> {
  const begun = await trx
    .insertInto("machine_life")
    .values({
      machine_id: machineId,
      state: "inService",
      agent_id: null,
      name: null,
      theoretical_return: null,
      changed_by: `agent:${agentId}`,
      reason: "",
    })
    .onConflict((conflict) =>
      conflict
        .column("machine_id")
        .doUpdateSet({ state: "inService", changed_by: `agent:${agentId}` })
        .where("machine_life.state", "=", "expected"),
    )
    .returning("group_wanted")
    .executeTakeFirst();
  if (begun?.group_wanted != null) await moveToGroup(trx, machineId, begun.group_wanted);
}

/** A machine's life as staff sees it. */
export type Life = {
  readonly machineId: string;
  readonly name: string;
  readonly state: LifeState;
  readonly group: string | null;
  /** That brings it, or that it is bound to. */
  readonly agent: { readonly id: string; readonly name: string } | null;
  /** Only that agent may bring it. */
  readonly isBound: boolean;
  readonly theoreticalReturn: number | null;
  readonly enrolledAt: Date;
  readonly retiredAt: Date | null;
  readonly changedBy: string;
  readonly reason: string;
};

/** Every machine that was ever enrolled, by id. */
export async function listLife(db: Kysely<unknown>, machineId?: string): Promise<Life[]> {
  const rows = await db
    .withTables<LifeTables>()
    .selectFrom("machine_life as l")
    .leftJoin("machine as m", "m.id", "l.machine_id")
    .leftJoin("agent as a", (join) => join.on("a.id", "=", sql<string>`coalesce(l.agent_id, m.agent_id)`))
    .selectAll("l")
    .select(["m.facts", "a.id as agentId", "a.name as agentName"])
    .select(
      sql<
        string | null
      >`coalesce((select g.name from machine_group g where g.machine_id = l.machine_id), l.group_wanted)`.as("group"),
    )
    .$if(machineId !== undefined, (query) => query.where("l.machine_id", "=", machineId ?? ""))
    .orderBy("l.machine_id")
    .execute();
  return rows.map((row) => ({
    machineId: row.machine_id,
    name: row.name ?? row.facts?.name ?? row.machine_id,
    state: row.state,
    group: row.group,
    agent: row.agentId === null || row.agentName === null ? null : { id: row.agentId, name: row.agentName },
    isBound: row.agent_id !== null,
    theoreticalReturn: row.theoretical_return,
    enrolledAt: row.enrolled_at,
    retiredAt: row.retired_at,
    changedBy: row.changed_by,
    reason: row.reason,
  }));
}

/** One machine's life; undefined: no such machine was ever enrolled. */
export async function lifeOf(db: Kysely<unknown>, machineId: string): Promise<Life | undefined> {
  return (await listLife(db, machineId))[0];
}

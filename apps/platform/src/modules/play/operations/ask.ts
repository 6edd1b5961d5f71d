import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Random } from "../../../random.ts";
import { newId } from "../../../random.ts";
import { machineExists } from "../machines.ts";
import type { OperationAnswer, OperationBody, OperationKind } from "./kinds.ts";
import type { OperationsTables } from "./tables.ts";

const BEGIN_WITHIN_MS = 10_000;
/** How much longer its answer is waited for, ms. */
const ANSWER_WITHIN_MS = 30_000;
/** How often the row is looked at, ms. */
const LOOK_MS = 100;

export type AskDeps = {
  readonly db: Kysely<unknown>;
  readonly random: Random;
  /** Waits for so many ms. */
  pause(ms: number): Promise<void>;
};

export type OperationOrder<K extends OperationKind> = {
  readonly kind: K;
  /** Absent: it is about no machine, and any node may do it. */
  readonly machineId?: string | undefined;
  readonly body: OperationBody<K>;
  /** Who asks, 1 to 100 characters; kept for ever. */
  readonly by: string;
  /** A command that no node has begun by then is not begun any more, ms. */
  readonly beginWithinMs?: number;
};

/**
 * Asks the running platform for something and waits for its answer, over the database. It is done at most once, and never after this has
 * returned `notAccepted`.
 */
export async function askOperation<K extends OperationKind>(
  deps: AskDeps,
  { kind, machineId, body, by, beginWithinMs = BEGIN_WITHIN_MS }: OperationOrder<K>,
): Promise<OperationAnswer> {
  const db = deps.db.withTables<OperationsTables>();
  if (machineId !== undefined && !(await machineExists(deps.db, machineId)))
    return { is: "refused", sentence: `There is no machine "${machineId.slice(0, 64)}" here.` };
  const id = newId(deps.random, "op");
  await sql`insert into operator_command (id, kind, machine_id, body, asked_by, expires_at) values
    (${id}, ${kind}, ${machineId ?? null}, ${JSON.stringify(body)}, ${by}, clock_timestamp() + ${beginWithinMs} * interval '1 millisecond')`.execute(
    db,
  );
  for (;;) {
    const answer = await look(db, id);
    if (answer !== undefined) return answer;
    await deps.pause(LOOK_MS);
  }
}

type Db = Kysely<OperationsTables>;

async function look(db: Db, id: string): Promise<OperationAnswer | undefined> {
  const row = await db
    .selectFrom("operator_command")
    .select([
      "answer",
      "taken_by",
      sql<boolean>`expires_at <= clock_timestamp()`.as("expired"),
      sql<boolean>`expires_at + ${ANSWER_WITHIN_MS} * interval '1 millisecond' <= clock_timestamp()`.as("late"),
    ])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  if (row.answer !== null) return row.answer;
  if (row.taken_by === null) return row.expired ? await giveUp(db, id) : undefined;
  if (!row.late) return undefined;
  return {
    is: "unknown",
    sentence: `The platform (${row.taken_by}) has begun it and did not say what became of it: look before you ask again.`,
  };
}

/** Undefined: a node was quicker. */
async function giveUp(db: Db, id: string): Promise<OperationAnswer | undefined> {
  const answer: OperationAnswer = {
    is: "refused",
    notAccepted: true,
    sentence:
      "Nothing was done: no platform runs on this database, or the machine's agent is not connected. Start what is missing and repeat the command.",
  };
  const { numUpdatedRows } = await db
    .updateTable("operator_command")
    .set({ answer: JSON.stringify(answer), answered_at: sql<Date>`clock_timestamp()` })
    .where("id", "=", id)
    .where("taken_at", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n ? answer : undefined;
}

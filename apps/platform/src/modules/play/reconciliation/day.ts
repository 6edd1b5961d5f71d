import type { Kysely } from "kysely";
import { sql } from "kysely";
import { keepDay } from "../books/index.ts";
import type { ReconcileParts } from "./deps.ts";
import type { Proved, Scope } from "./prove.ts";
import { prove } from "./prove.ts";
import { readFree } from "./read-machines.ts";

const DAY_MS = 86_400_000;
/** Free machines whose meters are read at once. */
const ASKED_AT_ONCE = 8;

/**
 * The first UTC day that is over and not reconciled yet, by the database's clock: each one since the last that is, however long the
 * platform was away; of a house that has reconciled none, yesterday.
 */
async function openDay(db: ReconcileParts["deps"]["db"]): Promise<string | null> {
  const { rows } = await sql<{ day: string }>`
    with known as (select (clock_timestamp() at time zone 'utc')::date - 1 as yesterday,
      (select max(day) from reconciliation where scope = 'day') as last)
    select coalesce(last + 1, yesterday)::text as day from known where last is null or last < yesterday`.execute(db);
  return rows[0]?.day ?? null;
}

/** Reads the meters of this node's free machines. */
export async function readAllFree(parts: ReconcileParts): Promise<void> {
  const waiting = parts.agents.machineIds();
  const readNext = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      try {
        await readFree(parts, id, "day");
      } catch (error) {
        parts.deps.log.error({ err: error, machineId: id }, "a free machine could not be compared with the books");
      }
    }
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, readNext));
}

/**
 * Once per UTC day: proves the first one that is open and keeps the outcome, once among all nodes. What does not agree calls for staff, and so does a
 * proof that could not be made: it is not tried again and again beside people who play. @returns how many checks went wrong; null: there
 * was nothing to do.
 */
export async function reconcileDay({ deps }: ReconcileParts): Promise<number | null> {
  const day = await openDay(deps.db);
  if (day === null) return null;
  const from = new Date(`${day}T00:00:00Z`);
  const wrong = await wrongIn(deps, { is: "period", from, to: new Date(from.getTime() + DAY_MS) });
  if (!(await keepDay(deps.db, { day, nodeId: deps.config.play.NODE_ID, wrong }))) return null;
  deps.log.info({ day, agrees: wrong.length === 0 }, "a day is reconciled");
  for (const { name, count, breaches } of wrong) {
    const facts = { day, check: name, count, first: breaches[0] };
    deps.alarms.raise("reconciliation", `${day} ${name}`, facts, "a day does not reconcile");
  }
  return wrong.length;
}

async function wrongIn({ db, log }: ReconcileParts["deps"], scope: Scope): Promise<Proved[]> {
  try {
    const { checks } = await prove(db as unknown as Kysely<unknown>, scope);
    return checks.filter(({ count }) => count > 0);
  } catch (error) {
    log.error({ err: error }, "a day could not be proved");
    const detail = error instanceof Error ? error.message : String(error);
    const breaches = [{ subject: "proof", detail: `${detail}: prove it with longarm reconcile` }];
    return [{ name: "proof", about: "The proof could be made.", count: 1, breaches }];
  }
}

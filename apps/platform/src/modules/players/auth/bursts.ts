import type { Kysely, Selectable, Transaction } from "kysely";
import { sql } from "kysely";
import { limitKey } from "../../../plugins/client-address.ts";
import type { Audit } from "../../records/audit/index.ts";
import type { AuthTables, RefusedProblem } from "./tables.ts";
import { REFUSED_TYPES } from "./tables.ts";

/** A burst is over when nothing of it has happened for so long, seconds. */
const QUIET_SECONDS = 60;
/** One that continues is reported again after so long, seconds. */
const AGAIN_SECONDS = 600;
/** Open bursts of one network; further names share one. */
const NAMES_PER_NETWORK = 10;
/** Open bursts altogether; what exceeds them shares one burst of all networks. Nodes that begin some in the same moment may exceed it by those. */
const OPEN_MAX = 300;
/** Is written to the columns of subjects and networks for several of them. */
const SEVERAL = "";

export type Refused = { readonly problem: RefusedProblem; readonly subject: string; readonly address: string };
type Burst = Selectable<AuthTables["sign_in_burst"]>;
type Key = Pick<Burst, "problem" | "subject" | "network">;

/**
 * Refused sign-ins, written to the audit log as bursts: one entry when one begins, one with the count when it is over, and some between them
 * while it lasts. What is counted is a row, so a node that is killed loses nothing, and any node may write the end.
 */
export function createBursts(db: Kysely<AuthTables>, audit: Audit) {
  /** Counts one refusal. An unknown name takes the same steps as a known one. */
  async function note({ problem, subject, address }: Refused): Promise<void> {
    const own = { problem, subject, network: limitKey(address) };
    if (await countInOpen(db, own)) return;
    await db.transaction().execute(async (transaction) => {
      const key = await placeFor(transaction, own);
      const burst = await transaction
        .insertInto("sign_in_burst")
        .values({ ...key, address })
        .onConflict((conflict) => conflict.columns(["network", "subject", "problem"]).doUpdateSet(oneMore))
        .returningAll()
        .executeTakeFirstOrThrow();
      if (burst.times === 1) await write(audit.within(transaction), burst, {});
    });
  }

  /** Reports bursts that are over and removes their rows; reports those that last long. Rows that another node's round holds are left to it. */
  async function round(): Promise<void> {
    await db.transaction().execute(async (transaction) => {
      const isOver = sql<boolean>`last_at < clock_timestamp() - make_interval(secs => ${QUIET_SECONDS})`;
      const due = await transaction
        .selectFrom("sign_in_burst")
        .selectAll()
        .select(isOver.as("over"))
        .where((row) =>
          row.or([isOver, sql<boolean>`told_at < clock_timestamp() - make_interval(secs => ${AGAIN_SECONDS})`]),
        )
        .forUpdate()
        .skipLocked()
        .execute();
      for (const { over, ...burst } of due) await tell(transaction, burst, over);
    });
  }

  async function tell(transaction: Transaction<AuthTables>, burst: Burst, over: boolean): Promise<void> {
    const { times, first_at: firstAt, last_at: lastAt, problem, subject, network } = burst;
    // The entry of its beginning says everything about a single refusal.
    if (times > 1) await write(audit.within(transaction), burst, { times, firstAt, lastAt, over });
    const row = { problem, subject, network };
    if (over) await transaction.deleteFrom("sign_in_burst").where(isRow(row)).execute();
    else
      await transaction
        .updateTable("sign_in_burst")
        .set({ told_at: sql`clock_timestamp()` })
        .where(isRow(row))
        .execute();
  }

  return { note, round };
}
export type Bursts = ReturnType<typeof createBursts>;

const oneMore = { times: sql<number>`sign_in_burst.times + 1`, last_at: sql<Date>`clock_timestamp()` };

const isRow = ({ problem, subject, network }: Key) =>
  sql<boolean>`(network, subject, problem) = (${network}, ${subject}, ${problem})`;

async function countInOpen(db: Kysely<AuthTables>, key: Key): Promise<boolean> {
  const counted = await db.updateTable("sign_in_burst").set(oneMore).where(isRow(key)).executeTakeFirst();
  return counted.numUpdatedRows > 0n;
}

/**
 * Where a refusal is counted that has no open burst of its own: a flood over many names or networks must not fill the log. A shared burst
 * takes all that is new until it is over, or a flood that goes on would begin its own ones again each minute.
 */
async function placeFor(db: Kysely<AuthTables>, own: Key): Promise<Key> {
  const { open, here, sharedHere, sharedByAll } = await db
    .selectFrom("sign_in_burst")
    .select([
      sql<number>`count(*)::int`.as("open"),
      sql<number>`(count(*) filter (where network = ${own.network}))::int`.as("here"),
      sql<boolean | null>`bool_or(network = ${own.network} and subject = ${SEVERAL})`.as("sharedHere"),
      sql<boolean | null>`bool_or(network = ${SEVERAL})`.as("sharedByAll"),
    ])
    .executeTakeFirstOrThrow();
  if (sharedHere || here >= NAMES_PER_NETWORK) return { ...own, subject: SEVERAL };
  if (sharedByAll || open >= OPEN_MAX) return { ...own, subject: SEVERAL, network: SEVERAL };
  return own;
}

async function write(audit: Audit, { problem, subject, network, address }: Burst, count: object): Promise<void> {
  await audit.write({
    type: REFUSED_TYPES[problem],
    actor: "visitor",
    ...(subject !== SEVERAL && { subject }),
    ...(network !== SEVERAL && { address }),
    facts: {
      problem,
      ...(subject === SEVERAL && { names: "several" }),
      ...(network === SEVERAL && { addresses: "several" }),
      ...count,
    },
  });
}

import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type { KillHouse } from "./house.ts";
import { playDb } from "./house.ts";
import type { Target } from "./targets.ts";

/** How things stood before a kill: what is seen after it must be newer. */
export type Before = {
  readonly links: ReadonlyMap<string, string>;
  /** When the server's own checkpointer began, ms: it is started anew by every recovery. */
  readonly recoveredAt: number;
};

const LOOK_MS = 20;

export async function lookBefore({ db }: KillHouse): Promise<Before> {
  return { links: await linksOf(db), recoveredAt: await recoveredAt(db) };
}

/** Waits until all that was killed serves again: the platform says ready, and every machine can be asked over a link of its own. */
export async function servesAgain(
  house: KillHouse,
  killed: readonly Target[],
  before: Before,
  endsAt: number,
): Promise<boolean> {
  return await until(endsAt, async () => {
    const ready = await fetch(`${house.house.href}/readyz`, { signal: AbortSignal.timeout(5_000) });
    if (!ready.ok) return false;
    if (killed.some((target) => target.startsWith("database")) && (await recoveredAt(house.db)) <= before.recoveredAt)
      return false;
    const links = await linksOf(house.db);
    return Object.entries(house.machines).every(([agent, machines]) => {
      const mustBeNew = killed.includes("platform") || killed.includes(agent as Target);
      return machines.every((id) => links.has(id) && (!mustBeNew || links.get(id) !== before.links.get(id)));
    });
  });
}

/** Waits until every transfer that was asked before now is decided. */
export async function allDecided({ db }: KillHouse, endsAt: number): Promise<boolean> {
  let since: Date | undefined;
  return await until(endsAt, async () => {
    since ??= await databaseNow(db);
    const { open } = await playDb(db)
      .selectFrom("machine_transfer")
      .select(({ fn }) => fn.countAll<number>().as("open"))
      .where("state", "in", ["asking", "unknown"])
      .where("created_at", "<=", since)
      .executeTakeFirstOrThrow();
    return open === 0;
  });
}

/** Asks again and again; a database that is away has not answered yet. */
export async function until(endsAt: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (;;) {
    if (await holds().catch(() => false)) return true;
    if (performance.now() > endsAt) return false;
    await pause(LOOK_MS);
  }
}

/** The link of every machine that can be asked. */
async function linksOf(db: KillHouse["db"]): Promise<Map<string, string>> {
  const rows = await playDb(db)
    .selectFrom("agent_link as l")
    .innerJoin("machine as m", "m.id", "l.machine_id")
    .select(["m.id", "l.link_id"])
    .where("m.offline", "=", false)
    .where(sql<boolean>`l.lease_until > clock_timestamp()`)
    .execute();
  return new Map(rows.map(({ id, link_id }) => [id, link_id]));
}

async function recoveredAt({ kysely }: KillHouse["db"]): Promise<number> {
  const { rows } = await sql<{ at: Date }>`
    select backend_start as at from pg_stat_activity where backend_type = 'checkpointer'`.execute(kysely);
  return rows[0]?.at.getTime() ?? 0;
}

async function databaseNow({ kysely }: KillHouse["db"]): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(kysely);
  return rows[0]?.now ?? new Date(0);
}

import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { PlatformDeps } from "../../deps.ts";
import { NameLock } from "./name-lock.ts";

/** Which platform processes on this database live. */
export interface Nodes {
  /**
   * Takes this process's name before anything is done under it. A process of that name that has just been killed is waited for.
   * @throws NodeNameTaken while another process lives under the name.
   */
  hold(): Promise<void>;
  /** Those of these nodes that have ended. Empty while this node cannot judge: it has just come, or lost its own name for a moment. */
  ended(nodeIds: readonly string[]): Promise<string[]>;
  close(): void;
}

/** Two processes were given one name. */
export class NodeNameTaken extends Error {
  override readonly name = "NodeNameTaken";
}

const TRY_EVERY_MS = 200;
const TRY_MS_MAX = 20_000;
/** After the database was away all nodes take their names again: who is back first judges nobody for this long, ms. */
const JUDGES_AFTER_MS = 2_000;

export type NodesDeps = Pick<PlatformDeps, "clock" | "log"> & {
  readonly db: Pick<PlatformDeps["db"], "pool"> & { readonly kysely: Kysely<unknown> };
};

export function createNodes({ db, clock, log }: NodesDeps, ownId: string): Nodes {
  const lock = new NameLock(db.pool, { clock, log }, ownId);
  return {
    async hold() {
      const until = clock.now() + TRY_MS_MAX;
      for (let isFirst = true; !(await lock.take()); isFirst = false) {
        if (isFirst) log.warn({ node: ownId }, "another process has this node's name, it is waited for");
        if (clock.now() >= until)
          throw new NodeNameTaken(
            `Another platform process lives under the name "${ownId}" on this database: give each a NODE_ID of its own, or stop that one.`,
          );
        await new Promise<void>((next) => clock.after(TRY_EVERY_MS, next));
      }
    },
    async ended(nodeIds) {
      if (lock.heldSince === undefined || (lock.wasLost && clock.now() - lock.heldSince < JUDGES_AFTER_MS)) return [];
      const others = [...new Set(nodeIds)].filter((id) => id !== ownId);
      return others.length === 0 ? [] : await endedNodes(db.kysely, others);
    },
    close: () => lock.close(),
  };
}

/** Those of these nodes whose process holds its name no more: it has ended, or never was. A node asks about others, never about itself. */
export async function endedNodes(kysely: Kysely<unknown>, nodeIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${nodeIds}::text[]) as id where not exists (
      select from pg_locks l
      where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
        and l.database = (select oid from pg_database where datname = current_database())
        and ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended('longarm node ' || id, 0))`.execute(
    kysely,
  );
  return rows.map(({ id }) => id);
}

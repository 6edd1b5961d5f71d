import type { DatabaseClient, DatabasePool } from "@longarm/database/connection";
import type { Log } from "@longarm/database/log";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Clock, Stop } from "./clock.ts";
import type { PlatformDeps } from "./deps.ts";

export type { NodesTables } from "./modules/play/tables.ts";

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

/** After the connection with the lock was lost it is taken again this often, ms. */
const AGAIN_MS = 250;

/** The key of a node's name among the advisory locks of the platform's database. */
const KEY = "hashtextextended('longarm node ' || $1, 0)";

/**
 * A node's name as an advisory lock of a database connection that is open for nothing else: PostgreSQL lets it go as soon as the process is gone,
 * however it ended. A connection that breaks is opened again, and the name taken again.
 */
class NameLock {
  readonly #pool: DatabasePool;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #name: string;
  #client: DatabaseClient | undefined;
  #stopTrying: Stop = () => {};
  #closed = false;
  /** Since when the lock is held, ms. */
  heldSince: number | undefined;
  /** It was lost at least once since it was first taken, as all nodes lose theirs when the database restarts. */
  wasLost = false;

  constructor(pool: DatabasePool, { clock, log }: { readonly clock: Clock; readonly log: Log }, name: string) {
    this.#pool = pool;
    this.#clock = clock;
    this.#log = log;
    this.#name = name;
  }

  /** Answers whether the name is ours now; false: another process has it. Rejects while the database is away. */
  async take(): Promise<boolean> {
    const client = await this.#pool.connect();
    try {
      // A computer that lost its power says nothing: the server has to look whether we are there.
      await client.query("set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3");
      const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${KEY}) as taken`, [
        this.#name,
      ]);
      if (rows[0]?.taken !== true || this.#closed) {
        client.release(true);
        return false;
      }
    } catch (error) {
      client.release(true);
      throw error;
    }
    const lost = (): void => this.#lost(client);
    // Kept to the end: an error nobody listens to would end the process.
    client.on("error", lost).on("end", lost);
    this.#client = client;
    this.heldSince = this.#clock.now();
    return true;
  }

  close(): void {
    this.#closed = true;
    this.#stopTrying();
    const client = this.#client;
    this.#client = undefined;
    this.heldSince = undefined;
    client?.release(true);
  }

  #lost(client: DatabaseClient): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.heldSince = undefined;
    this.wasLost = true;
    client.release(true);
    this.#log.warn({ node: this.#name }, "the connection that holds this node's name was lost, it is opened again");
    this.#again();
  }

  #again(): void {
    if (this.#closed) return;
    this.#stopTrying = this.#clock.after(AGAIN_MS, () => {
      this.take().then(
        (taken) => {
          if (!taken) this.#again();
        },
        () => this.#again(),
      );
    });
  }
}

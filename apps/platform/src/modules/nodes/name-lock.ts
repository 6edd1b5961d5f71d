import type { DatabaseClient, DatabasePool } from "@longarm/database/connection";
import type { Log } from "@longarm/database/log";
import type { Clock, Stop } from "../../clock.ts";

/** After the connection with the lock was lost it is taken again this often, ms. */
const AGAIN_MS = 250;

/** The key of a node's name among the advisory locks of the platform's database. */
const KEY = "hashtextextended('longarm node ' || $1, 0)";

/**
 * A node's name as an advisory lock of a database connection that is open for nothing else: PostgreSQL lets it go as soon as the process is gone,
 * however it ended. A connection that breaks is opened again, and the name taken again.
 */
export class NameLock {
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

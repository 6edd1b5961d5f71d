import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Log } from "./log.ts";

/** One connection of the pool, and the pool. */
export type { Pool as DatabasePool, PoolClient as DatabaseClient } from "pg";

export type DatabaseOptions = {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Maximum of connections held at once by this process. */
  readonly maxConnections: number;
  readonly log: Log;
  /** Shown in the server's own views and log. Default `longarm`. */
  readonly applicationName?: string;
  /** A statement that runs longer is cancelled. Default 15 s. */
  readonly statementTimeoutMs?: number;
  /** A server that answers nothing for this long is given up, and the statement fails with an unknown outcome. Default 5 s above `statementTimeoutMs`. */
  readonly answerTimeoutMs?: number;
  /** A transaction left open without work is ended, so that a hung process holds no account. Default 15 s. */
  readonly idleInTransactionMs?: number;
  /** How long to wait for a free connection before the call fails. Default 10 s. */
  readonly connectTimeoutMs?: number;
};

export type Database<DB> = {
  readonly kysely: Kysely<DB>;
  readonly pool: pg.Pool;
  /** Waits for open queries, then closes all connections. */
  close(): Promise<void>;
};

/** How much longer than the server's own limit an answer may take, ms. */
const ANSWER_MORE_MS = 5_000;
/** A silent connection is probed after this, ms: firewalls drop one without notice. */
const KEEP_ALIVE_MS = 30_000;

/**
 * Opens a pool; nothing connects before the first query. `bigint` comes as a number (and throws when it is no safe
 * integer), `timestamptz` as a `Date` (milliseconds: order rows by ids, not by time), `numeric` as text, `bytea` as bytes with memory of their own.
 */
export function openDatabase<DB>(options: DatabaseOptions): Database<DB> {
  const statementTimeoutMs = options.statementTimeoutMs ?? 15_000;
  const pool = new pg.Pool({
    Client: BoundedClient,
    connectionString: options.url,
    max: options.maxConnections,
    types: typeParsers,
    application_name: options.applicationName ?? "longarm",
    statement_timeout: statementTimeoutMs,
    query_timeout: options.answerTimeoutMs ?? statementTimeoutMs + ANSWER_MORE_MS,
    idle_in_transaction_session_timeout: options.idleInTransactionMs ?? 15_000,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  // Without a listener an idle connection that the server ends would end this process.
  pool.on("error", (error) => options.log.warn({ error: error.message }, "an idle database connection was lost"));
  // The same for one that is lost between two statements of a transaction: the next statement fails and reports it.
  pool.on("connect", (client) => client.on("error", () => {}));
  const kysely = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
  async function close(): Promise<void> {
    await kysely.destroy();
    // A Kysely that was never used does not end its pool.
    if (!pool.ending) await pool.end();
  }
  return { kysely, pool, close };
}

/** Feature not supported: also what a statement says that was prepared before its table had another column. */
const STALE = "0A000";

/**
 * A connection that is closed when a statement is not answered in time (`query_timeout` of the library). The server itself cancels statements that
 * take too long; one that does not answer at all is gone or frozen, and the next statement on that connection would wait for it.
 *
 * Statements that come again are prepared (record 0264).
 */
export class BoundedClient extends pg.Client {
  readonly #names = new StatementNames();

  override query(...[statement, ...more]: unknown[]): never {
    const send = super.query as (...given: unknown[]) => unknown;
    // Kysely's: text and values, without a callback.
    const isPlain = typeof statement === "string" && more.length === 1 && Array.isArray(more[0]) && more[0].length > 0;
    const result = send.call(this, isPlain ? this.#names.named(statement) : statement, ...more);
    if (!(result instanceof Promise)) return result as never;
    return result.catch((error: unknown) => {
      this.#giveUp(error);
      if (!isPlain || !this.#isStale(error) || this.getTransactionStatus() !== "I") throw error;
      // Nothing was carried out. Within a transaction that is `runTransaction`'s to repeat.
      return send.call(this, statement, ...more);
    }) as never;
  }

  /** For work of any length, such as a migration of a large table. */
  disableTimeout(): void {
    (this as unknown as { connectionParameters: { query_timeout: number } }).connectionParameters.query_timeout = 0;
  }

  /** Another node has migrated the database meanwhile: what this connection has prepared is as old. */
  #isStale(error: unknown): boolean {
    const isStale = error instanceof Error && "code" in error && error.code === STALE;
    if (isStale) this.#names.forget();
    return isStale;
  }

  #giveUp(error: unknown): void {
    if (!(error instanceof Error) || error.message !== "Query read timeout") return;
    // With a statement under way this cuts the connection instead of requesting its end from the server.
    this.end().catch(() => {});
  }
}

/** The server keeps 15 KB for a prepared statement of one table, 77 KB for one that joins three. */
const PREPARED_MAX = 256;
/** Texts that are remembered to have come once. */
const SEEN_MAX = 512;

/**
 * Under which name a connection's statements are prepared, so that the server parses a text once and plans it a few times at most. A text gets its
 * name when it comes the second time: one that lists as many values as there happen to be seldom does.
 */
class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #seen = new Set<string>();
  #given = 0;

  named(text: string): string | { readonly text: string; readonly name: string } {
    const name = this.#names.get(text) ?? this.#newName(text);
    return name === undefined ? text : { text, name };
  }

  forget(): void {
    this.#names.clear();
  }

  #newName(text: string): string | undefined {
    if (this.#given >= PREPARED_MAX) return undefined;
    if (!this.#seen.delete(text)) {
      if (this.#seen.size >= SEEN_MAX) this.#seen.clear();
      this.#seen.add(text);
      return undefined;
    }
    const name = `s${this.#given}`;
    this.#given += 1;
    this.#names.set(text, name);
    return name;
  }
}

const BIGINT = 20;
const BIGINT_ARRAY = 1016;
const BYTEA = 17;

/** A `bigint` of the database as a number. @throws RangeError outside the safe integers: rounding money is worse than stopping. */
export function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`the database returned ${text}, which is no safe integer`);
  return value;
}

function parseBigintArray(text: string): (number | null)[] {
  const inner = text.slice(1, -1);
  return inner === "" ? [] : inner.split(",").map((item) => (item === "NULL" ? null : parseBigint(item)));
}

const parseByteaOfLibrary = pg.types.getTypeParser(BYTEA, "text") as (text: string) => Buffer;

/** Bytes in memory of their own. The library cuts small values from shared pieces of 64 KiB, and a key of 32 bytes that is kept would keep its whole piece. */
function parseBytea(text: string): Buffer {
  const shared = parseByteaOfLibrary(text);
  const own = Buffer.alloc(shared.length);
  shared.copy(own);
  return own;
}

/** For our pools only; the global parsers of the library stay as they are. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (format !== "binary" && oid === BIGINT) return parseBigint;
    if (format !== "binary" && oid === BIGINT_ARRAY) return parseBigintArray;
    if (format !== "binary" && oid === BYTEA) return parseBytea;
    return pg.types.getTypeParser(oid, format as "text");
  },
} as pg.CustomTypesConfig;

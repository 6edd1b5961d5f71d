import type { ClientBase, QueryResultRow } from "pg";
import pg from "pg";
import { typeParsers } from "../type-parsers.ts";
import { SAME_WORDS } from "./catalogue.ts";

/** One question inside the transaction of a backup or a restore. */
export type Ask = <Row extends QueryResultRow = QueryResultRow>(
  sql: string,
  values?: readonly unknown[],
) => Promise<Row[]>;

export const askOf =
  (client: ClientBase): Ask =>
  async <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
    (await client.query<Row>(sql, [...values])).rows;

export type TransactionOptions = {
  readonly url: string;
  /** Shown in the server's own views. */
  readonly name: string;
  /** `isolation level …`. */
  readonly how?: string;
};

/** Runs work on a connection and in a transaction of its own, without the limits of time that a platform's queries have. */
export async function inTransaction<T>(
  { url, name, how = "" }: TransactionOptions,
  work: (client: ClientBase) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: name, types: typeParsers, keepAlive: true });
  // The query that runs then fails by itself; an idle one must not end this process.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(`begin transaction ${how}`);
    await client.query(SAME_WORDS);
    const done = await work(client);
    await client.query("commit");
    return done;
  } finally {
    // What was not committed is taken back with the connection.
    await client.end();
  }
}

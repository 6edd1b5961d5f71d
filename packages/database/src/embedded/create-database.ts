import pg from "pg";
import { ROLE } from "./make-cluster.ts";
import type { ServerDoors } from "./server-doors.ts";

/** The database of the embedded cluster that Longarm uses. */
const NAME = "longarm";

/** The address of a database of an embedded cluster; programs of others understand it, too: `host` is libpq's own word for the socket's folder. */
export function addressOf({ portNumber, socketFolder }: ServerDoors, password: string, database = NAME): string {
  const host = socketFolder === undefined ? "" : `?host=${encodeURIComponent(socketFolder)}`;
  return `postgres://${ROLE}:${encodeURIComponent(password)}@127.0.0.1:${portNumber}/${database}${host}`;
}

/** Makes the database on first start. @returns its address with the password inside. */
export async function ensureDatabase(doors: ServerDoors, password: string): Promise<string> {
  const connectionString = addressOf(doors, password, "postgres");
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  await client.connect();
  try {
    const found = await client.query("select 1 from pg_database where datname = $1", [NAME]);
    if (found.rowCount === 0) await client.query(`create database ${NAME}`);
  } finally {
    await client.end();
  }
  return addressOf(doors, password);
}

const CONNECT_LIMIT_MS = 30_000;

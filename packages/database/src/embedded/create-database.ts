import pg from "pg";
import { ROLE } from "./make-cluster.ts";

/** The database of the embedded cluster that Longarm uses. */
const NAME = "longarm";

/** The address of a database of an embedded cluster. */
export function addressOf(portNumber: number, password: string, database = NAME): string {
  return `postgres://${ROLE}:${encodeURIComponent(password)}@127.0.0.1:${portNumber}/${database}`;
}

/** Makes the database on first start. @returns its address with the password inside. */
export async function ensureDatabase(portNumber: number, password: string): Promise<string> {
  const connectionString = addressOf(portNumber, password, "postgres");
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  await client.connect();
  try {
    const found = await client.query("select 1 from pg_database where datname = $1", [NAME]);
    if (found.rowCount === 0) await client.query(`create database ${NAME}`);
  } finally {
    await client.end();
  }
  return addressOf(portNumber, password);
}

const CONNECT_LIMIT_MS = 30_000;

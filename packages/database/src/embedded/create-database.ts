import pg from "pg";
import { ROLE } from "./make-cluster.ts";

/** The database of the embedded cluster that Longarm uses. */
const NAME = "longarm";

/** Makes the database on first start. @returns its address with the password inside. */
export async function ensureDatabase(portNumber: number, password: string): Promise<string> {
  const addressOf = (database: string) =>
    `postgres://${ROLE}:${encodeURIComponent(password)}@127.0.0.1:${portNumber}/${database}`;
  const client = new pg.Client({ connectionString: addressOf("postgres"), connectionTimeoutMillis: CONNECT_LIMIT_MS });
  await client.connect();
  try {
    const found = await client.query("select 1 from pg_database where datname = $1", [NAME]);
    if (found.rowCount === 0) await client.query(`create database ${NAME}`);
  } finally {
    await client.end();
  }
  return addressOf(NAME);
}

const CONNECT_LIMIT_MS = 30_000;

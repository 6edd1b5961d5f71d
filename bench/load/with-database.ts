import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import type { Rig } from "../rig/rig.ts";
import type { Query } from "./crowd.ts";

/** Writing many rows at once. */
const STATEMENT_MS_MAX = 120_000;

/** Runs something with a connection of its own to the rig's database, and closes it. */
export async function withDatabase(rig: Rig, run: (query: Query) => Promise<void>): Promise<void> {
  const url = rig.venue.databaseUrl;
  const db = openDatabase({ url, maxConnections: 1, log: silentLog, statementTimeoutMs: STATEMENT_MS_MAX });
  try {
    await run(async (sql, values = []) => (await db.pool.query(sql, [...values])).rows);
  } finally {
    await db.close();
  }
}

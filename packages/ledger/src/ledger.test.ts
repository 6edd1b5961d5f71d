import type { TestDatabase } from "@longarm/database/testing";
import { testDatabase } from "@longarm/database/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLedger } from "./ledger.ts";
import { ledgerMigrations } from "./migrations.ts";
import { driveStore } from "./testing/drive.ts";
import { ledgerScenario } from "./testing/scenario.ts";
import { scenarios } from "./testing/scenarios.ts";

let database: TestDatabase<unknown>;
beforeAll(async () => {
  database = await testDatabase({ migrations: [ledgerMigrations] });
});
afterAll(() => database.drop());

// Each table runs in a transaction that is rolled back, so that each begins with an empty ledger.
test.each(Object.entries(scenarios))("%s", async (_, table) => {
  const client = await database.pool.connect();
  try {
    await client.query("begin");
    const ledger = openLedger(database.pool).within(client);
    const { happened, wanted } = await ledgerScenario(driveStore(ledger), table);
    expect(happened).toBe(wanted);
    await client.query("set constraints all immediate");
    expect(await ledger.verify()).toEqual([]);
  } finally {
    await client.query("rollback");
    client.release();
  }
});

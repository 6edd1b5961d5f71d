import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { expect, test } from "vitest";
import { ledgerMigrations } from "./migrations.ts";

test("each migration of the ledger proves itself", async () => {
  const database = await testDatabase();
  expect(await rehearseMigrations(database.pool, ledgerMigrations)).toEqual([
    "0001-double-entry",
    "0002-money-moves",
    "0003-transfers-by-time",
    "0004-fees",
    "0005-providers",
  ]);
  await database.drop();
});

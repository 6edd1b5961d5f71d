import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";

test("the books of machines hold what was booked before and since, and a difference is explained once", async () => {
  const database = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "reconciliation");
  if (!own) throw new Error("the books have no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: database.pool, sets, log: silentLog });
  expect(await rehearseMigrations(database.pool, own)).toEqual([
    "0001-books-of-machines",
    "0002-readings-in-play",
    "0003-ids-that-cannot-meet",
    "0004-cancelled-credits",
  ]);
  await database.drop();
});

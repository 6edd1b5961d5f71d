import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { expect, test } from "vitest";
import { platformMigrations } from "../../migration-sets.ts";

test("limits of before are those of a day and hold, and what waits for a yes holds with it", async () => {
  const database = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "protection");
  if (!own) throw new Error("protection has no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: database.pool, sets, log: silentLog });
  expect(await rehearseMigrations(database.pool, own)).toContain("0006-limits-by-period");
  await database.drop();
});

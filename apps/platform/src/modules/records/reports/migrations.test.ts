import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";

test("the sums of reports hold what was played before there were any", async () => {
  const database = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "reports");
  if (!own) throw new Error("the reports have no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: database.pool, sets, log: silentLog });
  expect(await rehearseMigrations(database.pool, own)).toEqual([
    "0001-roll-ups",
    "0002-watchers-and-delays",
    "0003-sample-days",
    "0004-games-of-players",
    "0005-venue-day",
    "0006-fees",
    "0007-charge-backs",
  ]);
  await database.drop();
});

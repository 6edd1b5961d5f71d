import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";

test("a payment stays what it is about, moves money once, and each of its states is kept", async () => {
  const database = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "payments");
  if (!own) throw new Error("payments have no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: database.pool, sets, log: silentLog });
  expect(await rehearseMigrations(database.pool, own)).toEqual([
    "0001-payments",
    "0002-providers",
    "0003-since",
    "0004-steps-by-time",
  ]);
  await database.drop();
});

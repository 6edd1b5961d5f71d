import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";

test("the tables of drawn games are made on a platform of before", async () => {
  const database = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "evidence");
  if (!own) throw new Error("evidence has no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: database.pool, sets, log: silentLog });
  expect(await rehearseMigrations(database.pool, own)).toEqual(["0001-samples"]);
  await database.drop();
});

import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";

test("the tables of clips are made on a platform of before", async () => {
  const database = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "clips");
  if (!own) throw new Error("clips has no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: database.pool, sets, log: silentLog });
  expect(await rehearseMigrations(database.pool, own)).toEqual(expect.arrayContaining(["0001-clips", "0002-readings"]));
  await database.drop();
});

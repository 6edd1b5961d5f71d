import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";

test("the tables of passkeys are made on a platform of before", async () => {
  const database = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "passkeys");
  if (!own) throw new Error("passkeys have no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: database.pool, sets, log: silentLog });
  expect(await rehearseMigrations(database.pool, own)).toContain("0001-passkeys-of-players");
  await database.drop();
});

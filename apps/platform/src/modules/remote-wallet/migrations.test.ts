import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { expect, test } from "vitest";
import { platformMigrations } from "../../migration-sets.ts";

test("a movement of the operator's wallet has one end, and what it is about never changes", async () => {
  const database = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "remote-wallet");
  if (!own) throw new Error("the remote wallet has no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: database.pool, sets, log: silentLog });
  expect(await rehearseMigrations(database.pool, own)).toEqual(["0001-movements"]);
  await database.drop();
});

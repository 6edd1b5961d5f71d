import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";

test("the history is made of the money that moved before and since, and tells each kind in the player's words", async () => {
  const database = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "history");
  if (!own) throw new Error("the history has no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: database.pool, sets, log: silentLog });
  expect(await rehearseMigrations(database.pool, own)).toEqual(["0001-wallet-entries", "0002-fees"]);
  await database.drop();
});

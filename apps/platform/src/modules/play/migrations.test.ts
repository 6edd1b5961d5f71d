import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { expect, test } from "vitest";
import { platformMigrations } from "../../migration-sets.ts";

test("the tables of play are made over a database that has players", async () => {
  const database = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "play");
  if (!own) throw new Error("play has no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: database.pool, sets, log: silentLog });
  expect(await rehearseMigrations(database.pool, own)).toContain("0011-price-of-a-held-seat");
  await database.drop();
});

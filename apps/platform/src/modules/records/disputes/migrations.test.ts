import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";

test("a game has one question, of its own player, its words stay, and a verdict is final", async () => {
  const database = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "disputes");
  if (!own) throw new Error("questions have no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: database.pool, sets, log: silentLog });
  expect(await rehearseMigrations(database.pool, own)).toEqual([
    "0001-questions-about-games",
    "0002-words-of-questions-end",
    "0003-marks-of-recordings",
  ]);
  await database.drop();
});

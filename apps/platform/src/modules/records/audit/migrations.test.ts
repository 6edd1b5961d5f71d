import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { testDatabase } from "@longarm/database/testing";
import { rehearseMigrations } from "@longarm/database/testing/rehearse-migrations";
import { expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";

test("the chain only grows, and rows that matter tell their changes in the same transaction", async () => {
  const database = await testDatabase();
  const own = platformMigrations.find(({ name }) => name === "audit");
  if (!own) throw new Error("the audit log has no migrations");
  const sets = platformMigrations.slice(0, platformMigrations.indexOf(own));
  await migrate({ pool: database.pool, sets, log: silentLog });
  expect(await rehearseMigrations(database.pool, own)).toEqual([
    "0001-hash-chained-entries",
    "0002-rows-that-tell",
    "0003-acts-as-root",
    "0004-fees",
    "0005-charge-backs",
  ]);
  const { rows } = await database.pool.query<{ actor: string }>(
    "select audit.actor_now(given) as actor from unnest(array['staff:root:eva', 'staff:eva', 'root:eva', 'staff:roots']) given",
  );
  expect(rows.map(({ actor }) => actor)).toEqual(["root:eva", "staff:eva", "root:eva", "staff:roots"]);
  await database.drop();
});

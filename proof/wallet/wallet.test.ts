import { testDatabase } from "@longarm/database/testing";
import { platformMigrations } from "@longarm/platform/migration-sets";
import { expect, test } from "vitest";
import { seededRandom } from "../../rig/chance.ts";
import { WalletWorld } from "./world.ts";

test("a short run: with calls, answers and processes lost, every amount comes home once", async () => {
  const database = await testDatabase({ migrations: platformMigrations });
  const world = new WalletWorld({ ...database, close: database.drop }, seededRandom("short"), { players: 6, nodes: 2 });
  await world.begin();
  await world.run({ calls: 400, untilMs: performance.now() + 120_000, say: () => {} });
  expect(await world.settle()).toEqual([]);
  await database.drop();
});

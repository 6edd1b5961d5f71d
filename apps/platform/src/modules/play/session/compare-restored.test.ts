import { expect, test, vi } from "vitest";
import { RestoredMachines } from "./compare-restored.ts";
import type { PlayParts } from "./deps.ts";

// maintainer 6.5: one restored machine that throws kept all others closed, and ended the round of leases with them.
test("restored machines are compared one by itself", async () => {
  const looked: string[] = [];
  const error = vi.fn();
  const restored = ["nar-01", "nar-02"].map((machineId) => ({ machineId, epoch: 1 }));
  /** Of a machine, its row by its id; the last `where` names it. */
  const rows = (machineId = "") => ({
    ...{ select: () => rows(), innerJoin: () => rows(), execute: async () => restored },
    where: (column: string, _is: string, value: string) => rows(column === "m.id" ? value : machineId),
    executeTakeFirst: async () => {
      looked.push(machineId);
      if (machineId === "nar-01") throw new Error("a row of tomorrow");
    },
  });
  const db = { withTables: () => db, selectFrom: () => rows() };
  const parts = { deps: { db, log: { error }, clock: { now: () => 0 } } } as unknown as PlayParts;
  await new RestoredMachines(parts).compare(["nar-01", "nar-02"]);
  expect(looked).toEqual(["nar-01", "nar-02"]);
  expect(error).toHaveBeenCalledTimes(1);
});

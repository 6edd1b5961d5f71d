import { expect, test, vi } from "vitest";
import type { ReconcileParts } from "./deps.ts";
import { closeLostSessions, repairSeats } from "./sweep.ts";

// maintainer 6.5: one seat that throws ended the round, so that the others were looked at in no round at all.
test.each([
  ["seats are repaired", repairSeats],
  ["lost sessions are closed", closeLostSessions],
])("%s one by itself", async (_, round) => {
  const rows = ["nar-01", "nar-02"].map((machineId) => ({ id: `session of ${machineId}`, machine_id: machineId }));
  const executor = {
    transformQuery: (node: unknown) => node,
    compileQuery: () => ({}),
    executeQuery: async () => ({ rows }),
  };
  const looked: string[] = [];
  const within = async (machineId: string) => {
    looked.push(machineId);
    if (machineId === "nar-01") throw new Error("a state of tomorrow");
    return null;
  };
  const error = vi.fn();
  const parts = { deps: { db: { getExecutor: () => executor }, log: { error } }, seats: { within } };
  await round(parts as unknown as ReconcileParts);
  expect(looked).toEqual(["nar-01", "nar-02"]);
  expect(error).toHaveBeenCalledTimes(1);
});

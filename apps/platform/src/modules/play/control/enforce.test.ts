import { expect, test, vi } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import type { ControlParts } from "./enforce.ts";
import { Enforcer } from "./enforce.ts";

// maintainer 6.5: one seat that throws kept all other reservations, and the sessions of excluded players were not ended either.
test("reservations that are over are ended one by itself", async () => {
  const over = [{ machine_id: "nar-01" }, { machine_id: "nar-02" }];
  const found = { select: () => found, where: () => found, limit: () => found, execute: async () => over };
  const db = { withTables: () => db, selectFrom: () => found };
  const looked: string[] = [];
  const within = async (machineId: string) => {
    looked.push(machineId);
    if (machineId === "nar-01") throw new Error("a state of tomorrow");
  };
  const clock = manualClock();
  const log = { error: vi.fn(), warn: vi.fn() };
  const parts = { deps: { db, clock, log }, seats: { within }, agents: { machineIds: () => [] } };
  const enforcer = new Enforcer(parts as unknown as ControlParts);
  enforcer.start();
  clock.advance(1_000);
  await vi.waitFor(() => expect(looked).toEqual(["nar-01", "nar-02"]));
  await enforcer.close();
  expect(log.error).toHaveBeenCalledTimes(1);
});

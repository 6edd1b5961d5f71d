import { expect, test } from "vitest";
import { FakeMachine } from "../../../testing/fake-machine.ts";
import type { ReconcileParts } from "./deps.ts";
import { LiveMeters } from "./read-machines.ts";

test("credits that come while the database is away are written down with the machine's next word", async () => {
  let isAway = true;
  const opened: string[] = [];
  const parts = {
    agents: { machineIds: () => ["one"] },
    seats: {
      within: async (machineId: string) => {
        opened.push(machineId);
        if (isAway) throw new Error("the database is away");
      },
    },
  };
  const live = new LiveMeters(parts as unknown as ReconcileParts);
  const machine = new FakeMachine("one");
  await live.reported("one", machine.meters());
  await live.reported("another's", { ...machine.meters(), credit: 5 });
  expect(opened).toEqual([]);
  machine.credit = 500;
  await expect(live.reported("one", machine.meters())).rejects.toThrow("the database is away");
  isAway = false;
  await live.reported("one", machine.meters());
  await live.reported("one", machine.meters());
  expect(opened).toEqual(["one", "one"]);
  expect(live.ofThisNode().get("one")?.credit).toBe(500);
});

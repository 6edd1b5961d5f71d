import { expect, test } from "vitest";
import { runFlood } from "./flood.ts";

// attack 4: refused upgrades kept their descriptors, and one of them kept the platform from ending.
test("connections that are opened and left are ended, and a player plays on meanwhile", {
  timeout: 240_000,
}, async () => {
  const run = await runFlood({
    connections: 400,
    kinds: ["silent", "head", "socket", "idle", "refused"],
    say: () => {},
  });
  expect(run.faults).toEqual([]);
  expect(run.most).toBeGreaterThan(200);
  expect(run.counts.refused.opened).toBeGreaterThan(50);
  expect(run.seen.requests).toBeGreaterThan(10);
});

import { expect, test } from "vitest";
import { runFuzz, TARGETS } from "./run.ts";

test.each(TARGETS)(
  "no process ends and none hangs, whatever comes to it that is nearly right: %s",
  {
    timeout: 240_000,
  },
  async (target) => {
    const [outcome] = await runFuzz({ targets: [target], seed: 20_261, inputs: 120, judges: false, say: () => {} });
    expect(outcome?.faults).toEqual([]);
    expect(outcome?.figures["inputs"]).toBeGreaterThanOrEqual(120);
  },
);

import { expect, test } from "vitest";
import { PLATFORM_TARGETS } from "./platform.ts";
import { MEDIA_TARGETS, runFuzz } from "./run.ts";

const INPUTS = 80;

test.each([...MEDIA_TARGETS.map((target) => [target]), PLATFORM_TARGETS])(
  "no process ends and none hangs, whatever comes to it that is nearly right: %s",
  {
    timeout: 240_000,
  },
  async (...targets) => {
    const outcomes = await runFuzz({ targets, seed: 20_261, inputs: INPUTS, judges: false, say: () => {} });
    for (const { faults, figures } of outcomes) {
      expect(faults).toEqual([]);
      expect(figures["inputs"]).toBeGreaterThanOrEqual(INPUTS);
    }
  },
);

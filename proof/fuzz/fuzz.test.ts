import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import { expect, test } from "vitest";
import { MEDIA_TARGETS, runFuzz } from "./fuzz.ts";
import { PLATFORM_TARGETS } from "./platform.ts";

/** Of each kind. */
const INPUTS = WHOLE_RUN ? 120 : 5;

test.each([
  ["an agent", MEDIA_TARGETS],
  ["a platform", PLATFORM_TARGETS],
])(
  "no process of %s ends and none hangs, whatever comes to it that is nearly right",
  {
    timeout: 240_000,
  },
  async (_, targets) => {
    const outcomes = await runFuzz({ targets, seed: 20_261, inputs: INPUTS, judges: false, say: () => {} });
    for (const { faults, figures } of outcomes) {
      expect(faults).toEqual([]);
      expect(figures["inputs"]).toBeGreaterThanOrEqual(INPUTS);
    }
  },
);

import { describe, test } from "vitest";
import type { OpenEncoder } from "./promises.ts";
import { PROMISES } from "./promises.ts";

/** What every encoder of H.264 must do; the doctor asks the same of hardware. Run it from a test file of its own. */
export function encoderConformance(name: string, open: OpenEncoder): void {
  describe(`${name}: encoder conformance`, { timeout: 60_000 }, () => {
    test.each(Object.entries(PROMISES))("%s", (_promise, keeps) => keeps(open));
  });
}

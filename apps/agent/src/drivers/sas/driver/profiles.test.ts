import { expect, test } from "vitest";
import { readMachines } from "../../../config/machines.ts";
import { LINE_TIMING } from "../line/line.ts";
import type { TimingSettings } from "./profiles.ts";
import { PROFILES, timingOf } from "./profiles.ts";

const listed = (timing: object): TimingSettings => {
  const entry = {
    ...{ driver: "sas", id: "m-1", name: "M 1", brand: "Own", picture: { kind: "test" }, profile: "slow" },
    ...{ line: { kind: "tcp", host: "127.0.0.1", port: 7_601 }, timing },
  };
  const { machines, complaints } = readMachines(JSON.stringify([entry]));
  expect(complaints).toEqual([]);
  const own = machines.map((machine) => machine.own as { timing: TimingSettings });
  return own[0]?.timing ?? {};
};

test("a time that the operator does not set is the profile's, and one that is set is the operator's", () => {
  expect(timingOf("standard")).toEqual(LINE_TIMING);
  const fast = timingOf("slow", listed({ pollMs: 40 }));
  expect(fast).toEqual({ ...LINE_TIMING, pollMs: 40, interByteMs: PROFILES.slow.interByteMs });
  expect(timingOf("slow", listed({ interByteMs: 9 })).interByteMs).toBe(9);
});

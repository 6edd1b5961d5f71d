import { expect, test } from "vitest";
import type { Stop } from "../../../ports/clock.ts";
import { fakeClock } from "../../../testing/fake-clock.ts";
import type { Carrier } from "./carrier.ts";
import { onSilence } from "./silence.ts";

const CARRIER: Carrier = { open: () => undefined, send: () => undefined, close: async () => undefined };

test.each([
  { of: "a port of this computer", carrier: CARRIER, ms: 35 },
  { of: "a front end that reports the pauses", carrier: { ...CARRIER, reportsGaps: true }, ms: 155 },
])("the line of $of is silent after $ms ms", async ({ carrier, ms }) => {
  const clock = fakeClock();
  let silent = 0;
  const begin = () =>
    onSilence({ carrier, clock, timing: { slackMs: 30 } }, 5, () => {
      silent += 1;
    });
  const stop = begin();
  await clock.pass(ms - 1);
  stop();
  begin();
  await clock.pass(ms - 1);
  expect(silent).toBe(0);
  await clock.pass(1);
  expect(silent).toBe(1);
});

test("what waits to be read is delivered first, and ends the silence", async () => {
  const clock = fakeClock();
  let silent = 0;
  let stop: Stop = () => undefined;
  const carrier: Carrier = {
    ...CARRIER,
    afterArrived: (run) => {
      stop();
      run();
    },
  };
  stop = onSilence({ carrier, clock, timing: { slackMs: 0 } }, 5, () => {
    silent += 1;
  });
  await clock.pass(1_000);
  expect(silent).toBe(0);
});

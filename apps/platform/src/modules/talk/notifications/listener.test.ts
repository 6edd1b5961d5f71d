import { expect, test } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import { runSoon } from "./listener.ts";

/** Lets promises that are already settled run on. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("asking often runs it once", async () => {
  const clock = manualClock();
  let runs = 0;
  const soon = runSoon(
    clock,
    50,
    async () => {
      runs += 1;
    },
    () => {},
  );
  for (let count = 0; count < 10; count += 1) soon.ask();
  clock.advance(49);
  expect(runs).toBe(0);
  clock.advance(1);
  await settle();
  expect(runs).toBe(1);
});

test("asked while it runs, it runs once more afterwards and never twice at a time", async () => {
  const clock = manualClock();
  const running: (() => void)[] = [];
  const soon = runSoon(
    clock,
    50,
    () => new Promise((resolve) => running.push(resolve)),
    () => {},
  );
  soon.ask();
  clock.advance(50);
  soon.ask();
  soon.ask();
  clock.advance(1_000);
  expect(running).toHaveLength(1);
  running[0]?.();
  await settle();
  clock.advance(50);
  expect(running).toHaveLength(2);
});

test("what failed is reported and tried again, until it is stopped", async () => {
  const clock = manualClock();
  const failures: unknown[] = [];
  const soon = runSoon(
    clock,
    50,
    () => Promise.reject(new Error("away")),
    (error) => failures.push(error),
  );
  soon.ask();
  clock.advance(50);
  await settle();
  clock.advance(1_000);
  await settle();
  expect(failures).toHaveLength(2);
  soon.stop();
  clock.advance(10_000);
  await settle();
  expect(failures).toHaveLength(2);
});

import { expect, test } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import { coalesce } from "./coalesce.ts";

/** Lets promises that are already settled run on. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("many requests run the work once", async () => {
  const clock = manualClock();
  let runs = 0;
  const queue = coalesce(
    clock,
    50,
    async () => {
      runs += 1;
    },
    () => {},
  );
  for (let count = 0; count < 10; count += 1) queue.request();
  clock.advance(49);
  expect(runs).toBe(0);
  clock.advance(1);
  await settle();
  expect(runs).toBe(1);
});

test("requested while it runs, the work runs once more afterwards and never twice at a time", async () => {
  const clock = manualClock();
  const running: (() => void)[] = [];
  const queue = coalesce(
    clock,
    50,
    () => new Promise((resolve) => running.push(resolve)),
    () => {},
  );
  queue.request();
  clock.advance(50);
  queue.request();
  queue.request();
  clock.advance(1_000);
  expect(running).toHaveLength(1);
  running[0]?.();
  await settle();
  clock.advance(50);
  expect(running).toHaveLength(2);
});

test("work that failed is reported and retried until it is stopped", async () => {
  const clock = manualClock();
  const failures: unknown[] = [];
  const queue = coalesce(
    clock,
    50,
    () => Promise.reject(new Error("away")),
    (error) => failures.push(error),
  );
  queue.request();
  clock.advance(50);
  await settle();
  clock.advance(1_000);
  await settle();
  expect(failures).toHaveLength(2);
  queue.stop();
  clock.advance(10_000);
  await settle();
  expect(failures).toHaveLength(2);
});

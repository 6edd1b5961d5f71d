import { expect, test } from "vitest";
import { fakeClock } from "../testing/fake-clock.ts";
import { startLoop } from "./loop.ts";
import { createScope } from "./scope.ts";

test("runs one at a time; many rings during a run make one further run", async () => {
  const clock = fakeClock();
  const gates: (() => void)[] = [];
  let runs = 0;
  const loop = startLoop({
    clock,
    run: () => {
      runs += 1;
      return new Promise((go) => gates.push(go));
    },
  });
  for (let n = 0; n < 5; n += 1) loop.ring();
  expect(runs).toBe(1);
  gates[0]?.();
  await clock.pass(0);
  expect(runs).toBe(2);
  gates[1]?.();
  await clock.pass(10_000);
  expect(runs).toBe(2);
});

test("keeps the gap after a run and still runs for a ring that came in it; looks by itself when idle", async () => {
  const clock = fakeClock(0);
  const at: number[] = [];
  const loop = startLoop({ clock, gapMs: 100, idleMs: 1_000, run: async () => void at.push(clock.now()) });
  await clock.pass(10);
  loop.ring();
  loop.ring();
  await clock.pass(490);
  expect(at).toEqual([0, 100]);
  await clock.pass(1_000);
  expect(at).toEqual([0, 100, 1_200]);
  loop.ring();
  await clock.pass(0);
  expect(at.length).toBe(4);
});

test("tries again with growing waits, rings or no rings, and stops for good", async () => {
  const clock = fakeClock(0);
  const at: number[] = [];
  const run = async (): Promise<void> => {
    at.push(clock.now());
    loop?.ring();
    throw new Error("no");
  };
  let loop: ReturnType<typeof startLoop> | undefined;
  loop = startLoop({ clock, run, retryMs: 100, retryMsMax: 300 });
  await clock.pass(1_000);
  expect(at).toEqual([0, 100, 300, 600, 900]);
  await loop.stop();
  await clock.pass(10_000);
  expect(at.length).toBe(5);
});

test("hurrying cuts a back-off short, and a failing run that was under way is followed at once", async () => {
  const clock = fakeClock(0);
  const at: number[] = [];
  let gate = Promise.resolve();
  const run = async (): Promise<void> => {
    at.push(clock.now());
    await gate;
    throw new Error("no");
  };
  const loop = startLoop({ clock, run, retryMs: 1_000, retryMsMax: 1_000 });
  await clock.pass(300);
  loop.hurry();
  await clock.pass(0);
  expect(at).toEqual([0, 300]);
  await clock.pass(900);
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  await clock.pass(100);
  loop.hurry();
  gate = Promise.resolve();
  held.resolve();
  await clock.pass(0);
  expect(at).toEqual([0, 300, 1_300, 1_300]);
  await loop.stop();
});

test("a scope ends everything once, the last first, and one bad end does not keep the others", async () => {
  const ended: string[] = [];
  const problems: unknown[] = [];
  const scope = createScope((error) => problems.push(error));
  scope.onEnd(() => void ended.push("first"));
  scope.onEnd(() => Promise.reject(new Error("bad")));
  scope.onEnd(() => void ended.push("last"));
  await Promise.all([scope.end(), scope.end()]);
  expect([ended, problems.length, scope.ended]).toEqual([["last", "first"], 1, true]);
  scope.onEnd(() => void ended.push("too late"));
  expect(ended.at(-1)).toBe("too late");
});

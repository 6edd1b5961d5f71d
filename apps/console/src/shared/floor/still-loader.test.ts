import type { Timers } from "@longarm/link/socket";
import { systemTimers } from "@longarm/link/socket";
import { expect, test } from "vitest";
import { AGAIN_MS, AT_ONCE, createStillLoader, EVERY_MS, SHOW_MS } from "./still-loader.ts";

/** Timers that run when the test says so. */
function handTimers() {
  let now = 0;
  const due: { at: number; run: () => void }[] = [];
  const timers: Timers = {
    after(ms, run) {
      const entry = { at: now + ms, run };
      due.push(entry);
      return () => void due.splice(due.indexOf(entry), 1);
    },
  };
  return {
    timers,
    async pass(ms: number): Promise<void> {
      now += ms;
      for (const entry of due.filter(({ at }) => at <= now)) {
        due.splice(due.indexOf(entry), 1);
        entry.run();
      }
      await Promise.resolve();
    },
  };
}

function loading() {
  const hand = handTimers();
  const begun: { address: string; end: () => void; fail: () => void }[] = [];
  const loader = createStillLoader({
    timers: hand.timers,
    load: (address) =>
      new Promise((end, fail) => {
        begun.push({ address, end, fail: () => fail(new Error("gone")) });
      }),
  });
  return { ...hand, loader, begun };
}
const settled = () => new Promise((over) => systemTimers.after(0, () => over(undefined)));

test("two hundred stills begin one after the other, and never more than the budget at once", async () => {
  const { loader, begun, pass } = loading();
  for (let at = 0; at < 200; at += 1) loader.want(`machine ${at}`, `still ${at}`, () => {});
  expect(begun.map(({ address }) => address)).toEqual(["still 0"]);
  for (let at = 0; at < 20; at += 1) await pass(EVERY_MS);
  expect(begun).toHaveLength(AT_ONCE);
  begun[0]?.end();
  await settled();
  expect(begun).toHaveLength(AT_ONCE + 1);
});

test("a tile that leaves the window before its turn costs nothing, and one that fails does not hold the others", async () => {
  const { loader, begun, pass } = loading();
  const ready: string[] = [];
  loader.want("a", "a", () => ready.push("a"));
  const giveUp = loader.want("b", "b", () => ready.push("b"));
  loader.want("c", "c", () => ready.push("c"));
  giveUp();
  begun[0]?.fail();
  await settled();
  await pass(EVERY_MS);
  expect(begun.map(({ address }) => address)).toEqual(["a", "c"]);
  begun[1]?.end();
  await settled();
  expect(ready).toEqual(["c"]);
});

test("on a floor whose stills change faster than they are fetched, every machine has its turn", async () => {
  const { loader, begun, pass } = loading();
  const machines = ["a", "b", "c", "d"];
  const turns = new Map<string, () => void>();
  for (let round = 0; round < 8; round += 1) {
    // Each machine has a new still: its tile wants that one in place of the one before.
    for (const machine of machines) {
      turns.get(machine)?.();
      turns.set(
        machine,
        loader.want(machine, `${machine} ${round}`, () => {}),
      );
    }
    await pass(AGAIN_MS);
    begun.at(-1)?.end();
    await settled();
  }
  const count = (machine: string) => begun.filter(({ address }) => address.startsWith(machine)).length;
  for (const machine of machines) expect(count(machine)).toBeGreaterThanOrEqual(2);
});

test("the first still is shown at once, and those that come soon after it together", async () => {
  const { loader, begun, pass } = loading();
  const ready: string[] = [];
  for (const machine of ["a", "b", "c"]) loader.want(machine, machine, () => ready.push(machine));
  for (let at = 0; at < 3; at += 1) {
    begun[at]?.end();
    await settled();
    await pass(EVERY_MS);
  }
  expect(ready).toEqual(["a"]);
  await pass(SHOW_MS);
  expect(ready).toEqual(["a", "b", "c"]);
});

import type { Timers } from "@longarm/link/socket";
import { expect, test } from "vitest";
import { SignInQueue } from "./run-load.ts";

function handTimers() {
  const open = new Map<() => void, number>();
  const timers: Timers = {
    after(delayMs, run) {
      open.set(run, delayMs);
      return () => void open.delete(run);
    },
  };
  const fire = (): void => {
    for (const run of [...open.keys()]) {
      open.delete(run);
      run();
    }
  };
  return { timers, fire, delays: () => [...open.values()] };
}

test("four players sign in at once, and no player for as long as the venue says to wait", () => {
  const { timers, fire, delays } = handTimers();
  const signIns = new SignInQueue(timers);
  const went: number[] = [];
  for (let person = 1; person <= 8; person += 1) signIns.want(() => void went.push(person));
  expect(went).toEqual([1, 2, 3, 4]);
  signIns.over(0);
  expect(went).toEqual([1, 2, 3, 4, 5]);
  signIns.over(30_000);
  signIns.over(30_000);
  expect(went).toEqual([1, 2, 3, 4, 5]);
  expect([delays(), signIns.waitedMs]).toEqual([[30_000], 30_000]);
  fire();
  expect(went).toEqual([1, 2, 3, 4, 5, 6, 7]);
  signIns.release();
  expect(went).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  signIns.over(30_000);
  signIns.want(() => void went.push(9));
  expect(went.at(-1)).toBe(9);
});

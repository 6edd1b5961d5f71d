import { expect, test } from "vitest";
import { createThrottle } from "./throttle.ts";

test("R-9-14: within 500 ms a key acts once, and each key has a time of its own", () => {
  const clock = { at: 1_000, now: () => clock.at };
  const throttle = createThrottle(clock, 500);
  expect([throttle("mute"), throttle("mute"), throttle("side")]).toEqual([true, false, true]);
  clock.at += 499;
  expect(throttle("mute")).toBe(false);
  clock.at += 1;
  expect([throttle("mute"), throttle("mute")]).toEqual([true, false]);
});

test("a clock that was set back holds no key, and 0 ms never does", () => {
  const clock = { at: 90_000, now: () => clock.at };
  const throttle = createThrottle(clock, 500);
  expect(throttle("mute")).toBe(true);
  clock.at -= 80_000;
  expect([throttle("mute"), throttle("mute")]).toEqual([true, false]);
  const free = createThrottle(clock, 0);
  expect([free("mute"), free("mute")]).toEqual([true, true]);
});

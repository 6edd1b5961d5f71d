import { fakeTimers } from "@longarm/link/testing";
import { afterEach, expect, test, vi } from "vitest";
import { memoryStorage } from "../../shared/testing/fakes.ts";
import { ANSWER_MS, createDeactivation } from "./deactivation.tsx";
import type { IdleWatch } from "./idle-watch.ts";
import { reportActivity, watchIdle } from "./idle-watch.ts";
import { PAUSE_MS_MAX, pauseAfter, pauseLeft, readLock } from "./lock.ts";

let watch: IdleWatch;
afterEach(() => watch?.end());

function start() {
  let now = 1_800_000_000_000;
  const timers = fakeTimers();
  const storage = memoryStorage();
  const clock = { now: () => now };
  watch = watchIdle({ clock, timers, storage, page: window });
  watch.touch();
  return {
    ...{ watch, clock, timers, storage },
    pass(ms: number) {
      now += ms;
      timers.advance(ms);
    },
    /** The clock goes on, no timer runs: a computer asleep. */
    sleep(ms: number) {
      now += ms;
    },
    press: () => dispatchEvent(new KeyboardEvent("keydown", { key: "a" })),
  };
}

test("59 s are not a minute, an input starts it again, and what is due is told before an input can hide it", () => {
  const { watch, pass, press, sleep } = start();
  const away = vi.fn();
  watch.on(60_000, away);
  pass(50_000);
  press();
  pass(59_999);
  expect(away).not.toHaveBeenCalled();
  pass(1);
  expect(away).toHaveBeenCalledTimes(1);
  press();
  sleep(3_600_000);
  press();
  expect(away).toHaveBeenCalledTimes(2);
});

test("a pointer that stands still is no input; another tab's input is one; a clock set back makes nothing longer", () => {
  const { watch, pass, storage, clock, sleep } = start();
  const move = (screenX: number) => dispatchEvent(new MouseEvent("pointermove", { screenX, screenY: 5 }));
  pass(30_000);
  move(5);
  move(5);
  expect(watch.idleMs()).toBe(30_000);
  storage.write("longarm.lastInput", String(clock.now() - 1_000));
  expect(watch.idleMs()).toBe(1_000);
  const away = vi.fn();
  watch.on(60_000, away);
  sleep(-7_200_000);
  expect(watch.idleMs()).toBe(0);
  pass(59_999);
  expect([watch.idleMs(), away.mock.calls.length]).toEqual([59_999, 0]);
  pass(1);
  expect(away).toHaveBeenCalledTimes(1);
});

test("R-4.5-08, R-4.5-09: the question comes at its setting, Continue starts the time again, silence leaves once", () => {
  const { watch, clock, timers, pass, press } = start();
  const leave = vi.fn();
  const deactivation = createDeactivation({ watch, clock, timers, afterMs: 300_000, mayAsk: () => true, leave });
  const is = () => deactivation.state.getState().is;
  pass(299_999);
  expect(is()).toBe("quiet");
  pass(1);
  expect(is()).toBe("asking");
  pass(30_000);
  press();
  expect(is()).toBe("asking");
  deactivation.goOn();
  pass(299_999);
  expect(is()).toBe("quiet");
  pass(1);
  pass(ANSWER_MS - 1);
  expect(leave).not.toHaveBeenCalled();
  pass(1);
  expect(leave).toHaveBeenCalledTimes(1);
  deactivation.pageChanged();
  pass(600_000);
  expect(is()).toBe("quiet");
  press();
  pass(300_000);
  expect(is()).toBe("asking");
});

test("a game is not asked, and a player whom it left without an input is asked at once", () => {
  const { watch, clock, timers, pass } = start();
  let inGame = true;
  const deactivation = createDeactivation({
    ...{ watch, clock, timers, afterMs: 300_000, leave() {} },
    mayAsk: () => !inGame,
  });
  pass(400_000);
  expect(deactivation.state.getState().is).toBe("quiet");
  inGame = false;
  deactivation.pageChanged();
  expect(deactivation.state.getState().is).toBe("asking");
});

test("attack 9: an input is reported at once, those that follow once together, and the last one always", () => {
  const { watch, clock, timers, pass, press } = start();
  const report = vi.fn();
  const stop = reportActivity({ watch, clock, timers, everyMs: 10_000, report });
  press();
  expect(report).toHaveBeenCalledTimes(1);
  pass(3_000);
  press();
  press();
  expect(report).toHaveBeenCalledTimes(1);
  pass(7_000);
  expect(report).toHaveBeenCalledTimes(2);
  pass(60_000);
  expect(report).toHaveBeenCalledTimes(2);
  press();
  expect(report).toHaveBeenCalledTimes(3);
  press();
  stop();
  pass(60_000);
  expect(report).toHaveBeenCalledTimes(3);
});

test("pauses grow to a bound, and a wrong clock never makes one longer", () => {
  expect([1, 2, 3, 4, 5, 50].map(pauseAfter)).toEqual([0, 0, 5_000, 10_000, 20_000, PAUSE_MS_MAX]);
  expect(pauseLeft(9e15, 0)).toBe(PAUSE_MS_MAX);
  expect(pauseLeft(5, 10)).toBe(0);
});

test.each(["", "{", "null", "[]", '{"token":""}', '{"token":7}', '{"token":"t","wrong":-1}'])(
  "%j is no lock",
  (text) => {
    expect(readLock(memoryStorage({ "longarm.lock": text }))).toBeUndefined();
  },
);

import { expect, test, vi } from "vitest";
import { watchIdle } from "./idle.ts";

/** A page whose time passes when the test says so. */
function idlePage(idleMs = 300_000) {
  let now = 1_000_000;
  const due: { at: number; run: () => void }[] = [];
  const page = new EventTarget();
  const lock = vi.fn();
  const report = vi.fn();
  const watch = watchIdle({
    page,
    clock: { now: () => now },
    timers: {
      after(ms, run) {
        const timer = { at: now + ms, run };
        due.push(timer);
        return () => void due.splice(due.indexOf(timer), 1);
      },
    },
    idleMs,
    lock,
    report,
  });
  function pass(ms: number): void {
    const until = now + ms;
    for (let next = due[0]; next !== undefined && next.at <= until; next = due[0]) {
      due.shift();
      now = next.at;
      next.run();
    }
    now = until;
  }
  return {
    watch,
    lock,
    report,
    pass,
    sleep(ms: number) {
      now += ms;
    },
    input: () => page.dispatchEvent(new Event("keydown")),
  };
}

test("locks after the idle time without input, once", () => {
  const { lock, pass } = idlePage();
  pass(299_000);
  expect(lock).not.toHaveBeenCalled();
  pass(2_000);
  expect(lock).toHaveBeenCalledOnce();
  pass(900_000);
  expect(lock).toHaveBeenCalledOnce();
});

test("input begins the time anew and is reported now and then, not each time", () => {
  const { lock, report, pass, input } = idlePage();
  for (let minute = 0; minute < 10; minute += 1) {
    pass(60_000);
    input();
    input();
  }
  expect(lock).not.toHaveBeenCalled();
  expect(report).toHaveBeenCalledTimes(10);
  pass(301_000);
  expect(lock).toHaveBeenCalledOnce();
});

test("input in another page of the browser counts too", () => {
  const { watch, lock, pass } = idlePage();
  pass(200_000);
  watch.active();
  pass(200_000);
  expect(lock).not.toHaveBeenCalled();
});

test("the first touch after a long sleep does not keep it open", () => {
  const { lock, sleep, input, pass } = idlePage();
  sleep(3_600_000);
  input();
  pass(1_000);
  expect(lock).toHaveBeenCalledOnce();
});

test("nothing happens after its end", () => {
  const { watch, lock, report, pass, input } = idlePage();
  watch.end();
  pass(900_000);
  input();
  expect(lock).not.toHaveBeenCalled();
  expect(report).not.toHaveBeenCalled();
});

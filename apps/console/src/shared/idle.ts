import type { Timers } from "@longarm/link/socket";

/** Input is reported this often at most, and at least four times within the idle time. */
const REPORT_MS = 30_000;
const CHECK_MS = 1_000;
const INPUTS = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"] as const;

/**
 * Watches the input of one sign-in: reports it, and locks after `idleMs` without any. Time passes also while the computer sleeps. Answers how to
 * end the watch, and a sign of input elsewhere.
 */
export function watchIdle(deps: {
  readonly page: EventTarget;
  readonly clock: { now(): number };
  readonly timers: Timers;
  readonly idleMs: number;
  readonly report: () => void;
  readonly lock: () => void;
}): { readonly end: () => void; readonly active: () => void } {
  const { page, clock, timers, idleMs } = deps;
  const reportMs = Math.min(REPORT_MS, idleMs / 4);
  let lastInput = clock.now();
  let reportedAt = clock.now();
  let stop = (): void => {};

  function onInput(): void {
    const now = clock.now();
    // The first touch after a long sleep does not open what should have locked meanwhile.
    if (now - lastInput >= idleMs) return;
    lastInput = now;
    if (now - reportedAt < reportMs) return;
    reportedAt = now;
    deps.report();
  }

  function check(): void {
    if (clock.now() - lastInput >= idleMs) {
      end();
      deps.lock();
    } else stop = timers.after(CHECK_MS, check);
  }

  function end(): void {
    stop();
    for (const input of INPUTS) page.removeEventListener(input, onInput);
  }

  for (const input of INPUTS) page.addEventListener(input, onInput, { passive: true });
  stop = timers.after(CHECK_MS, check);
  return {
    end,
    active() {
      lastInput = clock.now();
      reportedAt = clock.now();
    },
  };
}

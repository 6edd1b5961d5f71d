import type { Stop, Timers } from "./socket.ts";

/** Turns in which nothing is heard before the other end counts as gone. */
const SILENT_TURNS_MAX = 4;

/**
 * Notices an other end that went silent although it tells that it lives. Turns are counted instead of time: a page or a process that stood
 * still itself has what came meanwhile before its next turn, and must not take its own sleep for the other end's.
 */
export function watchSilence(timers: Timers, gone: () => void) {
  let everyMs = 0;
  let silentTurns = 0;
  let stop: Stop | undefined;
  const turn = (): void => {
    silentTurns += 1;
    if (silentTurns >= SILENT_TURNS_MAX) gone();
    else stop = timers.after(everyMs, turn);
  };
  return {
    heard(): void {
      silentTurns = 0;
    },
    /** From now on something must be heard each `ms`. */
    expect(ms: number): void {
      everyMs = ms;
      stop ??= timers.after(ms, turn);
    },
    stop: (): void => stop?.(),
  };
}

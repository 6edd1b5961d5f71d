import type { Clock } from "../ports/clock.ts";
import type { Loop } from "./loop.ts";
import { startLoop } from "./loop.ts";
import type { Scope } from "./scope.ts";
import { createScope } from "./scope.ts";

/** After this many failed calls in a row the driver is closed and opened again. */
const FAILURES_MAX = 3;
const REOPEN_MS = 500;
const REOPEN_MS_MAX = 15_000;

export type KeepOpenOptions<T> = {
  readonly clock: Clock;
  /** Opens, giving every part to the scope; a rejection ends the scope and is tried again with back-off. */
  readonly open: (scope: Scope) => Promise<T>;
  readonly opened: (value: T) => void;
  /** Called before the parts are closed. */
  readonly closing: (value: T) => void;
  readonly problem: (sentence: string, error?: unknown) => void;
};

/** Keeps something open until it is ended: opens it, and closes and opens it again when its calls fail. */
export interface KeptOpen<T> {
  value(): T | undefined;
  /** A call failed. */
  failed(error: unknown): void;
  /** A call was answered. */
  answered(): void;
  /** Does not wait for the next try: what kept it closed has been mended. */
  hurry(): void;
  end(): Promise<void>;
}

export function keepOpen<T>(options: KeepOpenOptions<T>): KeptOpen<T> {
  const { clock, problem } = options;
  let now: { value: T; scope: Scope } | undefined;
  let failures = 0;
  let wanted = true;

  /** Serialised by its loop: closes what is broken, opens what is wanted. */
  async function converge(): Promise<void> {
    if (failures >= FAILURES_MAX) await closeNow();
    if (wanted && now === undefined) await openNow();
  }

  async function closeNow(): Promise<void> {
    const last = now;
    now = undefined;
    if (last === undefined) return;
    options.closing(last.value);
    await last.scope.end();
  }

  async function openNow(): Promise<void> {
    const scope = createScope((error) => problem("A part of the machine did not close well.", error));
    failures = 0;
    try {
      now = { scope, value: await options.open(scope) };
    } catch (error) {
      await scope.end();
      throw error;
    }
    options.opened(now.value);
  }

  const loop: Loop = startLoop({
    clock,
    run: converge,
    retryMs: REOPEN_MS,
    retryMsMax: REOPEN_MS_MAX,
    failed: (error) => problem("The machine could not be opened; it is tried again.", error),
  });

  return {
    value: () => now?.value,
    failed: (error) => {
      failures += 1;
      if (failures < FAILURES_MAX || now === undefined) return;
      if (failures === FAILURES_MAX) problem("The machine does not answer; its driver is opened again.", error);
      loop.ring();
    },
    answered: () => {
      failures = 0;
    },
    hurry: () => loop.hurry(),
    end: async () => {
      wanted = false;
      await loop.stop();
      await closeNow();
    },
  };
}

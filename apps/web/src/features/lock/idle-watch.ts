import type { Stop, Timers } from "@longarm/link/socket";
import type { Storage } from "../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";

/** Inputs that show that a person is there. Pointer events count when the pointer really moved. */
const INPUTS = ["pointerdown", "pointermove", "keydown", "touchstart", "wheel"] as const;
/** Shortest time between two inputs that are shared with the other tabs, ms. */
const SHARE_MS = 1_000;

type Watcher = { readonly afterMs: number; readonly away: () => void; readonly back?: () => void; isAway: boolean };

export type IdleWatch = {
  /** Time since the last input in any tab of this page, ms. */
  idleMs(): number;
  /** Counts as an input, whatever the page saw. */
  touch(): void;
  /** Calls `away` after this long without an input, and `back` at the next one. */
  on(afterMs: number, away: () => void, back?: () => void): Stop;
  /** Calls `heard` at each input of this tab that counts, not of others. */
  onInput(heard: () => void): Stop;
  /** While it is true, inputs of this tab do not count; those of others do. */
  ignoreInputs(ignore: boolean): void;
  end(): void;
};

type IdleDeps = {
  readonly clock: { now(): number };
  readonly timers: Timers;
  readonly storage: Storage;
  readonly page: Window;
};

/** The time of the last input that any tab kept, ms since 1970; undefined when none did. */
export function lastInputKept(storage: Storage, now: number): number | undefined {
  const kept = Number(storage.read(STORAGE_KEYS.lastInput) ?? Number.NaN);
  if (!Number.isFinite(kept) || kept <= 0) return undefined;
  if (kept <= now) return kept;
  // The clock was set back: idle time counts on from here, not from when the clock is there again.
  storage.write(STORAGE_KEYS.lastInput, String(now));
  return now;
}

/**
 * Watches for inputs by timestamps: throttled timers of a hidden tab and a sleeping computer only make it look later, and the
 * input that wakes the page finds the time already over.
 */
export function watchIdle({ clock, timers, storage, page }: IdleDeps): IdleWatch {
  const watchers = new Set<Watcher>();
  let own = clock.now();
  let shared = 0;
  let ignoring = false;
  const hasMoved = followPointer();
  const listeners = new Set<() => void>();
  let stopTimer = (): void => {};

  function idleMs(): number {
    const now = clock.now();
    own = Math.min(own, now);
    return now - Math.max(own, lastInputKept(storage, now) ?? 0);
  }

  function look(): void {
    stopTimer();
    for (const watcher of watchers) say(watcher, idleMs() >= watcher.afterMs);
    const waits = [...watchers].filter(({ isAway }) => !isAway).map(({ afterMs }) => afterMs - idleMs());
    if (waits.length > 0) stopTimer = timers.after(Math.max(1, Math.min(...waits)), look);
  }

  function touch(): void {
    own = clock.now();
    if (Math.abs(own - shared) >= SHARE_MS) {
      shared = own;
      storage.write(STORAGE_KEYS.lastInput, String(own));
    }
    for (const heard of listeners) heard();
    if ([...watchers].some(({ isAway }) => isAway)) look();
  }

  function input(event: Event): void {
    if (event.type === "pointermove" && !hasMoved(event as PointerEvent)) return;
    // Reports what was due before this input resets the time.
    if ([...watchers].some(({ isAway, afterMs }) => !isAway && idleMs() >= afterMs)) look();
    if (!ignoring) touch();
  }
  const stopListening = listen(page, input, look);
  return {
    idleMs,
    touch() {
      shared = 0;
      touch();
    },
    on(afterMs, away, back) {
      const watcher: Watcher = { afterMs, away, ...(back && { back }), isAway: false };
      watchers.add(watcher);
      look();
      return () => {
        watchers.delete(watcher);
      };
    },
    onInput(heard) {
      listeners.add(heard);
      return () => void listeners.delete(heard);
    },
    ignoreInputs(ignore) {
      ignoring = ignore;
    },
    end() {
      stopTimer();
      watchers.clear();
      listeners.clear();
      stopListening();
    },
  };
}

function say(watcher: Watcher, isAway: boolean): void {
  if (isAway === watcher.isAway) return;
  watcher.isAway = isAway;
  if (isAway) watcher.away();
  else watcher.back?.();
}

/** Whether the pointer really moved: browsers also send an event when the page changes under a resting pointer. */
function followPointer(): (event: PointerEvent) => boolean {
  let pointer = "";
  return ({ screenX, screenY }) => {
    const before = pointer;
    pointer = `${screenX} ${screenY}`;
    return before !== "" && before !== pointer;
  };
}

function listen(page: Window, input: (event: Event) => void, look: () => void): Stop {
  const heard = ({ key }: StorageEvent) => {
    if (key === STORAGE_KEYS.lastInput) look();
  };
  for (const type of INPUTS) page.addEventListener(type, input, { capture: true, passive: true });
  page.addEventListener("storage", heard);
  page.addEventListener("pageshow", look);
  page.document.addEventListener("visibilitychange", look);
  return () => {
    for (const type of INPUTS) page.removeEventListener(type, input, { capture: true });
    page.removeEventListener("storage", heard);
    page.removeEventListener("pageshow", look);
    page.document.removeEventListener("visibilitychange", look);
  };
}

type ReportDeps = {
  readonly watch: Pick<IdleWatch, "onInput">;
  readonly clock: { now(): number };
  readonly timers: Timers;
  /** Reports are this far apart at least, ms. */
  readonly everyMs: number;
  readonly report: () => void;
};

/**
 * Reports the player's inputs to the platform, which judges idleness itself: the first one at once, and those that follow once together, so
 * that what the platform knows is never older than the last input when the page falls silent.
 */
export function reportActivity({ watch, clock, timers, everyMs, report }: ReportDeps): Stop {
  let last = Number.NEGATIVE_INFINITY;
  let stopTimer: Stop | undefined;
  function send(): void {
    stopTimer = undefined;
    last = clock.now();
    report();
  }
  const stop = watch.onInput(() => {
    if (stopTimer !== undefined) return;
    const waitMs = last + everyMs - clock.now();
    if (waitMs <= 0 || waitMs > everyMs) send();
    else stopTimer = timers.after(waitMs, send);
  });
  return () => {
    stop();
    stopTimer?.();
  };
}

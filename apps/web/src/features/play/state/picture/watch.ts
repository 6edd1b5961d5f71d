/** Pictures that stay away this long are missing, ms. */
export const MISSING_MS = 1_500;
/** A connection that was just begun has longer: its keys are made first, ms. */
export const CONNECT_MS = 3_000;
/** From one attempt to the next, ms; doubles up to the most. */
const RETRY_MS = 2_500;
const RETRY_MS_MAX = 10_000;

export type WatchDeps = {
  readonly now: () => number;
  readonly live: (live: boolean) => void;
  /** Another way for the same connection. */
  readonly restart: () => void;
  /** Another connection. */
  readonly renew: () => void;
};

export type Watch = {
  /** A connection was begun: it has its time to bring pictures. */
  begin(): void;
  /** The bytes received so far; read regularly, it is what drives the watch. */
  bytes(total: number): void;
  /** The browser gave the connection up. */
  failed(): void;
};

/** Notices that no pictures come, and mends: first another way, then another connection, ever more patiently. */
export function createWatch(deps: WatchDeps): Watch {
  let last = -1;
  let grownAt = 0;
  let attempts = 0;
  let nextAt = Number.POSITIVE_INFINITY;
  let live = false;

  function say(next: boolean): void {
    if (live !== next) deps.live(next);
    live = next;
  }

  function mend(now: number): void {
    const first = attempts === 0;
    nextAt = now + Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** Math.max(0, attempts - 1));
    attempts += 1;
    if (first) deps.restart();
    else deps.renew();
  }

  return {
    begin() {
      last = -1;
      grownAt = deps.now();
      nextAt = Math.max(grownAt + CONNECT_MS, Number.isFinite(nextAt) ? nextAt : 0);
    },
    bytes(total) {
      const now = deps.now();
      // A new connection counts from zero again: less than before is news too.
      if (total !== last && total > 0) {
        last = total;
        grownAt = now;
        attempts = 0;
        nextAt = now + MISSING_MS;
        say(true);
        return;
      }
      if (now - grownAt >= MISSING_MS) say(false);
      if (now >= nextAt) mend(now);
    },
    failed() {
      say(false);
      attempts = Math.max(1, attempts);
      nextAt = deps.now();
    },
  };
}

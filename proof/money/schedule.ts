/** Ends a timer; calling it again does nothing. */
type Stop = () => void;
type Entry = { readonly at: number; readonly order: number; run: (() => void) | undefined };

/** Time of one life of a process: nothing of it runs any more once it is dead. */
type LifeClock = {
  now(): number;
  after(delayMs: number, run: () => void): Stop;
  every(periodMs: number, run: () => void): Stop;
};

/**
 * The only thing that makes anything happen: virtual time, one step after the other, each run to its end before the next. What is requested
 * of the real world (the database) stops it until the answer is there, so a seed always gives the same order.
 */
export interface Schedule {
  now(): number;
  after(delayMs: number, run: () => void): Stop;
  /** Time for one life of a process. */
  clockOf(life: { readonly dead: boolean }): LifeClock;
  /** Real work outside; nothing else runs meanwhile. */
  outside<T>(work: () => Promise<T>): Promise<T>;
  /** Lets time pass; sooner back when `done` holds. */
  pass(ms: number, done?: () => boolean): Promise<void>;
  /** Lets everything run that needs no time, then rejects with what went wrong, if anything did. */
  settle(): Promise<void>;
  /** Ends the run at the next step with this error. */
  fail(error: unknown): void;
  steps(): number;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function createSchedule(startMs: number): Schedule {
  const heap = createHeap();
  let now = startMs;
  let order = 0;
  let steps = 0;
  let outside = 0;
  let back: (() => void) | undefined;
  let failure: { error: unknown } | undefined;

  function after(delayMs: number, run: () => void): Stop {
    order += 1;
    const entry: Entry = { at: now + Math.max(0, delayMs), order, run };
    heap.push(entry);
    return () => {
      entry.run = undefined;
    };
  }

  async function settle(): Promise<void> {
    await turn();
    while (outside > 0) {
      await new Promise<void>((resolve) => {
        back = resolve;
      });
      await turn();
    }
    if (failure !== undefined) throw failure.error;
  }

  async function pass(ms: number, done?: () => boolean): Promise<void> {
    const end = now + ms;
    for (;;) {
      await settle();
      if (done?.() === true) return;
      const next = heap.next(end);
      if (next === undefined) break;
      now = Math.max(now, next.at);
      const { run } = next;
      next.run = undefined;
      steps += 1;
      run?.();
    }
    now = end;
  }

  return {
    now: () => now,
    after,
    pass,
    settle,
    steps: () => steps,
    fail: (error) => {
      failure ??= { error };
    },
    clockOf: (life) => clockOf(() => now, after, life),
    outside: async (work) => {
      outside += 1;
      try {
        return await work();
      } finally {
        outside -= 1;
        if (outside === 0) back?.();
      }
    },
  };
}

function clockOf(now: () => number, after: Schedule["after"], life: { readonly dead: boolean }): LifeClock {
  const alive = (run: () => void) => (): void => {
    if (!life.dead) run();
  };
  return {
    now,
    after: (delayMs, run) => after(delayMs, alive(run)),
    every(periodMs, run) {
      let stop: Stop;
      const again = (): void => {
        stop = after(
          periodMs,
          alive(() => {
            again();
            run();
          }),
        );
      };
      again();
      return () => stop();
    },
  };
}

const before = (one: Entry, other: Entry): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

/** A binary heap; entries that were stopped fall out when they come up. */
function createHeap() {
  const entries: Entry[] = [];

  function sink(entry: Entry): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const left = entries[child];
      if (left === undefined) break;
      const right = entries[child + 1];
      const least = right !== undefined && before(right, left) ? right : left;
      if (least === right) child += 1;
      if (!before(least, entry)) break;
      entries[at] = least;
      at = child;
    }
    entries[at] = entry;
  }

  function drop(): void {
    const last = entries.pop();
    if (last !== undefined && entries.length > 0) sink(last);
  }

  return {
    push(entry: Entry): void {
      let at = entries.length;
      entries.push(entry);
      while (at > 0) {
        const parent = (at - 1) >> 1;
        const above = entries[parent];
        if (above === undefined || before(above, entry)) break;
        entries[at] = above;
        at = parent;
      }
      entries[at] = entry;
    },
    /** Takes the next one that is due until `endMs`. */
    next(endMs: number): Entry | undefined {
      for (;;) {
        const first = entries[0];
        if (first === undefined || (first.run !== undefined && first.at > endMs)) return undefined;
        drop();
        if (first.run !== undefined) return first;
      }
    },
  };
}

/** Repeatable chance: the same seed gives the same world. */
export type Chance = {
  /** 0 to below 1. */
  next(): number;
  /** True in this share of all cases. */
  hits(share: number): boolean;
  /** A whole number, both ends included. */
  whole(least: number, most: number): number;
  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T;
  bytes(length: number): Buffer;
};

/** The generator sfc32: small, fast, and good enough to spread faults. */
export function createChance(seed: number): Chance {
  let [a, b, c, counter] = [seed | 0, (seed ^ 0x9e3779b9) | 0, 0x243f6a88 | 0, 1];
  const word = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  for (let turn = 0; turn < 12; turn += 1) word();
  const next = (): number => word() / 0x1_0000_0000;
  return {
    next,
    hits: (share) => next() < share,
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (from) => {
      const picked = from[Math.floor(next() * from.length)];
      if (picked === undefined) throw new Error("there is nothing to pick from");
      return picked;
    },
    bytes: (length) => {
      const bytes = Buffer.alloc(length);
      for (let at = 0; at < length; at += 1) bytes[at] = word() & 0xff;
      return bytes;
    },
  };
}

/** One life of a process, from its start to its end or its kill. */
export type Life = { dead: boolean; readonly name: string };

/** What never comes back to a process that is gone. */
export const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

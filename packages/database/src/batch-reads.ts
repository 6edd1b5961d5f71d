/** Batches under way at once: a second one once so many keys wait, and so on. Few and large ones cost the least. */
const [UNDER_WAY_MAX, WAITING_FOR_ANOTHER] = [4, 64];
/** Keys that have waited so long start another batch, ms: a connection may hang until its own limit. */
const LATE_MS = 250;
const KEYS_PER_BATCH_MAX = 500;

type Waiting<Value> = {
  readonly value: Promise<Value>;
  resolve(value: Value): void;
  reject(error: unknown): void;
};

/**
 * Returns a function that reads one key and joins concurrent calls into batches for `readAll`. A single call starts at once; calls during a batch
 * go into the next one, which starts after they were made: a value is never older than its call. A batch that fails fails for all its keys.
 */
export function batchReads<Value>(
  readAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  lateMs = LATE_MS,
): (key: string) => Promise<Value> {
  // A new map for each batch: a map that only grows and shrinks would keep its old entries in memory until a full collection.
  let waiting = new Map<string, Waiting<Value>>();
  let underWay = 0;
  let planned = false;
  let begun = 0;
  let watched = false;

  async function readBatch(): Promise<void> {
    const all = [...waiting];
    const batch = all.slice(0, KEYS_PER_BATCH_MAX);
    waiting = new Map(all.slice(KEYS_PER_BATCH_MAX));
    underWay += 1;
    begun += 1;
    try {
      const values = await readAll(batch.map(([key]) => key));
      for (const [key, { resolve, reject }] of batch) {
        const value = values.get(key);
        if (value === undefined) reject(new Error(`No value was read for ${key}.`));
        else resolve(value);
      }
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
    underWay -= 1;
    readSoon();
  }

  /** Waits for the calls that arrive in the same pass of the event loop: they come in bursts. */
  function readSoon(): void {
    if (planned || waiting.size === 0) return;
    if (underWay >= Math.min(UNDER_WAY_MAX, 1 + Math.floor(waiting.size / WAITING_FOR_ANOTHER))) {
      if (!watched) setTimeout(readWhenLate, lateMs, begun).unref();
      watched = true;
      return;
    }
    planned = true;
    setImmediate(() => {
      planned = false;
      if (waiting.size > 0) void readBatch();
      readSoon();
    });
  }

  /** `before`: how many batches had begun when the wait started. */
  function readWhenLate(before: number): void {
    watched = false;
    if (begun === before && waiting.size > 0 && underWay < UNDER_WAY_MAX) void readBatch();
    readSoon();
  }

  return (key) => {
    const known = waiting.get(key);
    if (known !== undefined) return known.value;
    const { promise: value, resolve, reject } = Promise.withResolvers<Value>();
    waiting.set(key, { value, resolve, reject });
    readSoon();
    return value;
  };
}

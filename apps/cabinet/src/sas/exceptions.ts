/** Exceptions: the events that a machine reports to a host that polls it. Facts after SAS 6.02; where it leaves the order open, the order below is ours. */

/** Go first, in this order, and do not use a place of the queue. */
export const PRIORITY: readonly number[] = [
  0x57, 0x67, 0x68, 0x3f, 0x6a, 0x6b, 0x6f, 0x69, 0x6c, 0x6d, 0x51, 0x52, 0x3d, 0x8f, 0x70,
];
/** Only a host that has real-time events on gets these, and they are never kept. */
export const REAL_TIME_ONLY: ReadonlySet<number> = new Set([0x88, 0x89]);
export const QUEUE_LENGTH = 20;
export const OVERFLOW = 0x70;
export const IDLE = 0x00;
/** Idle, and the player has to choose something. */
export const WAITS_FOR_PLAYER = 0x1f;

/** `data` follows the code in a real-time event. */
export type Exception = { code: number; data: number[] };
export type ExceptionStore = { queue: Exception[]; priority: Exception[] };

/** Queues an exception. A full queue loses its oldest and says so by 70. */
export function raise(store: ExceptionStore, code: number, data: readonly number[] = []): void {
  const exception = { code, data: [...data] };
  if (PRIORITY.includes(code)) {
    if (!store.priority.some((one) => one.code === code)) store.priority.push(exception);
    return;
  }
  store.queue.push(exception);
  while (store.queue.length > QUEUE_LENGTH) {
    store.queue.shift();
    raise(store, OVERFLOW);
  }
}

/** What the next poll gets. */
export function head(store: ExceptionStore): Exception | null {
  const first = [...store.priority].sort((a, b) => PRIORITY.indexOf(a.code) - PRIORITY.indexOf(b.code))[0];
  return first ?? store.queue[0] ?? null;
}

/** Removes an exception that the host has acknowledged. */
export function drop(store: ExceptionStore, exception: Exception): void {
  store.priority = store.priority.filter((one) => one !== exception);
  store.queue = store.queue.filter((one) => one !== exception);
}

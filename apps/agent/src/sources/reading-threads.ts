import type { MachineConfig } from "../config/machines.ts";

/** What the process has without us, for files and encoders. */
const THREADS_ALWAYS = 4;

/**
 * Threads that the process's pool needs: an open input holds one of them while it waits for its device, and without more of them
 * encoders and files would wait too. Must be set as UV_THREADPOOL_SIZE before the pool is first used.
 */
export function readingThreads(machines: readonly MachineConfig[]): number {
  const inputs = machines.flatMap(({ picture, sound, roomCamera }) => [picture, sound, roomCamera]);
  return THREADS_ALWAYS + inputs.filter((input) => input !== undefined && input.kind !== "none").length;
}

import type { Clock } from "../clock.ts";
import { pollUntil } from "../clock.ts";
import type { Log } from "../log.ts";
import { EmbeddedPostgresError } from "./failure.ts";
import { isAlive, processBirth } from "./process-table.ts";

/** Rising force. Fast shutdown ends open transactions and writes everything down; the later ones make recovery necessary. */
const steps = [
  { signal: "SIGINT", waitMs: 30_000 },
  { signal: "SIGQUIT", waitMs: 5_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
] as const;

/** Stops a server by its process id and waits until it is gone. @throws EmbeddedPostgresError when it cannot be stopped. */
export async function stopServer(pid: number, clock: Clock, log: Log): Promise<void> {
  for (const { signal, waitMs } of steps) {
    if (!send(pid, signal)) return;
    const gone = await pollUntil(clock, waitMs, async () =>
      (await processBirth(pid)) === undefined ? true : undefined,
    );
    if (gone) return;
    log.warn({ pid, signal }, "the database server did not end in time");
  }
  if (isAlive(pid)) {
    throw new EmbeddedPostgresError(`The database server (process ${pid}) cannot be stopped: end it and start again.`);
  }
}

/** @returns false when the process is gone already. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw new EmbeddedPostgresError(
      `The database server (process ${pid}) of this data folder belongs to another user: end it as that user, then start again.`,
      { cause: error },
    );
  }
}

import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@longarm/database/clock";
import { startEmbeddedPostgres } from "@longarm/database/embedded-server";
import { silentLog } from "@longarm/database/log";

/** Runs a proof on a PostgreSQL server of its own, without fsync; Ctrl+C ends the server too. `work` gets its address. */
export async function withServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "longarm-proof-"));
  // As root the server runs as another user, who must be able to walk in.
  await chmod(folder, 0o711);
  const server = await startEmbeddedPostgres({ folder, log: silentLog, clock: systemClock, fast: true });
  const end = async (): Promise<void> => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const stopped = (): void => void end().finally(() => process.exit(130));
  process.once("SIGINT", stopped).once("SIGTERM", stopped);
  try {
    return await work(server.url);
  } finally {
    process.off("SIGINT", stopped).off("SIGTERM", stopped);
    await end();
  }
}

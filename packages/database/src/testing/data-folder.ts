import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A fresh data folder for tests that start an embedded server (or a whole platform) in it. Others may walk in: as root the
 * server is another user, and a closed folder would send its cluster to /var/lib/longarm, where it would stay.
 */
export async function temporaryDataFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "longarm-data-"));
  await chmod(folder, 0o711);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

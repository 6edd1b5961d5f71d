import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Another agent works in the folder: two journals of one machine would both be wrong. */
export class FolderTaken extends Error {
  override readonly name = "FolderTaken";
}

/**
 * Makes sure that one agent works in a folder at a time. The lock is a listening name that the system takes away when the process is
 * gone, however it went. Resolves to how to let go; rejects with `FolderTaken`.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const digest = createHash("sha256")
    .update(await realpath(folder))
    .digest("hex")
    .slice(0, 32);
  const server = createServer((socket) => socket.destroy());
  server.unref();
  await new Promise<void>((locked, failed) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = new FolderTaken(
        `Another agent already works in ${folder}. Stop it, or give this one its own folder.`,
      );
      failed(error.code === "EADDRINUSE" ? taken : error);
    });
    server.listen(lockName(digest), locked);
  });
  return () => new Promise((released) => server.close(() => released()));
}

/** Linux: an abstract name, no file; Windows: a pipe; elsewhere a socket file, which a kill -9 leaves behind. */
function lockName(digest: string): string {
  if (process.platform === "linux") return `\0longarm-agent-${digest}`;
  return process.platform === "win32"
    ? `\\\\.\\pipe\\longarm-agent-${digest}`
    : join(tmpdir(), `longarm-${digest}.sock`);
}

import type { FileHandle } from "node:fs/promises";
import { open, rm } from "node:fs/promises";
import { CommandRefused } from "./command.ts";
import { printableLine } from "./output.ts";

/**
 * Writes a new file that only its owner may read: what is exported names players. It is removed again when `write` fails.
 * @throws {CommandRefused} when it exists or cannot be made.
 */
export async function newFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await opened(path);
  try {
    await write(file);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close().catch(() => undefined);
  }
}

/** Never a file that exists: the command line may run as root. */
async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const name = printableLine(path);
    throw new CommandRefused(
      code === "EEXIST" ? `${name} is there already: name a new file.` : `${name} cannot be written (${code}).`,
      { cause: error },
    );
  }
}

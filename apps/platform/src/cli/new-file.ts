import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { CommandRefused } from "./command.ts";
import { printableLine } from "./output.ts";

/**
 * Opens a new file that only its owner may read: what is exported names players. Never opens a file that exists: the command line may run as root.
 * @throws {CommandRefused} when it exists or cannot be made.
 */
export async function newFile(path: string): Promise<FileHandle> {
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

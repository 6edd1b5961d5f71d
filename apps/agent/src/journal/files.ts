import type { FileHandle } from "node:fs/promises";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";

/** An open file. Every call may reject with the system's own error (`code` ENOSPC, EIO …). */
export interface JournalFile {
  /** Writes all bytes at `position`, or rejects; some of them may be there then. */
  write(bytes: Buffer, position: number): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Resolves when what was written survives a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** What the journal asks of a file system; an argument, so that tests can fill the disk. */
export interface JournalFiles {
  makeFolder(path: string): Promise<void>;
  /** Undefined: there is no such file. */
  read(path: string): Promise<Buffer | undefined>;
  /** Opens for writing, keeping what is there; creates it where missing. */
  open(path: string): Promise<JournalFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes names in the folder durable. */
  syncFolder(path: string): Promise<void>;
}

export const systemFiles: JournalFiles = {
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true });
  },
  read: async (path) => {
    try {
      return await readFile(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  },
  open: async (path) => systemFile(await openKeeping(path)),
  rename,
  remove: (path) => rm(path, { force: true }),
  syncFolder: async (path) => {
    // Windows cannot open a folder; its rename is durable enough by itself.
    if (process.platform === "win32") return;
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
};

async function openKeeping(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r+");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return await open(path, "wx+", 0o600);
  }
}

function systemFile(handle: FileHandle): JournalFile {
  return {
    write: async (bytes, position) => {
      let written = 0;
      while (written < bytes.length) {
        const step = await handle.write(bytes, written, bytes.length - written, position + written);
        written += step.bytesWritten;
      }
    },
    truncate: (length) => handle.truncate(length),
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

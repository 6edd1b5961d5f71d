import type { FileHandle } from "node:fs/promises";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import type { Files, OpenFile } from "./ports/files.ts";

/** The files of this computer. */
export const systemFiles: Files = {
  makeFolder: async (path, mode) => {
    await mkdir(path, { recursive: true, ...(mode !== undefined && { mode }) });
  },
  list: (path) => readdir(path),
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
  remove: (path) => rm(path, { force: true, recursive: true }),
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

function systemFile(handle: FileHandle): OpenFile {
  return {
    size: async () => (await handle.stat()).size,
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

// The folder of one run of `npm test`: reports, output, and every temporary file of its tests.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endStrays } from "./strays.ts";

export interface Scratch {
  /** Reports and output. */
  folder: string;
  /** The folder of the steps for temporary files, which other users may use too: as root we run PostgreSQL as another one. */
  temporary: string;
}

/** Linux keeps the files of this folder in memory. */
const MEMORY = "/dev/shm";
/** What a run writes at most, and what its programs need beside that, bytes. */
const FILES_MAX = 4 * 1024 ** 3;
const PROGRAMS_MAX = 4 * 1024 ** 3;
const NAME = /^longarm-(\d+)-/;

/** Makes the folder, and removes what killed runs left beside it. */
export function makeScratch(parent = scratchParent()): Scratch {
  for (const left of readdirSync(parent)) {
    const owner = NAME.exec(left)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) removeScratch(join(parent, left));
  }
  const folder = mkdtempSync(join(parent, `longarm-${process.pid}-`));
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  chmodSync(folder, 0o711);
  chmodSync(temporary, 0o1777);
  return { folder, temporary };
}

/**
 * Memory, where there is plenty and programs may run from it: the tests make and remove some hundred thousand small files, mostly
 * those of databases, and a disk's file system costs several times as much processor time for each.
 */
export function scratchParent(mounts = readMounts(), available = process.availableMemory(), free = freeBytes): string {
  const mount = mounts.split("\n").find((line) => line.split(" ")[1] === MEMORY);
  const [, , kind, options = ""] = mount?.split(" ") ?? [];
  const runs = kind === "tmpfs" && !options.split(",").some((option) => option === "noexec" || option === "ro");
  return runs && available >= FILES_MAX + PROGRAMS_MAX && free() >= FILES_MAX ? MEMORY : tmpdir();
}

/** Empty on systems without it (macOS, Windows). */
function readMounts(): string {
  try {
    return readFileSync("/proc/self/mounts", "utf8");
  } catch {
    return "";
  }
}

function freeBytes(): number {
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize;
}

/** Also true for the process of another user, which we may not signal. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Ends what still runs in it, and removes it. */
export function removeScratch(folder: string): void {
  endStrays(folder);
  try {
    // Programs that were killed a moment ago may still be letting go of their files.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  } catch (error) {
    process.stdout.write(`Left behind: ${folder} (${error})\n`);
  }
}

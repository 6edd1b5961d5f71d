import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { ServerUser } from "./server-user.ts";

const EXECUTE = 1;

/** Whether `user` may walk into `folder`: every folder from the root down lets it pass. Undefined: we ourselves, who may. */
export async function canReach(folder: string, user: ServerUser | undefined): Promise<boolean> {
  if (!user) return true;
  for (let at = resolve(folder); ; at = dirname(at)) {
    // A folder that is not there yet will be made by us, open enough.
    const found = await stat(at).catch(() => undefined);
    if (found && !mayPass(found, user)) return false;
    if (dirname(at) === at) return true;
  }
}

function mayPass(found: { mode: number; uid: number; gid: number }, user: ServerUser): boolean {
  if (found.uid === user.uid) return (found.mode & (EXECUTE << 6)) !== 0;
  if (found.gid === user.gid) return (found.mode & (EXECUTE << 3)) !== 0;
  return (found.mode & EXECUTE) !== 0;
}

/**
 * Makes `folder` and what is missing above it. With a dropped user the new folders let others walk through, whatever the
 * umask of root is; folders that were there keep their mode.
 */
export async function makeFolder(folder: string, user: ServerUser | undefined): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (!first || !user) return;
  for (let at = resolve(folder); at.length >= first.length; at = dirname(at)) await chmod(at, 0o755);
}

/** Makes a copied tree readable for every user: it may come from an installation with a strict umask. */
export async function openForReading(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openForReading(path);
    else if (entry.isFile()) {
      const { mode } = await stat(path);
      await chmod(path, mode & (EXECUTE << 6) ? 0o755 : 0o644);
    }
  }
}

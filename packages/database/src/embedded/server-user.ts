import { chmod, mkdir, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { EmbeddedPostgresError } from "./failure.ts";

/** The user PostgreSQL runs as, when it is not the user of this process. */
export type ServerUser = { readonly uid: number; readonly gid: number; readonly name: string };

/** Tried in this order. All exist from the start on the systems we know, so that no user has to be made. */
const candidates = ["nobody", "postgres", "daemon"];

/** Reads `/etc/passwd` text. Lines that do not parse are skipped. */
export function parsePasswd(text: string): ServerUser[] {
  return text.split("\n").flatMap((line) => {
    const [name, , uid, gid] = line.split(":");
    if (name === undefined || !/^-?\d+$/.test(uid ?? "") || !/^-?\d+$/.test(gid ?? "")) return [];
    // macOS writes its nobody as -2: the same 32 bits.
    return [{ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }];
  });
}

/**
 * Who runs the server: undefined means "as we are". PostgreSQL refuses to run as root, so root drops to the owner of the
 * cluster that is there, or else to an unprivileged user of the system.
 * @throws EmbeddedPostgresError when no such user exists.
 */
export async function chooseServerUser(dataFolder: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = parsePasswd(await readFile("/etc/passwd", "utf8").catch(() => ""));
  const owner = await stat(dataFolder).catch(() => undefined);
  if (owner && owner.uid !== 0) {
    const known = users.find(({ uid }) => uid === owner.uid);
    return { uid: owner.uid, gid: owner.gid, name: known?.name ?? String(owner.uid) };
  }
  const chosen = candidates.map((name) => users.find((user) => user.name === name)).find((user) => user !== undefined);
  if (chosen) return chosen;
  throw new EmbeddedPostgresError(
    "PostgreSQL does not run as root and this system has no user nobody: start Longarm as an ordinary user, or set DATABASE_URL.",
  );
}

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

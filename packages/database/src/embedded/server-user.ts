import { readFile, stat } from "node:fs/promises";
import { EmbeddedPostgresError } from "./failure.ts";

/** The user PostgreSQL runs as, when it is not the one that runs us. */
export type ServerUser = { readonly uid: number; readonly gid: number; readonly name: string };

/** Tried in this order. All exist from the start on the systems we know, so that no user has to be made. */
const candidates = ["nobody", "postgres", "daemon"];

/** Reads `/etc/passwd` text. Lines that do not parse are passed over. */
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

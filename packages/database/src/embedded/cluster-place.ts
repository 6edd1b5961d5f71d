import { randomBytes } from "node:crypto";
import { link, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { EmbeddedPostgresError } from "./failure.ts";
import { canReach, makeFolder } from "./reach.ts";
import type { ServerUser } from "./server-user.ts";

/** Where system packages keep data: the place of clusters that cannot lie in the data folder itself. */
export const SYSTEM_FOLDER = "/var/lib/longarm";

/** The files of one cluster. `home` is ours, `data` belongs to the server's user. */
export type ClusterPlace = {
  readonly home: string;
  readonly data: string;
  readonly log: string;
  /** In the caller's data folder, mode 0600. */
  readonly password: string;
};

const POINTER = "postgresql.place";

function placeAt(home: string, folder: string): ClusterPlace {
  return {
    home,
    data: join(home, "data"),
    log: join(home, "server.log"),
    password: join(folder, "postgresql.password"),
  };
}

/**
 * Where the cluster of this data folder lives: in the folder, or, when the server's user cannot walk there (a repository
 * under /root), under `systemFolder` with a pointer file in the data folder.
 * @throws EmbeddedPostgresError when the pointer leads nowhere: starting anew beside lost money would hide the loss.
 */
export async function findClusterPlace(
  folder: string,
  user: ServerUser | undefined,
  systemFolder = SYSTEM_FOLDER,
): Promise<ClusterPlace> {
  const own = resolve(folder);
  const pointed = await readPointer(own);
  if (pointed) return placeAt(pointed, own);
  const inside = join(own, "postgresql");
  if (await canReach(inside, user)) {
    await makeFolder(inside, user);
    return placeAt(inside, own);
  }
  if (await exists(join(inside, "data"))) {
    throw new EmbeddedPostgresError(
      `The database in ${inside} belongs to ${user?.name}, who can no longer walk into that folder: open the folders above it (chmod o+x) or move it back.`,
    );
  }
  return placeAt(await pointOutside(own, systemFolder, user), own);
}

/** Where the cluster of this data folder lies, if it has one; nothing is made. @throws as `findClusterPlace` does. */
export async function knownClusterPlace(folder: string): Promise<ClusterPlace | undefined> {
  const own = resolve(folder);
  const place = placeAt((await readPointer(own)) ?? join(own, "postgresql"), own);
  return (await exists(place.password)) ? place : undefined;
}

async function readPointer(folder: string): Promise<string | undefined> {
  const pointer = join(folder, POINTER);
  const text = await readFile(pointer, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  const home = text?.trim();
  if (home === undefined) return undefined;
  if (home.startsWith("/") && (await exists(home))) return home;
  throw new EmbeddedPostgresError(
    `${pointer} says that the database lives in "${home.slice(0, 200)}", which is not there: bring that folder back, or remove the pointer to begin with an empty database.`,
  );
}

async function pointOutside(folder: string, systemFolder: string, user: ServerUser | undefined): Promise<string> {
  const home = join(systemFolder, randomBytes(8).toString("hex"));
  if (!(await canReach(systemFolder, user))) {
    throw new EmbeddedPostgresError(
      `User ${user?.name} can walk neither into ${folder} nor into ${systemFolder}: use a data folder that every user can walk into, or set DATABASE_URL.`,
    );
  }
  await makeFolder(home, user);
  const written = join(folder, `${POINTER}.${basename(home)}`);
  try {
    // Written first and then given its name: another start never reads half a pointer.
    await writeFile(written, `${home}\n`, { flag: "wx" });
    await link(written, join(folder, POINTER));
    return home;
  } catch (error) {
    // Two first starts at once: the pointer that stands is the truth for both.
    const winner = await readPointer(folder);
    if (winner) return winner;
    throw error;
  } finally {
    await rm(written, { force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

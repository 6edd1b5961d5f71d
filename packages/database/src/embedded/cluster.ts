import { randomBytes } from "node:crypto";
import { chmod, chown, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { EmbeddedPostgresError, explainFailure } from "./failure.ts";
import type { Binaries } from "./programs.ts";
import { runProgram } from "./programs.ts";
import type { ServerUser } from "./server-user.ts";
import { canReach, makeFolder } from "./server-user.ts";

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
    // Two first starts at once: the pointer that exists is valid for both.
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

/** The role that owns everything in an embedded cluster. */
export const ROLE = "longarm";

/**
 * Makes the cluster unless it is there. It is drafted beside its place and renamed when whole, so that a process killed in
 * the middle leaves nothing that looks like a database.
 * @returns the password of the role.
 */
export async function ensureCluster(
  place: ClusterPlace,
  binaries: Binaries,
  user: ServerUser | undefined,
  fast: boolean,
): Promise<string> {
  await sweepDrafts(place);
  if ((await stat(join(place.data, "PG_VERSION")).catch(() => undefined)) !== undefined) return readPassword(place);
  const password = randomBytes(24).toString("base64url");
  await writeFile(place.password, password, { mode: 0o600 });
  await chmod(place.password, 0o600);
  const draft = `${place.data}.${randomBytes(6).toString("hex")}.draft`;
  await mkdir(draft, { mode: 0o700 });
  const secret = `${draft}.secret`;
  try {
    await writeFile(secret, password, { mode: 0o600, flag: "wx" });
    if (user) for (const path of [draft, secret]) await chown(path, user.uid, user.gid);
    const made = await runProgram(binaries.initdb, initdbArguments(draft, secret, fast), { user, home: place.home });
    if (made.code !== 0) throw explainFailure("initdb", place.home, made.output);
    await rename(draft, place.data);
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(secret, { force: true });
  }
  return password;
}

/** The built-in C.UTF-8 sorts alike on every computer and needs neither the system's locales nor ICU. */
function initdbArguments(data: string, secret: string, fast: boolean): string[] {
  return [
    `--pgdata=${data}`,
    `--username=${ROLE}`,
    `--pwfile=${secret}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
    // A password check of the usual 4,096 rounds costs each side of each connection some milliseconds.
    ...(fast ? ["--no-sync", "--set=scram_iterations=1"] : []),
  ];
}

async function readPassword(place: ClusterPlace): Promise<string> {
  const password = (await readFile(place.password, "utf8").catch(() => "")).trim();
  if (password !== "") return password;
  throw new EmbeddedPostgresError(
    `The password of the database is missing from ${place.password}: bring the file back from your copy of the data folder.`,
  );
}

/** Drafts are left by a process killed while it made the cluster; the holder of the owner's lock may remove them. */
async function sweepDrafts(place: ClusterPlace): Promise<void> {
  for (const name of await readdir(place.home)) {
    if (/^data\.[0-9a-f]+\.draft(\.secret)?$/.test(name))
      await rm(join(place.home, name), { recursive: true, force: true });
  }
}

import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";
import type { ClusterPlace } from "./cluster-place.ts";
import { EmbeddedPostgresError, explainFailure } from "./failure.ts";
import { runProgram } from "./programs.ts";
import type { ServerUser } from "./server-user.ts";

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
    ...(fast ? ["--no-sync"] : []),
  ];
}

async function readPassword(place: ClusterPlace): Promise<string> {
  const password = (await readFile(place.password, "utf8").catch(() => "")).trim();
  if (password !== "") return password;
  throw new EmbeddedPostgresError(
    `The password of the database is missing from ${place.password}: bring the file back from your copy of the data folder.`,
  );
}

/** Drafts are left by a process killed while it made the cluster; whoever holds the owner's lock may remove them. */
async function sweepDrafts(place: ClusterPlace): Promise<void> {
  for (const name of await readdir(place.home)) {
    if (/^data\.[0-9a-f]+\.draft(\.secret)?$/.test(name))
      await rm(join(place.home, name), { recursive: true, force: true });
  }
}

import { randomBytes } from "node:crypto";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../clock.ts";
import { pollUntil } from "../clock.ts";
import { EmbeddedPostgresError } from "./failure.ts";
import { processBirth } from "./process-table.ts";

/** Says which process of ours runs the server of a cluster. The mark of a killed owner counts for nothing. */
export type OwnerLock = { release(): Promise<void> };

type Owner = {
  readonly pid: number;
  readonly birth: string;
  readonly token: string;
  /** It owns the cluster; false: it is still looking for others. Marks of older versions do not say it and count as settled. */
  readonly settled: boolean;
};
type Contest = { readonly lostTo: Owner | undefined };

/** How long a starter waits for a weaker rival to give up or to settle; each needs only a moment, but a busy computer makes seconds of it. */
const CONTEST_LIMIT_MS = 30_000;

const markName = /^owner\.[0-9a-f]+\.json$/;

/**
 * Takes the lock of the cluster in `home`. Every starter first puts a mark of its own there and only then looks for others:
 * of two, at least one sees the other, so there are never two owners. Among starters at the same moment the smaller token
 * stays; an owner that is settled stays anyway, and its mark says so.
 * @throws EmbeddedPostgresError when a living process owns the cluster.
 */
export async function takeOwnerLock(home: string, clock: Clock): Promise<OwnerLock> {
  const token = randomBytes(12).toString("hex");
  const mark = join(home, `owner.${token}.json`);
  const birth = (await processBirth(process.pid)) ?? "";
  const writeMark = (settled: boolean) =>
    writeWhole(mark, JSON.stringify({ pid: process.pid, birth, token, settled } satisfies Owner));
  await writeMark(false);
  let rival: Owner | undefined;
  const contest = await pollUntil<Contest>(clock, CONTEST_LIMIT_MS, async () => {
    const others = await livingOthers(home, token);
    rival = others[0];
    if (!rival) return { lostTo: undefined };
    const stronger = others.find((other) => other.settled || other.token < token);
    return stronger && { lostTo: stronger };
  });
  const lostTo = contest ? contest.lostTo : rival;
  if (!lostTo) {
    await writeMark(true).catch(async (error: unknown) => {
      await rm(mark, { force: true });
      throw error;
    });
    return { release: () => rm(mark, { force: true }) };
  }
  await rm(mark, { force: true });
  throw new EmbeddedPostgresError(
    `Another Longarm (process ${lostTo.pid}) is using this data folder: stop it first, or name another data folder.`,
  );
}

/** Writes beside and renames into place, so that no process reads half a mark. */
async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`;
  try {
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Owners other than us that live; the marks of dead ones are removed. */
async function livingOthers(home: string, token: string): Promise<Owner[]> {
  const found: Owner[] = [];
  for (const name of await readdir(home)) {
    if (!markName.test(name) || name === `owner.${token}.json`) continue;
    const text = await readFile(join(home, name), "utf8").catch(() => undefined);
    // Released between our two looks.
    if (text === undefined) continue;
    const owner = readOwner(text);
    if (owner && (await processBirth(owner.pid)) === owner.birth) found.push(owner);
    else await rm(join(home, name), { force: true });
  }
  return found;
}

function readOwner(text: string): Owner | undefined {
  try {
    const { pid, birth, token, settled = true }: Record<string, unknown> = JSON.parse(text);
    if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) return undefined;
    return typeof birth === "string" && typeof token === "string"
      ? { pid, birth, token, settled: settled === true }
      : undefined;
  } catch {
    return undefined;
  }
}

import type { LockPackages } from "../../lock/missing.ts";
import { missingOptionals } from "../../lock/missing.ts";
import type { Breach } from "../source/breach.ts";

export interface Manifest {
  path: string;
  content: Record<string, unknown>;
}

const kinds = ["dependencies", "devDependencies", "optionalDependencies"];

/** Versions that are not exact: another computer would get another program. */
export function pinBreaches({ path, content }: Manifest): Breach[] {
  const wanted = kinds.flatMap((kind) => Object.entries((content[kind] ?? {}) as Record<string, string>));
  return wanted
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    .map(([name, version]) => ({ path, sentence: `asks for ${name} ${version}: pin one exact version.` }));
}

/** What makes `npm ci` fail, or install from where the lock file's writer happened to be. */
export function lockBreaches(packages: LockPackages, path = "package-lock.json"): Breach[] {
  const missing = missingOptionals(packages).map(({ name, owner }) => ({
    path,
    sentence: `names ${name} (of ${owner}) but has no entry for it: run \`node tooling/lock/complete.ts\`.`,
  }));
  const fixed = Object.entries(packages)
    .filter(([, entry]) => entry.link !== true && entry.resolved !== undefined)
    .map(([place, entry]) => ({
      path,
      sentence: `says where to get ${place} (${entry.resolved}): write it with the repository's .npmrc, which leaves that out.`,
    }));
  return [...missing, ...fixed];
}

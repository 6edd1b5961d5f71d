import type { Platform } from "./platforms.ts";

export interface LockEntry extends Platform {
  version?: string;
  resolved?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
}

export type LockPackages = Record<string, LockEntry>;

/** One optional package that a locked package names and the lock file does not have. */
export interface MissingOptional {
  name: string;
  version: string;
  /** Where in node_modules its entry belongs. */
  path: string;
  /** The entry that names it. */
  owner: string;
}

/**
 * Optional packages without an entry. npm leaves them out when its registry lacks them (a mirror that is
 * behind), and then `npm ci` refuses the lock file everywhere; so each must have an entry.
 */
export function missingOptionals(packages: LockPackages): MissingOptional[] {
  return Object.entries(packages).flatMap(([owner, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !isResolvable(packages, owner, name))
      .map(([name, version]) => ({ name, version, path: `node_modules/${name}`, owner })),
  );
}

/** Node's own way of looking: in the owner's node_modules, then in that of each folder above. */
function isResolvable(packages: LockPackages, owner: string, name: string): boolean {
  for (let folder = owner; ; folder = parentOf(folder)) {
    if (`${folder === "" ? "" : `${folder}/`}node_modules/${name}` in packages) return true;
    if (folder === "") return false;
  }
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

// Whether node_modules holds what the lock file says.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, os?: string[] | string, cpu?: string[] | string }} LockEntry */

/** @param {string} root */
const stampPath = (root) => join(root, "node_modules", ".bootstrap");

/** What npm itself wrote down after its last install. @param {string} root */
const npmRecordPath = (root) => join(root, "node_modules", ".package-lock.json");

/**
 * The fingerprint of what must be installed here: the lock file's bytes and the kind of computer.
 * @param {string} root
 */
export function fingerprint(root) {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  return hash.update(`${process.platform}/${process.arch}`).digest("hex");
}

/** @param {string} root */
export function isStamped(root) {
  try {
    return readFileSync(stampPath(root), "utf8") === fingerprint(root);
  } catch {
    return false;
  }
}

/** @param {string} root */
export const writeStamp = (root) => writeFileSync(stampPath(root), fingerprint(root));

/**
 * Before an install begins: one that is cut off, even while it deletes, must not look finished. npm's own record goes too.
 * @param {string} root
 */
export function removeStamp(root) {
  for (const path of [stampPath(root), npmRecordPath(root)]) rmSync(path, { force: true });
}

/**
 * The packages of the lock file that belong on this computer, by their path in node_modules.
 * @param {string} root
 * @returns {Map<string, LockEntry>}
 */
export function wantedPackages(root) {
  const wanted = new Map();
  for (const [path, entry] of Object.entries(readLock(join(root, "package-lock.json")))) {
    if (path.includes("node_modules/") && !entry.link && fits(entry)) wanted.set(path, entry);
  }
  return wanted;
}

/**
 * True when somebody has already installed exactly this by hand (`npm install` after a change); npm writes
 * its own record last, so an install that was cut off has none.
 * @param {string} root
 */
export function isInstalledByHand(root) {
  let installed;
  try {
    installed = readLock(npmRecordPath(root));
  } catch {
    return false;
  }
  for (const [path, entry] of wantedPackages(root)) {
    const found = installed[path];
    if (found === undefined && entry.optional) continue;
    if (found?.version !== entry.version || found?.integrity !== entry.integrity) return false;
    if (!existsSync(join(root, path, "package.json"))) return false;
  }
  return true;
}

/**
 * @param {string} path
 * @returns {Record<string, LockEntry>}
 */
function readLock(path) {
  return JSON.parse(readFileSync(path, "utf8")).packages ?? {};
}

/** @param {LockEntry} entry */
function fits(entry) {
  return allows(entry.os, process.platform) && allows(entry.cpu, process.arch);
}

/**
 * npm's rule: a list of names that are allowed, or of names with `!` that are not.
 * @param {string[] | string | undefined} field one name alone is allowed too
 * @param {string} name
 */
function allows(field, name) {
  const list = [field ?? []].flat();
  if (list.length === 0 || list.includes("any")) return true;
  if (list.includes(`!${name}`)) return false;
  return list.includes(name) || list.every((item) => item.startsWith("!"));
}

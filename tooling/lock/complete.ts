// `node tooling/lock/complete.ts`: gives every optional package that the lock file names but lacks an entry of its own.
// Run it after `npm install` when the rule about the lock file asks for it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LockPackages } from "./missing.ts";
import { missingOptionals } from "./missing.ts";
import { platformInName } from "./platforms.ts";

const path = join(import.meta.dirname, "../../package-lock.json");
const lock: { packages: LockPackages } = JSON.parse(readFileSync(path, "utf8"));
const missing = missingOptionals(lock.packages);

for (const { name, version, path: place, owner } of missing) {
  const platform = platformInName(name);
  if (platform === undefined)
    throw new Error(
      `${name} (wanted by ${owner}) does not say its platform in its name: add it to package-lock.json by hand.`,
    );
  const dev = lock.packages[owner]?.dev === true;
  lock.packages[place] = { version, ...(dev ? { dev } : {}), optional: true, ...platform };
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en"));
lock.packages = Object.fromEntries(sorted);
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${missing.length} entries added to package-lock.json.\n`);

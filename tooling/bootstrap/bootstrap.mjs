import { existsSync } from "node:fs";
import { join } from "node:path";
import { Advice, adviseOnWrite } from "./advice.mjs";
import { install } from "./install.mjs";
import { withLock } from "./lock.mjs";
import { ensureNode24, localNode } from "./node24.mjs";
import { isInstalledByHand, isStamped, removeStamp, wantedPackages, writeStamp } from "./stamp.mjs";

/** @typedef {{ root: string, env: NodeJS.ProcessEnv, say: (line: string) => void }} Deps */

/**
 * Makes the repository ready to run: does nothing, at once, when it is. Throws Advice with a sentence when it cannot.
 * @param {Deps} deps
 */
export async function bootstrap(deps) {
  const { root } = deps;
  if (isReady(root)) return;
  if (!existsSync(join(root, "package-lock.json"))) {
    throw new Advice(`${root} has no package-lock.json, so this is not a whole clone of Longarm: clone it again.`);
  }
  const onWait = (/** @type {string} */ holder) =>
    deps.say(`Another install is under way here (${holder}); waiting for it.`);
  try {
    await withLock(join(root, ".cache", "bootstrap.lock"), { onWait }, async (lock) => {
      if (!isReady(root)) await makeReady(deps, lock.addProcess);
    });
  } catch (error) {
    throw adviseOnWrite(error, root);
  }
}

/** @param {string} root */
const isReady = (root) => isStamped(root) && existsSync(localNode(root));

/**
 * @param {Deps} deps
 * @param {(pid: number) => void} onNpm
 */
async function makeReady(deps, onNpm) {
  const { root, env, say } = deps;
  const started = process.hrtime.bigint();
  if (!isInstalledByHand(root)) {
    say(`Longarm: installing ${wantedPackages(root).size} packages; this happens once and takes about a minute.`);
    removeStamp(root);
    await install(deps, onNpm);
  }
  const version = ensureNode24(root, env);
  writeStamp(root);
  const seconds = Number((process.hrtime.bigint() - started) / 1_000_000_000n);
  say(`Longarm: ready after ${seconds} s, on Node ${version}.`);
}

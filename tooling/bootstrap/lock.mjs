// A lock between processes: a file with the holder's process id. A holder that died is noticed, so a crash locks nobody out;
// a process it started and that goes on without it (npm) keeps the lock until it ends.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** How often a waiter looks, and how often the holder shows that it lives. */
const lookEveryMs = 250;
/** A holder on another host (a shared folder) that has not shown itself for so long is taken for dead. */
const silentHolderMs = 60_000;
/** A lock file that is being written, or a take-over, lasts microseconds; after this it is a left-over. */
const leftoverMs = 10_000;

/** @typedef {{ pid: number, startedAt: string }} Worker one process that works under the lock */
/** @typedef {{ host: string, workers: Worker[] }} Holder */

/**
 * Runs `work` while holding the lock at `path`; waits for a living holder as long as it takes.
 * @template T
 * @param {string} path the lock file; its folder is made
 * @param {{ onWait?: (holder: string) => void }} options `onWait` is told once who holds it
 * @param {(lock: { addProcess: (pid: number) => void }) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, options, work) {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  while (!tryLock(path)) {
    if (!told && isAlive(path)) {
      told = true;
      options.onWait?.(describeHolder(path));
    }
    await wait(lookEveryMs);
  }
  const sign = setInterval(() => touch(path), 5_000);
  sign.unref();
  const release = () => releaseIfMine(path);
  process.once("exit", release);
  try {
    return await work({ addProcess: (pid) => addWorker(path, pid) });
  } finally {
    clearInterval(sign);
    process.off("exit", release);
    release();
  }
}

/** @param {string} path */
function tryLock(path) {
  if (create(path)) return true;
  if (isAlive(path)) return false;
  // Only one waiter may clear a dead holder's file, or the second would delete the first one's fresh lock.
  const takeover = `${path}.takeover`;
  if (!create(takeover)) {
    if (ageMs(takeover) > leftoverMs) rmSync(takeover, { force: true });
    return false;
  }
  try {
    if (!isAlive(path)) rmSync(path, { force: true });
    return create(path);
  } finally {
    rmSync(takeover, { force: true });
  }
}

/** @param {string} path */
function create(path) {
  try {
    writeFileSync(path, JSON.stringify({ host: hostname(), workers: [worker(process.pid)] }), { flag: "wx" });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
}

/** @param {number} pid @returns {Worker} */
const worker = (pid) => ({ pid, startedAt: startOf(pid) });

/**
 * @param {string} path
 * @param {number} pid
 */
function addWorker(path, pid) {
  const holder = readHolder(path);
  if (holder === undefined) return;
  writeFileSync(`${path}.next`, JSON.stringify({ ...holder, workers: [...holder.workers, worker(pid)] }));
  renameSync(`${path}.next`, path);
}

/** @param {string} path */
function isAlive(path) {
  const holder = readHolder(path);
  if (holder === undefined) return ageMs(path) < leftoverMs;
  if (holder.host !== hostname()) return ageMs(path) < silentHolderMs;
  return holder.workers.some(({ pid, startedAt }) => processLives(pid) && startOf(pid) === startedAt);
}

/**
 * @param {string} path
 * @returns {Holder | undefined}
 */
function readHolder(path) {
  try {
    const holder = JSON.parse(readFileSync(path, "utf8"));
    const sound = Array.isArray(holder?.workers) && holder.workers.every((/** @type {Worker} */ one) => one?.pid > 0);
    return sound ? holder : undefined;
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function processLives(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

/**
 * When that process started, where the system tells (Linux): a reused process id is not the holder.
 * A zombie has ended; in a container nobody may ever collect it.
 * @param {number} pid
 */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "ended" : (fields[19] ?? "");
  } catch {
    return "";
  }
}

/** Zero when the file is gone: then there is nothing to wait for or to clear. @param {string} path */
function ageMs(path) {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return changed === undefined ? 0 : Date.now() - changed;
}

/** @param {string} path */
function touch(path) {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Somebody deleted the folder under us; the work will find out by itself.
  }
}

/** @param {string} path */
function releaseIfMine(path) {
  if (readHolder(path)?.workers[0]?.pid === process.pid) rmSync(path, { force: true });
}

/** @param {string} path */
function describeHolder(path) {
  const holder = readHolder(path);
  return holder === undefined ? "another process" : `process ${holder.workers.map(({ pid }) => pid).join(", ")}`;
}

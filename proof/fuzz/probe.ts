import { appendFileSync, readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/*
 * Loaded by `--import` into a process under attack, and into an idle one beside it: notes each second, in a file of its own, how its event loop
 * fared. A gap counts as the process's own only as far as its thread was computing meanwhile: what other programs take from it is not its fault.
 */

const TICK_MS = 10;
const NOTE_MS = 1_000;

const folder = process.env["FUZZ_PROBE"];
if (folder !== undefined) {
  const file = `${folder}/${process.pid}.jsonl`;
  const delay = monitorEventLoopDelay({ resolution: TICK_MS });
  delay.enable();
  let atMs = performance.now();
  let usedMs = threadMs();
  let busyMs = 0;
  let notedMs = usedMs;
  setInterval(() => {
    const [nowMs, nowUsedMs] = [performance.now(), threadMs()];
    busyMs = Math.max(busyMs, Math.min(nowMs - atMs - TICK_MS, nowUsedMs - usedMs));
    [atMs, usedMs] = [nowMs, nowUsedMs];
  }, TICK_MS).unref();
  setInterval(() => {
    const note = {
      atMs: performance.timeOrigin + performance.now(),
      delayMs: delay.max / 1e6 - TICK_MS,
      busyMs,
      usedMs: threadMs() - notedMs,
      residentBytes: process.memoryUsage.rss(),
      descriptors: process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0,
    };
    appendFileSync(file, `${JSON.stringify(note)}\n`);
    delay.reset();
    notedMs = threadMs();
    busyMs = 0;
  }, NOTE_MS).unref();
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

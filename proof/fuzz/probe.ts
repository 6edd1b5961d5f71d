import { appendFileSync, openSync, readdirSync, readSync } from "node:fs";
import { basename } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

/*
 * Loaded by `--import` into each process under attack, and into an idle one beside them: notes each second, in a file of its own, how its event
 * loop fared. A gap counts as the process's own only as far as its thread was computing meanwhile, and less what had piled up while the system
 * let the thread wait for a processor: what other programs take from it is not its fault. SIGUSR2: collects the garbage and notes what is held.
 */

const TICK_MS = 10;
const NOTE_MS = 1_000;
/** What a finalizer lets go of is gone only with the next collection. */
const COLLECTIONS = 3;

const folder = new URL(import.meta.url).searchParams.get("folder");
if (folder !== null && isMainThread) begin(`${folder}/${process.pid}.jsonl`);

function begin(file: string): void {
  const delay = monitorEventLoopDelay({ resolution: TICK_MS });
  delay.enable();
  const waitedMs = openWaited();
  let [atMs, usedMs, waited] = [performance.now(), threadMs(), waitedMs()];
  let [busyMs, excessMs, waitedBeforeMs] = [0, 0, 0];
  let [notedMs, notedWaited, notedAll] = [usedMs, waited, process.cpuUsage()];
  /** What share of its time the thread computes, as far as it may. */
  let share = 0;
  /** The time that takes counts as no fault. */
  let collecting = false;

  function tick(): void {
    const [nowMs, nowUsedMs, nowWaited] = [performance.now(), threadMs(), waitedMs()];
    const ownMs = Math.min(nowMs - atMs - TICK_MS, nowUsedMs - usedMs);
    const waitMs = nowWaited - waited;
    if (!collecting) {
      busyMs = Math.max(busyMs, ownMs);
      excessMs = Math.max(excessMs, ownMs - share * (waitMs + waitedBeforeMs));
    }
    [atMs, usedMs, waited, waitedBeforeMs] = [nowMs, nowUsedMs, nowWaited, waitMs];
  }

  function note(more: object = {}): void {
    const [nowUsedMs, nowWaited] = [threadMs(), waitedMs()];
    const all = process.cpuUsage(notedAll);
    const of = {
      ...{
        atMs: performance.timeOrigin + performance.now(),
        program: basename(process.argv[1] ?? ""),
        parent: process.ppid,
      },
      ...{ delayMs: delay.max / 1e6 - TICK_MS, busyMs, excessMs },
      ...{ usedMs: nowUsedMs - notedMs, waitedMs: nowWaited - notedWaited },
      usedByAllMs: (all.user + all.system) / 1_000,
      residentBytes: process.memoryUsage.rss(),
      descriptors: process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0,
      ...more,
    };
    appendFileSync(file, `${JSON.stringify(of)}\n`);
    share = Math.max(of.usedMs / NOTE_MS, share / 2);
    delay.reset();
    notedAll = process.cpuUsage();
    [notedMs, notedWaited, busyMs, excessMs] = [nowUsedMs, nowWaited, 0, 0];
  }

  setInterval(tick, TICK_MS).unref();
  setInterval(note, NOTE_MS).unref();
  process.on("SIGUSR2", () => {
    collecting = true;
    void collect().then(() => {
      tick();
      collecting = false;
      const { heapUsed, external } = process.memoryUsage();
      note({ heldBytes: heapUsed + external });
    });
  });
}

async function collect(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  for (let n = 0; n < COLLECTIONS; n += 1) {
    gc();
    await new Promise((go) => setImmediate(go));
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** How long this thread could have run and was not let, ms; 0 where the system does not report it. */
function openWaited(): () => number {
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
    const text = Buffer.alloc(128);
    return () => Number(text.toString("latin1", 0, readSync(file, text, 0, text.length, 0)).split(" ")[1]) / 1e6;
  } catch {
    return () => 0;
  }
}

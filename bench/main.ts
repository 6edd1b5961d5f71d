import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { busyShare, computerTime, describeRun, loadNow } from "../rig/process.ts";
import { density } from "./density/density.ts";
import { latency, latencyLong } from "./latency/latency.ts";
import { loss } from "./latency/loss.ts";
import type { BenchOptions, NAMED_PARTS } from "./options.ts";
import { BENCH_HELP, readOptions, USUAL_PARTS } from "./options.ts";
import { balance } from "./parts/balance.ts";
import { crowd } from "./parts/crowd.ts";
import { drawing } from "./parts/drawing.ts";
import { history, historyTenMillion } from "./parts/history.ts";
import { link } from "./parts/link.ts";
import { load, soak } from "./parts/load.ts";
import { lobby } from "./parts/lobby.ts";
import { narrow } from "./parts/narrow.ts";
import { queue } from "./parts/queue.ts";
import { recording } from "./parts/recording.ts";
import { reports } from "./parts/reports.ts";
import { sas } from "./parts/sas.ts";
import { sockets, socketsShort } from "./parts/sockets.ts";
import { startUp } from "./parts/start-up.ts";
import { transfers } from "./parts/transfers.ts";
import { cut, endurance, firstFrame, freezes, showing } from "./parts/video.ts";
import { lastRunPage, reachLines, resultTable } from "./report.ts";
import type { Part, Result } from "./result.ts";
import { mediansOf } from "./result.ts";
import { openSetup } from "./setup/setup.ts";
import { consoleOpen, consoleStart, consoleWall } from "./web/console.ts";
import { webInputs } from "./web/inputs.ts";
import { lighthouse } from "./web/lighthouse/lighthouse.ts";
import { webMemory, webMemoryLong } from "./web/memory.ts";
import { webStart } from "./web/start.ts";

/*
 * `npm run bench` measures every usual part once and prints one table; `npm run bench -- latency` one part of it, `--way=clean` over one
 * way, `--times=5` the median of five; `--write` also writes the results to bench/last-run.md. Nothing is asserted: figures of
 * different computers cannot be compared.
 */

const PARTS: Readonly<Record<string, Part>> = {
  "first-frame": firstFrame,
  latency,
  freezes,
  link,
  narrow,
  cut,
  showing,
  drawing,
  density,
  sas,
  balance,
  transfers,
  queue,
  recording,
  "start-up": startUp,
  "sockets-short": socketsShort,
  load,
  lobby,
  "web-start": webStart,
  "web-inputs": webInputs,
  "web-memory": webMemory,
  "console-start": consoleStart,
  "console-wall": consoleWall,
  lighthouse,
  // A venue of its own, beside that of all others.
  soak,
  // Last of the usual parts: it fills the database.
  history,
  reports,
  sockets,
  "history-10m": historyTenMillion,
  endurance,
  "latency-long": latencyLong,
  loss,
  crowd,
  "console-open": consoleOpen,
  "web-memory-long": webMemoryLong,
} satisfies Record<keyof typeof USUAL_PARTS | keyof typeof NAMED_PARTS, Part>;
/** Longest run for each repetition, ms, the start of everything included; what was measured until then is printed. */
const RUN_MS_MAX = 2_700_000;
const LAST_RUN = join(import.meta.dirname, "last-run.md");
const QUIET_MS = 2_000;

const say = (line: string): void => console.log(line);

/** Measures the parts one after another; one that fails does not cost the others. Answers what went wrong. */
async function run({ parts, ways, times, write }: BenchOptions): Promise<string[]> {
  const limitMs = RUN_MS_MAX * times;
  const late = pause(limitMs, "late" as const, { ref: false });
  const quietFrom = computerTime();
  await pause(QUIET_MS);
  const before = `before: ${busyShare(quietFrom, computerTime()).toFixed(0)} % of all cores busy with other work, load ${loadNow()}`;
  const setup = await openSetup(say);
  const started = computerTime();
  const measured: Result[] = [];
  const failures: string[] = [];
  for (const name of parts.flatMap((part) => Array.from({ length: times }, () => part))) {
    try {
      const from = performance.now();
      const done = await Promise.race([PARTS[name]?.(setup, (result) => measured.push(result), ways), late]);
      say(`${name} took ${((performance.now() - from) / 1000).toFixed(0)} s`);
      if (done !== "late") continue;
      failures.push(`The run was ended in ${name} after ${limitMs / 1000} s.`);
      break;
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const results = mediansOf(measured);
  const during = `during: ${busyShare(started, computerTime()).toFixed(0)} % busy in all, load ${loadNow()}`;
  const each = times > 1 ? [`medians of ${times} runs of each part; "most" is the most of all`] : [];
  const facts = [...describeRun(setup.browser.version(), new Date()), before, during, ...each, ...reachLines(results)];
  say(`\n${resultTable(results)}\n\n${facts.join("\n")}`);
  await setup.close();
  if (write && failures.length === 0) {
    await writeFile(LAST_RUN, lastRunPage(results, facts));
  }
  return failures;
}

const words = process.argv.slice(2);
if (words.includes("--help")) {
  say(BENCH_HELP);
  process.exit(0);
}
const options = readOptions(words, Object.keys(PARTS), Object.keys(USUAL_PARTS));
if (typeof options === "string") {
  console.error(options);
  process.exit(2);
}
const failures = await run(options);
for (const failure of failures) console.error(failure);
process.exit(failures.length === 0 ? 0 : 1);

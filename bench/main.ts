import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ROOT } from "../launcher/house.ts";
import { busyShare, computerTime, describeRun, loadNow } from "./figures/computer.ts";
import { cost } from "./parts/cost.ts";
import { firstFrame } from "./parts/first-frame.ts";
import { history } from "./parts/history.ts";
import { latency } from "./parts/latency.ts";
import { lobby } from "./parts/lobby.ts";
import type { Part, Result } from "./parts/part.ts";
import { page, resultTable } from "./report.ts";
import { openRig } from "./rig/rig.ts";

/*
 * `npm run bench` measures everything once and prints one table; `npm run bench -- latency` one part of it; `--write` also puts the
 * results into docs/performance.md. Nothing is asserted: figures of different computers cannot be compared.
 */

const PARTS: Readonly<Record<string, Part>> = { "first-frame": firstFrame, latency, cost, history, lobby };
/** Longest run, ms, the start of everything included; what was measured until then is printed. */
const RUN_MS_MAX = 540_000;
const QUIET_MS = 2_000;

const say = (line: string): void => console.log(line);

/** Measures the parts one after another; one that fails does not cost the others. Answers what went wrong. */
async function run(names: readonly string[], write: boolean): Promise<string[]> {
  const late = pause(RUN_MS_MAX, "late" as const, { ref: false });
  const quietFrom = computerTime();
  await pause(QUIET_MS);
  const before = `before: ${busyShare(quietFrom, computerTime()).toFixed(0)} % of all cores busy with other work, load ${loadNow()}`;
  const rig = await openRig(say);
  const started = computerTime();
  const results: Result[] = [];
  const failures: string[] = [];
  for (const name of names) {
    try {
      const done = await Promise.race([PARTS[name]?.(rig, (result) => results.push(result)), late]);
      if (done !== "late") continue;
      failures.push(`The run was ended in ${name} after ${RUN_MS_MAX / 1000} s.`);
      break;
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const during = `during: ${busyShare(started, computerTime()).toFixed(0)} % busy in all, load ${loadNow()}`;
  const facts = [...describeRun(rig.browser.version(), new Date()), before, during];
  say(`\n${resultTable(results)}\n\n${facts.join("\n")}`);
  await rig.close();
  if (write && failures.length === 0) await writeFile(join(ROOT, "docs/performance.md"), page(results, facts));
  return failures;
}

const words = process.argv.slice(2);
const asked = words.filter((word) => !word.startsWith("--"));
const write = words.includes("--write");
const unknown = [...asked.filter((name) => !(name in PARTS)), ...words.filter((word) => /^--(?!write$)/.test(word))];
if (unknown.length > 0)
  refuse(`Unknown: ${unknown.join(", ")}. There are ${Object.keys(PARTS).join(", ")}, and --write.`);
if (write && asked.length > 0)
  refuse("--write puts a whole run into docs/performance.md: leave the names of parts out.");

const failures = await run(asked.length > 0 ? asked : Object.keys(PARTS), write);
for (const failure of failures) console.error(failure);
process.exit(failures.length === 0 ? 0 : 1);

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

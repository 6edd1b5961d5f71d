import type { Browser } from "playwright-core";
import { launchBrowser } from "../../rig/page/visitor.ts";
import { describeRun, loadNow } from "../../rig/process.ts";
import { findingsTable } from "./growth.ts";
import { LONG_RUN_HELP, readLongRun } from "./options.ts";
import { longRun } from "./run.ts";

/* `npm run long-run -- --minutes 60 --seed 7`. Exit code 0: nothing was found. */

const began = performance.now();
const stamp = (): string => new Date(performance.now() - began).toISOString().slice(11, 19);
const say = (line: string): void => console.log(`${stamp()}  ${line}`);

const args = process.argv.slice(2);
if (args.includes("--help")) {
  console.log(LONG_RUN_HELP);
  process.exit(0);
}
const options = readLongRun(args);
if (typeof options === "string") {
  console.error(options);
  process.exit(2);
}
const browsers: Browser[] = [];
let stopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (stopped) process.exit(130);
    stopped = true;
    say("It ends early; a second time ends it at once.");
  });
}

const { findings, faults, deeds, proofs } = await longRun(options, {
  ...{ say, stopped: () => stopped },
  async browser() {
    const launched = await launchBrowser(say);
    browsers.push(launched);
    return launched;
  },
  minute: (findings, deeds) => say(`load ${loadNow()}; ${deeds.lines().join(", ")}\n${tableOf(findings)}`),
});
for (const one of browsers) await one.close().catch(() => {});
for (const line of describeRun(browsers[0]?.version() ?? "not used", new Date())) say(line);
say(`done: ${deeds.lines().join(", ") || "nothing by simulated players"}`);
say(`\n${tableOf(findings)}`);
for (const fault of faults) say(`FAULT ${fault}`);
say(`money proved ${proofs} times; ${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);

function tableOf(findings: Parameters<typeof findingsTable>[0]): string {
  return findings.length === 0 ? "" : findingsTable(findings);
}

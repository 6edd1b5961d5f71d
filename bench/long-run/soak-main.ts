import { chromium } from "playwright-core";
import { describeRun, loadNow } from "../../rig/process.ts";
import { findChromium } from "../../tooling/finders/find-tool.ts";
import { findingsTable } from "./growth.ts";
import { soak } from "./soak.ts";
import { readSoak, SOAK_HELP } from "./soak-options.ts";

/*
 * `npm run soak -- --minutes 60 --seed 7`: people sit down, play, lose their link, come back, watch, vanish, sign out and in, while what every program and
 * table holds is read again and again and the money is proved each minute. Exit code 0: nothing grew and all money is whole.
 */

const began = performance.now();
const stamp = (): string => new Date(performance.now() - began).toISOString().slice(11, 19);
const say = (line: string): void => console.log(`${stamp()}  ${line}`);

const words = process.argv.slice(2);
if (words.includes("--help")) {
  console.log(SOAK_HELP);
  process.exit(0);
}
const asked = readSoak(words);
if (typeof asked === "string") {
  console.error(asked);
  process.exit(2);
}
const open: { close(): Promise<void> }[] = [];
let version = "not used";

async function browser() {
  const { executablePath, env, args } = await findChromium({ say });
  const launched = await chromium.launch({
    executablePath,
    env: { ...process.env, ...env } as Record<string, string>,
    args: [...args, "--disable-gpu", "--autoplay-policy=no-user-gesture-required"],
  });
  open.push(launched);
  version = launched.version();
  return launched;
}

let stopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (stopped) process.exit(130);
    stopped = true;
    say("It ends early; once more ends it at once.");
  });
}

const { findings, faults, deeds, proofs } = await soak(asked, {
  ...{ say, browser, stopped: () => stopped },
  minute: (findings, deeds) => say(`load ${loadNow()}; ${deeds.lines().join(", ")}\n${findingsTable(findings)}`),
});
for (const one of open) await one.close();
for (const line of describeRun(version, new Date())) say(line);
say(`done: ${deeds.lines().join(", ")}`);
say(`\n${findingsTable(findings)}`);
for (const fault of faults) say(`FAULT ${fault}`);
say(`money proved ${proofs} times; ${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { temporaryDataFolder } from "@longarm/database/testing/data-folder";
import { startChild } from "../../launcher/child.ts";
import { ROOT } from "../../launcher/venue.ts";
import { spreadOf } from "../../rig/figures.ts";
import { processCost } from "../../rig/process.ts";
import { startBare } from "../load/child.ts";
import { queryOf } from "../load/crowd.ts";
import type { Part } from "../result.ts";
import type { Setup } from "../setup/setup.ts";

const RUNS = 5;
const WHOLE_RUNS = 3;
const MACHINES = 12;
/** Longest wait for a whole Longarm, ms. */
const WHOLE_MS_MAX = 120_000;

type Start = { readonly readyMs: number; readonly cpuMs: number; readonly residentMb: number };

/** How long until who starts it is served: one platform process on an empty database and on its own one, and everything by `npm start`. */
export const startUp: Part = async (setup, report) => {
  const query = queryOf(setup);
  const bare: number[] = [];
  const [empty, again]: [Start[], Start[]] = [[], []];
  for (let run = 0; run < RUNS; run += 1) {
    setup.say(`Start: platform, ${run + 1} of ${RUNS}`);
    const from = performance.now();
    (await startBare({ balance: 0 })).end();
    bare.push(performance.now() - from);
    await query(`create database start_${run}`);
    empty.push(await startPlatform(setup, `start_${run}`));
    again.push(await startPlatform(setup, `start_${run}`));
    await query(`drop database start_${run}`);
  }
  const peer = { name: "bare Fastify", value: spreadOf(bare) };
  for (const [condition, starts] of [
    ["empty database", empty],
    ["database of before", again],
  ] as const) {
    const value = spreadOf(starts.map(({ readyMs }) => readyMs));
    report({ what: "platform, from its start until it serves", condition, unit: "ms", value, held: { peer } });
  }
  const condition = "once it serves";
  const cpu = spreadOf(again.map(({ cpuMs }) => cpuMs));
  report({ what: "platform, processor time of its start", condition, unit: "ms", value: cpu });
  const resident = spreadOf(again.map(({ residentMb }) => residentMb));
  report({ what: "platform, memory (resident)", condition, unit: "MB", value: resident });
  await reportWhole(setup, report);
};

async function reportWhole(setup: Setup, report: Parameters<Part>[1]): Promise<void> {
  const data = await temporaryDataFolder();
  const times: number[] = [];
  try {
    for (let run = 0; run <= WHOLE_RUNS; run += 1) {
      setup.say(`Start: everything, ${run === 0 ? "in an empty folder" : `again, ${run} of ${WHOLE_RUNS}`}`);
      times.push(await startWhole(data.folder));
    }
  } finally {
    await data.remove();
  }
  const what = "everything by npm start, until the lobby answers";
  const [first = null, ...later] = times;
  report({ what, condition: `empty folder, ${MACHINES} machines`, unit: "ms", value: first });
  report({ what, condition: `folder of before, ${MACHINES} machines`, unit: "ms", value: spreadOf(later) });
}

async function startPlatform(setup: Setup, database: string): Promise<Start> {
  const data = await temporaryDataFolder();
  const url = new URL(setup.venue.databaseUrl);
  url.pathname = `/${database}`;
  const from = performance.now();
  const child = startChild({
    name: "platform",
    main: join(ROOT, "apps/platform/src/main.ts"),
    logFile: join(data.folder, "platform.log"),
    env: { HOST: "127.0.0.1", PORT: "0", DATA_FOLDER: data.folder, DATABASE_URL: url.href },
  });
  try {
    await child.ready;
    const readyMs = performance.now() - from;
    const { cpuMs = 0, residentMb = 0 } = processCost(child.pid) ?? {};
    return { readyMs, cpuMs, residentMb };
  } finally {
    await child.stop();
    await data.remove();
  }
}

/** From the command until the lobby's page is served; the web is built before. */
async function startWhole(folder: string): Promise<number> {
  const from = performance.now();
  const args = ["start", "--silent", "--", "--port", "0", "--data", folder, "--machines", String(MACHINES)];
  const child = spawn("npm", args, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"], detached: true });
  const gone = once(child, "exit");
  try {
    const href = await Promise.race([addressIn(child.stdout), late()]);
    const page = await fetch(`${href}/lobby`, { headers: { accept: "text/html" } });
    await page.text();
    if (!page.ok) throw new Error(`The lobby answered ${page.status}.`);
    return performance.now() - from;
  } finally {
    // As Ctrl+C does it: npm and what it started are a group of their own.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGINT");
    await gone;
  }
}

async function addressIn(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, href] = /Longarm is open:\s+(http\S+)/.exec(line) ?? [];
    if (href !== undefined) return href;
  }
  throw new Error("npm start has ended before it was open.");
}

const late = async (): Promise<never> => {
  const { promise, reject } = Promise.withResolvers<never>();
  setTimeout(() => reject(new Error("npm start took too long.")), WHOLE_MS_MAX).unref();
  return await promise;
};

import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { spreadOf } from "../../rig/figures.ts";
import { childrenOf, ownCost, threadsCpuMs } from "../../rig/process.ts";
import { freePort } from "../../rig/venue/free-port.ts";
import type { Crowd, DensityVenue } from "../density/density.ts";
import { gatherGuests, openDensityVenue, player, withVenue } from "../density/density.ts";
import type { Part, Result } from "../result.ts";
import { CYCLE_MS } from "../setup/setup.ts";

const MACHINES = 4;
const IDLE_MS = 10_000;
const PLAY_MS = 40_000;
const SETTLE_MS = 4_000;
/** Transfers of each direction on each machine, and what each moves, minor units. */
const TRANSFERS = 5;
const AMOUNT = 10_000;
/** The thread of a line, as the system names it. */
const LINE_THREAD = "sas line";
/** The trace of a line is written once a second, ms. */
const TRACE_MS_MAX = 10_000;

/** Wanted of each: polls within 10 ms of their plan, % of a core of a machine's line and of all that the agent's core does for it, ms. */
const WANTED = { onTime: 99, lineShare: 3, coreShare: 5, pressMs: 500, moneyMs: 2_000, aftMs: 1_000 } as const;

/**
 * Four cabinets on one agent that has two cores, driven as metal would be: framed SAS over TCP, a Modbus relay board, a camera. Each is watched by
 * its player, who presses again as soon as a game has ended. Cabinets, viewers, platform and database run on the same computer.
 */
export const sas: Part = async ({ say }, report) => {
  say(`SAS: ${MACHINES} cabinets`);
  const metricsPort = await freePort();
  const venue = await openDensityVenue(MACHINES, say, {
    floor: { cabinets: MACHINES, minCycleMs: CYCLE_MS },
    agentEnv: { METRICS_PORT: String(metricsPort) },
  });
  await withVenue(venue, async () => {
    giveTwoCores(venue.agentPid());
    const look = { venue, metricsPort, say, report };
    await pause(SETTLE_MS);
    await measure(look, `${MACHINES} machines, nobody watches`, IDLE_MS);
    const players = venue.machines.map((machineId, n) => player(venue, machineId, n));
    const crowd = await gatherGuests(venue.venue, players);
    try {
      await play(look, crowd);
      await move(look, crowd);
      await crowd.go();
    } finally {
      crowd.stop();
    }
  });
};

type Look = {
  readonly venue: DensityVenue;
  readonly metricsPort: number;
  readonly say: (line: string) => void;
  readonly report: (result: Result) => void;
};

async function play(look: Look, crowd: Crowd): Promise<void> {
  const condition = `${MACHINES} machines, watched and played`;
  await crowd.play(true);
  await pause(SETTLE_MS);
  await crowd.came();
  await measure(look, condition, PLAY_MS);
  const { startedMs, pictures, guests } = await crowd.came();
  await crowd.play(false);
  const value = pictures / guests / (PLAY_MS / 1_000);
  look.report({ what: "SAS: pictures to each viewer", condition, unit: "a second", value });
  reportMs(look, "press until the machine reports its game (7E)", condition, startedMs, WANTED.pressMs);
}

async function move(look: Look, crowd: Crowd): Promise<void> {
  const condition = `${MACHINES} machines, watched`;
  look.say("SAS: transfers");
  const { cashIn, cashOut } = await crowd.move(AMOUNT, TRANSFERS);
  reportMs(look, "cash-in, from the player's request", condition, cashIn, WANTED.moneyMs);
  reportMs(look, "cash-out, from the player's request", condition, cashOut, WANTED.moneyMs);
  reportMs(look, "AFT round trip on the line", condition, await roundTrips(look.venue), WANTED.aftMs);
}

function reportMs({ report }: Look, what: string, condition: string, values: readonly number[], atMost: number): void {
  report({
    ...{ what: `SAS: ${what}`, condition, unit: "ms", value: spreadOf(values) },
    held: { reach: { of: "figure", atMost, at: "p95" } },
  });
}

async function measure(look: Look, condition: string, forMs: number): Promise<void> {
  const { say, report } = look;
  say(`SAS: ${condition}`);
  const from = await readAgent(look);
  await pause(forMs);
  const to = await readAgent(look);
  const tookMs = to.at - from.at;
  const share = (of: "lineMs" | "coreMs"): number => (100 * (to[of] - from[of])) / tookMs / MACHINES;
  const sent = to.sent - from.sent;
  report({
    ...{ what: "SAS: polls within 10 ms of their plan", condition, unit: "of 100" },
    value: sent === 0 ? null : (100 * (sent - (to.late - from.late))) / sent,
    held: { reach: { of: "figure", atLeast: WANTED.onTime } },
  });
  report({
    what: "SAS: polls of each machine",
    condition,
    unit: "a second",
    value: (1_000 * sent) / tookMs / MACHINES,
  });
  report({
    ...{ what: "SAS: thread of a machine's line", condition, unit: "% of a core", value: share("lineMs") },
    held: { reach: { of: "figure", atMost: WANTED.lineShare } },
  });
  report({
    ...{ what: "SAS: the agent's core, each machine", condition, unit: "% of a core", value: share("coreMs") },
    held: { reach: { of: "figure", atMost: WANTED.coreShare } },
  });
}

/** Polls of all lines by the agent's metrics, and what its core has used, ms. */
async function readAgent({ venue, metricsPort }: Look) {
  const pid = venue.agentPid();
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const count = (state: string): number =>
    [...text.matchAll(new RegExp(`^longarm_agent_line_polls\\{.*state="${state}"\\} (\\d+)$`, "gm"))]
      .map(([, value]) => Number(value))
      .reduce((sum, value) => sum + value, 0);
  return {
    ...{ sent: count("sent"), late: count("late"), at: performance.now() },
    ...{ lineMs: threadsCpuMs(pid, LINE_THREAD), coreMs: ownCost(pid)?.cpuMs ?? 0 },
  };
}

/** Where the computer has more. Threads that start later have the cores of those that start them. */
function giveTwoCores(agentPid: number): void {
  if (cpus().length <= 2) return;
  for (const pid of [agentPid, ...childrenOf(agentPid)]) execFileSync("taskset", ["-acp", "0,1", String(pid)]);
}

/** From the order of each transfer until the machine's record says that it is done, by the traces of the lines, ms. */
async function roundTrips({ dataFolder, machines }: DensityVenue): Promise<number[]> {
  const each = await Promise.all(
    machines.map((id) => roundTripsOf(join(dataFolder, "agent/machines", id, "line/line.log"))),
  );
  return each.flat();
}

async function roundTripsOf(file: string): Promise<number[]> {
  const lateAt = performance.now() + TRACE_MS_MAX;
  for (;;) {
    const took = tookOf(await readFile(file, "latin1"));
    // One brought the first credit, and each round has one in each direction.
    if (took.length > 2 * TRANSFERS || performance.now() > lateAt) return took.slice(-2 * TRANSFERS);
    await pause(100);
  }
}

/** Long poll 72 with more than a question is an order. The first reading of the current transfer with status 00 says that it is done. */
function tookOf(trace: string): number[] {
  const took: number[] = [];
  let orderedAt: number | undefined;
  for (const line of trace.split("\n")) {
    const [at, sent = "", received = "", , tookMs] = line.split(" ");
    if (/^..72/.test(sent) && !/^..7202/.test(sent)) orderedAt ??= Number(at);
    if (orderedAt === undefined || !/^..7202ff00/.test(sent) || !/^..72....00/.test(received)) continue;
    took.push(Number(at) + Number(tookMs) - orderedAt);
    orderedAt = undefined;
  }
  return took;
}

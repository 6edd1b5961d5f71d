import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "playwright-core";
import { signIn } from "../../e2e/player/player.ts";
import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import { processCost } from "../figures/computer.ts";
import type { Probe } from "../page/probe.ts";
import type { BenchPlayer } from "../rig/player.ts";
import { openPlayer } from "../rig/player.ts";
import type { Rig } from "../rig/rig.ts";
import { MACHINES } from "../rig/rig.ts";
import type { Part, Result } from "./part.ts";
import { watchedOf } from "./watched.ts";

type Holder = { longarmProbe: Probe };
/** How long each state is watched, ms. */
const WATCH_MS = 8_000;
/** Encoder and compiler come to rest first, ms. */
const SETTLE_MS = 2_000;
const [DENIZ, ELIF] = DEMO_PLAYERS;

/** Processor and memory of the agent: nobody watching, one, four, and two machines with a player each. */
export const cost: Part = async (rig, tell) => {
  if (DENIZ === undefined || ELIF === undefined) throw new Error("Two demo players are needed.");
  await measure(rig, "nobody watches", pause, null, tell);
  const first = await openPlayer(rig, DENIZ, null);
  const during = (condition: string, busy: Busy) => measure(rig, condition, busy, first, tell);
  const others: { close(): Promise<void> }[] = [];
  try {
    await first.sitDown(MACHINES[0]);
    await first.cashIn();
    await during("1 viewer, reels at rest", pause);
    await during("1 viewer, reels turning", first.spinFor);
    others.push(await openSpectators(rig, 3));
    await during("4 viewers, reels turning", first.spinFor);
    for (const other of others.splice(0)) await other.close();
    const second = await openPlayer(rig, ELIF, null);
    others.push(second);
    await second.sitDown(MACHINES[1]);
    await second.cashIn();
    await during("2 machines, 1 viewer each, reels turning", both(first, second));
    // The next part finds both machines free.
    await Promise.all([first.leave(), second.leave()]);
  } finally {
    for (const other of [first, ...others]) await other.close();
  }
};

const both = (one: BenchPlayer, other: BenchPlayer) => (durationMs: number) =>
  Promise.all([one.spinFor(durationMs), other.spinFor(durationMs)]);

type Busy = (durationMs: number) => Promise<unknown>;

/** The pictures that `watcher` was shown meanwhile are told too: on a computer without time to spare the agent leaves some out. */
async function measure(
  rig: Rig,
  condition: string,
  busy: Busy,
  watcher: BenchPlayer | null,
  tell: (result: Result) => void,
): Promise<void> {
  rig.say(`Cost: ${condition}`);
  const pid = rig.house.agent.pid();
  await busy(SETTLE_MS);
  await watcher?.take();
  const from = { cost: processCost(pid), at: performance.now() };
  await busy(WATCH_MS);
  const to = { cost: processCost(pid), at: performance.now() };
  const seen = watcher && watchedOf(await watcher.take());
  const share = from.cost && to.cost && (100 * (to.cost.cpuMs - from.cost.cpuMs)) / (to.at - from.at);
  tell({ what: "agent's processor time", condition, unit: "% of a core", value: share });
  if (seen) tell({ what: "pictures shown meanwhile", condition, unit: "a second", value: seen.framesPerSecond });
  tell({ what: "agent's memory (resident)", condition, unit: "MB", value: to.cost?.residentMb ?? null });
}

/** So many spectators of the first machine, in one bare page. */
async function openSpectators({ browser, house, probe }: Rig, count: number): Promise<{ close(): Promise<void> }> {
  if (ELIF === undefined) throw new Error("Two demo players are needed.");
  const { token } = await signIn(house.href, ELIF);
  const context = await browser.newContext();
  const page: Page = await context.newPage();
  await page.goto(`${house.href}/Settings.json`);
  await page.evaluate(probe);
  const url = `${house.href.replace(/^http/, "ws")}/game?machine=${MACHINES[0]}&token=${token}`;
  for (let n = 0; n < count; n += 1) {
    await page.evaluate(
      ([address, machine]) => (globalThis as unknown as Holder).longarmProbe.spectate(address, machine),
      [url, MACHINES[0]] as const,
    );
  }
  return { close: () => context.close() };
}

import { setTimeout as pause } from "node:timers/promises";
import type { Crowd } from "../density/crowd.ts";
import { gatherGuests } from "../density/crowd.ts";
import type { DensityVenue } from "../density/density-venue.ts";
import { openDensityVenue, SPECTATORS_MAX } from "../density/density-venue.ts";
import type { Guest } from "../density/messages.ts";
import { processCost } from "../figures/computer.ts";
import type { Part, Result } from "./part.ts";

/** How long each state is watched, ms, and how long encoders and compilers come to rest before. */
const WATCH_MS = 8_000;
const SETTLE_MS = 4_000;
const MACHINES = 16;
/** Wanted of a machine of 720p30 that is watched, its painting included, % of a core, and of each viewer more, points. */
const [MACHINE_MAX, VIEWER_MAX] = [18, 1.5];
/** What 16 idle machines may cost, points: what cannot be told from the noise of a measurement. */
const IDLE_MAX = 1;

/** A floor's pictures a second; with less the share is told as it would be with all of them. */
const PICTURES = 30;

type Share = number | null;

/**
 * What an agent costs, all its threads, in a venue of its own: with 1 and 16 machines that nobody watches, with 1, 4 and 16 that are watched by their
 * players, reels at rest and turning, and with 1, 4 and as many viewers on one machine as it takes. Viewers are receivers of our own in
 * other processes.
 */
export const density: Part = async ({ say }, tell) => {
  const one = await openDensityVenue(1, say);
  const idle = await withVenue(one, () => measure({ venue: one, say, tell }, "1 machine, nobody watches", null));
  const venue = await openDensityVenue(MACHINES, say);
  await withVenue(venue, async () => {
    const look = { venue, say, tell };
    const all = await measure(look, `${MACHINES} machines, nobody watches`, null);
    tell({
      ...{ what: `agent: ${MACHINES - 1} idle machines more`, condition: "nobody watches", unit: "points" },
      ...{ value: less(all, idle), held: { reach: { of: "figure", atMost: IDLE_MAX } } },
    });
    const alone = await machinesWatched(look, 1);
    await machinesWatched(look, 4);
    await machinesWatched(look, MACHINES);
    await viewersOfOne(look, 4);
    const full = await viewersOfOne(look, SPECTATORS_MAX + 1);
    const difference = less(full, alone);
    tell({
      ...{ what: "agent: each further viewer", condition: `1 to ${SPECTATORS_MAX + 1}, reels turning`, unit: "points" },
      value: difference && difference / SPECTATORS_MAX,
      held: { reach: { of: "figure", atMost: VIEWER_MAX } },
    });
  });
};

const less = (one: Share, other: Share): Share => (one === null || other === null ? null : one - other);

async function withVenue<T>(venue: DensityVenue, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } finally {
    await venue.close();
  }
}

type Look = {
  readonly venue: DensityVenue;
  readonly say: (line: string) => void;
  readonly tell: (result: Result) => void;
};

/** So many machines with a player each; answers the share with all reels turning. */
async function machinesWatched(look: Look, count: number): Promise<Share> {
  const guests = look.venue.machines.slice(0, count).map((machineId, n) => player(look.venue, machineId, n));
  return await withGuests(look, guests, async (crowd) => {
    const name = count === 1 ? "1 machine" : `${count} machines, 1 viewer each`;
    const rest = await measure(look, `${name}, reels at rest`, crowd);
    await crowd.play(true);
    const turning = await measure(look, `${name}, reels turning`, crowd);
    for (const [condition, share] of [
      [`${name}, reels at rest`, rest],
      [`${name}, reels turning`, turning],
    ] as const)
      tell1(look, condition, share && share / count);
    return turning;
  });
}

const tell1 = ({ tell }: Look, condition: string, value: Share): void =>
  tell({
    ...{ what: "agent: a watched machine", condition, unit: "% of a core", value },
    held: { reach: { of: "figure", atMost: MACHINE_MAX } },
  });

/** So many viewers of the first machine, its player among them, with the reels turning. */
async function viewersOfOne(look: Look, count: number): Promise<Share> {
  const { machines, tokens } = look.venue;
  const machineId = machines[0] ?? "";
  const watching = { token: tokens.watcher, machineId, role: "spectator" } as const;
  const guests = [player(look.venue, machineId, 0), ...Array.from({ length: count - 1 }, () => watching)];
  return await withGuests(look, guests, async (crowd) => {
    await crowd.play(true);
    return await measure(look, `1 machine, ${count} viewers, reels turning`, crowd);
  });
}

const player = ({ tokens }: DensityVenue, machineId: string, n: number): Guest => ({
  ...{ token: tokens.players[n] ?? "", machineId, role: "player" },
});

async function withGuests<T>(look: Look, guests: readonly Guest[], run: (crowd: Crowd) => Promise<T>): Promise<T> {
  const crowd = await gatherGuests(look.venue.venue, guests);
  try {
    const result = await run(crowd);
    await crowd.go();
    return result;
  } finally {
    crowd.stop();
  }
}

/**
 * The agent's share of a core meanwhile, as it would be had each viewer been shown every picture: without time to spare an agent leaves pictures out, which must
 * not make it look cheap. What it took and what was shown are told as they were.
 */
async function measure({ venue, say, tell }: Look, condition: string, crowd: Crowd | null): Promise<Share> {
  say(`Density: ${condition}`);
  await pause(SETTLE_MS);
  await crowd?.came();
  const from = { cost: processCost(venue.agentPid()), at: performance.now() };
  await pause(WATCH_MS);
  const to = { cost: processCost(venue.agentPid()), at: performance.now() };
  const came = await crowd?.came();
  const tookMs = to.at - from.at;
  const share = from.cost && to.cost && (100 * (to.cost.cpuMs - from.cost.cpuMs)) / tookMs;
  tell({ what: "agent: processor time", condition, unit: "% of a core", value: share });
  tell({ what: "agent: memory (resident)", condition, unit: "MB", value: to.cost?.residentMb ?? null });
  if (came === undefined) return share;
  const each = (total: number): number => total / came.guests / (tookMs / 1_000);
  const shown = each(came.pictures);
  tell({ what: "agent: pictures to each viewer", condition, unit: "a second", value: shown });
  tell({ what: "agent: sent to each viewer", condition, unit: "Mbit/s", value: (each(came.bytes) * 8) / 1e6 });
  return shown === 0 ? null : share && share * Math.max(1, PICTURES / shown);
}

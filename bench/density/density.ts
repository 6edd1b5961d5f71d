import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemTimers } from "@longarm/link/socket";
import { signIn } from "@longarm/load/account";
import { openReceiver } from "@longarm/load/receiver/receiver";
import type { Venue } from "@longarm/load/venue";
import { findVenue } from "@longarm/load/venue";
import type { Floor } from "../../launcher/venue.ts";
import { processCost } from "../../rig/process.ts";
import { NO_RATE_LIMITS, openVenue } from "../../rig/venue/venue.ts";
import { startChild } from "../load/child.ts";
import type { Part, Result } from "../result.ts";
import type { ReplayReport, ReplayRequest } from "./replay-main.ts";

/** How long each state is watched, ms, and how long encoders and compilers come to rest before. */
const WATCH_MS = 8_000;
const SETTLE_MS = 4_000;
const MACHINES = 16;
/** Wanted of a machine of 720p30 that is watched, its painting included or not, % of a core, and of each viewer more, points. */
const [MACHINE_MAX, VIEWER_MAX] = [18, 1.5];
/** What 16 idle machines may cost, points: what cannot be distinguished from the noise of a measurement. */
const IDLE_MAX = 1;

/** A floor's pictures a second; with fewer the share is scaled to all of them. */
const PICTURES = 30;

type Share = number | null;

/**
 * What an agent costs, all its threads, in a venue of its own: with 1 and 16 machines without viewers, with 1, 4 and 16 that are watched by their
 * players, reels at rest and turning, and with 1, 4 and as many viewers on one machine as it takes. Viewers are receivers of our own in
 * other processes. Before that, the video of one machine whose game was painted before: what a real machine leaves of the work.
 */
export const density: Part = async ({ say }, report) => {
  await paintedBefore({ say, report });
  const one = await openDensityVenue(1, say);
  const idle = await withVenue(one, () => measure({ venue: one, say, report }, "1 machine, nobody watches", null));
  const venue = await openDensityVenue(MACHINES, say);
  await withVenue(venue, async () => {
    const look = { venue, say, report };
    const all = await measure(look, `${MACHINES} machines, nobody watches`, null);
    report({
      ...{ what: `agent: ${MACHINES - 1} idle machines more`, condition: "nobody watches", unit: "points" },
      ...{ value: less(all, idle), held: { reach: { of: "figure", atMost: IDLE_MAX } } },
    });
    const alone = await machinesWatched(look, 1);
    await machinesWatched(look, 4);
    await machinesWatched(look, MACHINES);
    await viewersOfOne(look, 4);
    const full = await viewersOfOne(look, SPECTATORS_MAX + 1);
    const difference = less(full, alone);
    report({
      ...{ what: "agent: each further viewer", condition: `1 to ${SPECTATORS_MAX + 1}, reels turning`, unit: "points" },
      value: difference && difference / SPECTATORS_MAX,
      held: { reach: { of: "figure", atMost: VIEWER_MAX } },
    });
  });
};

const REPLAY = fileURLToPath(new URL("./replay-main.ts", import.meta.url));
const PICTURE_MS = 30_000;

async function paintedBefore({ say, report }: Omit<Look, "venue">): Promise<void> {
  const wrong = (message: ReplayReport) => (message.is === "failed" ? message.sentence : undefined);
  const child = startChild<ReplayRequest, ReplayReport>(REPLAY, wrong, "The process that replays a game has ended.");
  let pictures = 0;
  const receiver = openReceiver({
    timers: systemTimers,
    now: () => performance.now(),
    picture: () => {
      pictures += 1;
    },
  });
  try {
    const { pid } = await child.ask({ is: "paint" }, "painted");
    await receiver.accept((await child.ask({ is: "offer", sdp: await receiver.offer() }, "answer")).sdp);
    for (const lateAt = performance.now() + PICTURE_MS; pictures === 0; await pause(20))
      if (performance.now() > lateAt) throw new Error("The game that was painted before was not shown.");
    let before = { pictures, bytes: 0 };
    const came = async () => {
      const now = { pictures, bytes: receiver.counts().video.bytes };
      const since = { pictures: now.pictures - before.pictures, bytes: now.bytes - before.bytes };
      before = now;
      return { guests: 1, ...since, turning: 1, startedMs: [] };
    };
    const condition = "1 machine, painted before, reels turning";
    const share = await measure({ venue: { agentPid: () => pid }, say, report }, condition, { came });
    reportWatched({ report }, condition, share);
  } finally {
    await receiver.close();
    child.end();
  }
}

const less = (one: Share, other: Share): Share => (one === null || other === null ? null : one - other);

export async function withVenue<T>(venue: DensityVenue, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } finally {
    await venue.close();
  }
}

type Look = {
  readonly venue: DensityVenue;
  readonly say: (line: string) => void;
  readonly report: (result: Result) => void;
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
      reportWatched(look, condition, share && share / count);
    return turning;
  });
}

const reportWatched = ({ report }: Pick<Look, "report">, condition: string, value: Share): void =>
  report({
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

export const player = ({ tokens }: DensityVenue, machineId: string, n: number): Guest => ({
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
 * not make it look cheap. What it took and what was shown are reported unchanged.
 */
async function measure(
  { venue, say, report }: Omit<Look, "venue"> & { readonly venue: Pick<DensityVenue, "agentPid"> },
  condition: string,
  crowd: Pick<Crowd, "came"> | null,
): Promise<Share> {
  say(`Density: ${condition}`);
  await pause(SETTLE_MS);
  await crowd?.came();
  const from = { cost: processCost(venue.agentPid()), at: performance.now() };
  await pause(WATCH_MS);
  const to = { cost: processCost(venue.agentPid()), at: performance.now() };
  const came = await crowd?.came();
  const tookMs = to.at - from.at;
  const share = from.cost && to.cost && (100 * (to.cost.cpuMs - from.cost.cpuMs)) / tookMs;
  report({ what: "agent: processor time", condition, unit: "% of a core", value: share });
  report({ what: "agent: memory (resident)", condition, unit: "MB", value: to.cost?.residentMb ?? null });
  if (came === undefined) return share;
  const each = (total: number): number => total / came.guests / (tookMs / 1_000);
  const shown = each(came.pictures);
  report({ what: "agent: pictures to each viewer", condition, unit: "a second", value: shown });
  report({ what: "agent: sent to each viewer", condition, unit: "Mbit/s", value: (each(came.bytes) * 8) / 1e6 });
  return shown === 0 ? null : share && share * Math.max(1, PICTURES / shown);
}

const PROCESS = fileURLToPath(new URL("./crowd-main.ts", import.meta.url));
/** A process has one core; so many guests take a third of it. */
const GUESTS_OF_PROCESS = 8;

/** Guests in processes of their own. */
export type Crowd = {
  play(on: boolean): Promise<void>;
  /** What came to all of them since the last request. */
  came(): Promise<Came>;
  /** Each player in turn moves this amount, minor units, off the machine and back, so many times. Reports what each transfer took, ms. */
  move(amount: number, times: number): Promise<Moved>;
  /** Games end, credits leave, seats are given back. */
  go(): Promise<void>;
  /** Ends the processes at once. */
  stop(): void;
};

/** Resolves once each has a picture. @throws Error when somebody is refused or sees none. */
export async function gatherGuests(venue: Venue, guests: readonly Guest[]): Promise<Crowd> {
  // Spectators join after the player, in any process.
  const players = guests.filter(({ role }) => role === "player");
  const watchers = guests.filter(({ role }) => role === "spectator");
  const crews: Guest[][] = [players, watchers].flatMap((some) => inShares(some));
  const processes: ReturnType<typeof startProcess>[] = [];
  const stop = (): void => processes.forEach(({ end }) => void end());
  const all = async <Is extends CrowdReport["is"]>(ask: CrowdRequest, is: Is) =>
    await Promise.all(processes.map((one) => one.ask(ask, is)));
  try {
    for (const crew of crews) {
      const started = startProcess();
      processes.push(started);
      await started.ask({ is: "come", venue, guests: crew }, "here");
    }
  } catch (error) {
    stop();
    throw error;
  }
  return {
    stop,
    play: async (on) => void (await all({ is: "play", on }, "accepted")),
    async came() {
      const counts = await all({ is: "count" }, "came");
      const sum = (key: Exclude<keyof Came, "startedMs">): number => counts.reduce((total, one) => total + one[key], 0);
      return {
        ...{ guests: sum("guests"), pictures: sum("pictures"), bytes: sum("bytes"), turning: sum("turning") },
        startedMs: counts.flatMap((one) => one.startedMs),
      };
    },
    async move(amount, times) {
      const moved = await all({ is: "move", amount, times }, "moved");
      return {
        cashIn: moved.flatMap(({ cashIn }) => cashIn),
        cashOut: moved.flatMap(({ cashOut }) => cashOut),
      };
    },
    async go() {
      // A seat that ends ends its spectators' sockets, too.
      for (const one of processes.toReversed()) await one.ask({ is: "go" }, "gone");
      stop();
    },
  };
}

function inShares(guests: readonly Guest[]): Guest[][] {
  const shares: Guest[][] = [];
  for (let at = 0; at < guests.length; at += GUESTS_OF_PROCESS) shares.push(guests.slice(at, at + GUESTS_OF_PROCESS));
  return shares;
}

const startProcess = () =>
  startChild<CrowdRequest, CrowdReport>(
    PROCESS,
    (report) => (report.is === "failed" ? report.sentence : undefined),
    "A process of guests has ended.",
  );

/** A venue whose agent is measured: so many machines, and a player for each. */
export type DensityVenue = {
  readonly venue: Venue;
  readonly machines: readonly string[];
  /** One token for each machine's player, and one for the spectators. */
  readonly tokens: { readonly players: readonly string[]; readonly watcher: string };
  agentPid(): number;
  /** What one query of the database answers. */
  ask(sql: string): Promise<unknown>;
  readonly dataFolder: string;
  close(): Promise<void>;
};

/** Enough for every game of the measurements, minor units. */
const DEPOSIT_MINOR = 500_000_000;
/** The first games of the machines are plain ones: free spins and bonuses would be waited for. */
const SEED = "bench 27";
/** As many as a machine takes beside its player. */
const SPECTATORS_MAX = 13;

export async function openDensityVenue(
  machines: number,
  say: (line: string) => void,
  more: { readonly floor?: Partial<Floor>; readonly agentEnv?: Readonly<Record<string, string>> } = {},
): Promise<DensityVenue> {
  const started = await openVenue({
    say,
    // No time code in the frame: no real floor has one.
    floor: { machines, seed: SEED, timeCode: false, ...more.floor },
    ...(more.agentEnv && { agentEnv: more.agentEnv }),
    platformEnv: { ...NO_RATE_LIMITS, SPECTATORS_MAX: String(SPECTATORS_MAX), WATCHED_MAX: String(SPECTATORS_MAX) },
    connections: { max: 1, statementMs: 60_000 },
  });
  try {
    const venue = await findVenue(started.href);
    const ids = await started.machineIds();
    const accounts = await started.addPlayers("player", ids.length + 1, DEPOSIT_MINOR);
    const tokens: string[] = [];
    for (const account of accounts) tokens.push((await signIn(venue, account)).token);
    return {
      ...{ venue, machines: ids, tokens: { players: tokens.slice(0, -1), watcher: tokens.at(-1) ?? "" } },
      ...{ agentPid: () => started.agent.pid(), ask: started.ask },
      ...{ dataFolder: started.dataFolder, close: started.close },
    };
  } catch (error) {
    await started.close();
    throw error;
  }
}

/** Somebody at a machine: its player, or one who watches. */
export type Guest = { readonly token: string; readonly machineId: string; readonly role: "player" | "spectator" };

/** A command for a process of guests. */
export type CrowdRequest =
  | { readonly is: "come"; readonly venue: Venue; readonly guests: readonly Guest[] }
  /** From now on every player presses as soon as the last game has ended, or no player does. */
  | { readonly is: "play"; readonly on: boolean }
  /** What came since the last request. */
  | { readonly is: "count" }
  | { readonly is: "move"; readonly amount: number; readonly times: number }
  | { readonly is: "go" };

/** What came to the guests of a process. */
type Came = {
  readonly guests: number;
  readonly pictures: number;
  readonly bytes: number;
  /** Machines whose reels turn now. */
  readonly turning: number;
  /** From each press to the game that it started, ms. */
  readonly startedMs: readonly number[];
};

type Moved = { readonly cashIn: readonly number[]; readonly cashOut: readonly number[] };

/** What it reports. */
export type CrowdReport =
  | { readonly is: "here" }
  | { readonly is: "accepted" }
  | ({ readonly is: "came" } & Came)
  | ({ readonly is: "moved" } & Moved)
  | { readonly is: "gone" }
  | { readonly is: "failed"; readonly sentence: string };

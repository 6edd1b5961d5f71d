import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { spreadOf } from "../../rig/figures.ts";
import { processCost } from "../../rig/process.ts";
import type { DensityVenue } from "../density/density.ts";
import { gatherGuests, openDensityVenue, player, withVenue } from "../density/density.ts";
import type { Part } from "../result.ts";
import { CYCLE_MS } from "../setup/setup.ts";

const MACHINES = 4;
const PLAY_MS = 30_000;
const SETTLE_MS = 4_000;
/** Wanted of what a record adds for each machine, % of a core. */
const ADDED_MAX = 3;

/** Games whose clips are fetched, one after the other, while all machines are played. */
const FETCHED = 12;
const FETCH_MS_MAX = 60_000;
/** A game that ended before this has all of its clip behind it, s. */
const PAST_S = 15;

type Measured = { readonly share: number; readonly mbPerHour: number; readonly fetchMs: readonly number[] };

/** The same four machines, watched and played, without a record of play and then with it: processor time of the agent with its media process, and how long a clip takes to come. */
export const recording: Part = async ({ say }, report) => {
  const without = await measure("no", say);
  const recorded = await measure("yes", say);
  const condition = `${MACHINES} machines, watched and played`;
  report({
    ...{ what: "agent, each machine, recorded", condition, unit: "% of a core", value: recorded.share },
    held: { peer: { name: "not recorded", value: without.share } },
  });
  report({
    ...{ what: "recording, each machine", condition, unit: "% of a core", value: recorded.share - without.share },
    held: { reach: { of: "figure", atMost: ADDED_MAX } },
  });
  report({
    what: "the clip of a game, from the wish until it is here",
    condition,
    unit: "ms",
    value: spreadOf(recorded.fetchMs),
  });
  report({ what: "disk for an hour of one machine", condition, unit: "MB", value: recorded.mbPerHour });
};

async function measure(record: "yes" | "no", say: (line: string) => void): Promise<Measured> {
  say(`recording: ${record}`);
  const floor = { machines: MACHINES, minCycleMs: CYCLE_MS };
  const venue = await openDensityVenue(MACHINES, say, { floor, agentEnv: { RECORD: record } });
  return await withVenue(venue, async () => {
    const crowd = await gatherGuests(
      venue.venue,
      venue.machines.map((machineId, n) => player(venue, machineId, n)),
    );
    try {
      await crowd.play(true);
      await pause(SETTLE_MS);
      const folder = join(venue.dataFolder, "agent/records");
      const [at, from, before] = [performance.now(), processCost(venue.agentPid()), await bytesIn(folder)];
      await pause(PLAY_MS);
      const tookMs = performance.now() - at;
      const usedMs = (processCost(venue.agentPid())?.cpuMs ?? 0) - (from?.cpuMs ?? 0);
      const bytes = (await bytesIn(folder)) - before;
      const fetchMs = record === "yes" ? await fetchClips(venue) : [];
      return {
        fetchMs,
        share: (100 * usedMs) / tookMs / MACHINES,
        mbPerHour: ((bytes / MACHINES) * 3_600_000) / tookMs / 1e6,
      };
    } finally {
      crowd.stop();
    }
  });
}

/** Wishes for the clips of games that are over, one after the other, as a page that shows a game does; each with a game of its own. */
async function fetchClips({ ask }: Pick<DensityVenue, "ask">): Promise<number[]> {
  const tookMs: number[] = [];
  for (let n = 0; n < FETCHED; n += 1) {
    const id = `cl_bench_${n}`;
    const at = performance.now();
    await ask(`insert into clip (id, machine_id, play_session_id, from_ms, to_ms)
      select '${id}', machine_id, play_session_id, extract(epoch from started_at) * 1000 - 5000, extract(epoch from ended_at) * 1000 + 6000
      from game g where ended_at < clock_timestamp() - interval '${PAST_S} seconds' and not exists (select from clip c where c.machine_id = g.machine_id
        and c.play_session_id = g.play_session_id and c.from_ms = extract(epoch from g.started_at) * 1000 - 5000)
      order by ended_at desc limit 1 returning id as answer`);
    while ((await ask(`select state as answer from clip where id = '${id}'`)) !== "ready") {
      if (performance.now() - at > FETCH_MS_MAX) throw new Error("The clip of a game did not come.");
      await pause(10);
    }
    tookMs.push(performance.now() - at);
  }
  return tookMs;
}

/** Bytes of all files below a folder; 0: there is none. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

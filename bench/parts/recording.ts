import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { processCost } from "../../rig/process.ts";
import { gatherGuests, openDensityVenue, player, withVenue } from "../density/density.ts";
import type { Part } from "../result.ts";
import { CYCLE_MS } from "../setup/setup.ts";

const MACHINES = 4;
const PLAY_MS = 30_000;
const SETTLE_MS = 4_000;
/** Wanted of what a record adds for each machine, % of a core. */
const ADDED_MAX = 3;

type Measured = { readonly share: number; readonly mbPerHour: number };

/** The same four machines, watched and played, without a record of play and then with it: processor time of the agent with its media process. */
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
      return {
        share: (100 * usedMs) / tookMs / MACHINES,
        mbPerHour: ((bytes / MACHINES) * 3_600_000) / tookMs / 1e6,
      };
    } finally {
      crowd.stop();
    }
  });
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

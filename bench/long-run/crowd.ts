import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { findVenue } from "@longarm/load/venue";
import { chanceOf } from "../../rig/chance.ts";
import type { Counts } from "../../rig/figures.ts";
import type { RandomPlayerOptions } from "../../rig/random-player.ts";
import { playAtRandom, rest, UNHURRIED, watchAtRandom } from "../../rig/random-player.ts";
import type { Venue, VenuePlayer } from "../../rig/venue/venue.ts";
import type { LongRunOptions } from "./options.ts";

/** Simulated players and viewers, two of them in a process that is killed again and again. */
export async function openCrowd(
  options: LongRunOptions,
  venue: Venue,
  machines: readonly string[],
  depositMinor: number,
) {
  const { simulated, seed } = options;
  const players = await venue.addPlayers("player", simulated?.players ?? 0, depositMinor);
  const viewers = await venue.addPlayers("viewer", simulated?.viewers ?? 0, depositMinor);
  const [player, viewer] = await venue.addPlayers("vanishing", 2, depositMinor);
  const reached = await findVenue(venue.href);
  return async (counts: Counts, isRunning: () => boolean): Promise<void> => {
    const habits = { venue: reached, machines, counts, isRunning, habits: UNHURRIED };
    const chance = ({ username }: VenuePlayer) => chanceOf(`${seed} ${username}`);
    await Promise.all([
      ...players.map((account) => playAtRandom({ ...habits, account, chance: chance(account) }).done),
      ...viewers.map((account) => watchAtRandom({ ...habits, account, chance: chance(account) })),
      vanishAgainAndAgain(
        { counts, isRunning, chance: chanceOf(`${seed} vanishing`) },
        { href: venue.href, machines, seed, player: player as VenuePlayer, viewer: viewer as VenuePlayer },
      ),
    ]);
  };
}

/** The only argument of the process. */
export type Vanishing = {
  readonly href: string;
  readonly machines: readonly string[];
  readonly player: VenuePlayer;
  readonly viewer: VenuePlayer;
  readonly seed: string;
};

const PROCESS = fileURLToPath(new URL("./vanishing-main.ts", import.meta.url));
/** From the start of the process to its kill, ms. */
const STAYS_MS = [6_000, 25_000] as const;
/** Sometimes back before the seat is given up, sometimes after it. */
const AWAY_MS = [500, 12_000] as const;

/** A player and a viewer whose computer loses its power again and again. */
async function vanishAgainAndAgain(
  { chance, counts, isRunning }: Pick<RandomPlayerOptions, "chance" | "counts" | "isRunning">,
  vanishing: Vanishing,
): Promise<void> {
  for (let time = 1; isRunning(); time += 1) {
    const argument = JSON.stringify({ ...vanishing, seed: `${vanishing.seed} ${time}` });
    const child = fork(PROCESS, [argument], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const ended = once(child, "exit");
    child.on("message", (deed) => counts.add(String(deed)));
    await rest({ chance, isRunning }, STAYS_MS);
    child.kill("SIGKILL");
    await ended;
    counts.add("vanishes");
    await rest({ chance, isRunning }, AWAY_MS);
  }
}

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { RandomPlayerOptions } from "../../rig/random-player.ts";
import { rest } from "../../rig/random-player.ts";
import type { VenuePlayer } from "../../rig/venue/venue.ts";

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
export async function vanishAgainAndAgain(
  { chance, counts, goesOn }: Pick<RandomPlayerOptions, "chance" | "counts" | "goesOn">,
  vanishing: Vanishing,
): Promise<void> {
  for (let time = 1; goesOn(); time += 1) {
    const argument = JSON.stringify({ ...vanishing, seed: `${vanishing.seed} ${time}` });
    const child = fork(PROCESS, [argument], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const ended = once(child, "exit");
    child.on("message", (deed) => counts.add(String(deed)));
    await rest({ chance, goesOn }, STAYS_MS);
    child.kill("SIGKILL");
    await ended;
    counts.add("vanishes");
    await rest({ chance, goesOn }, AWAY_MS);
  }
}

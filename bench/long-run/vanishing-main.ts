import { findVenue } from "@longarm/load/venue";
import { createChance, seededRandom } from "../../rig/chance.ts";
import { live } from "./life.ts";
import { visitAsPlayer, visitAsViewer } from "./playing.ts";
import type { SoakPlayer } from "./soak-venue.ts";

/* A player and a viewer in a process of their own, which is killed in the middle of what they do: neither says a word any more. */

/** What the process is told as its only argument. */
export type VanishingAsk = {
  readonly href: string;
  readonly machines: readonly string[];
  readonly player: SoakPlayer;
  readonly viewer: SoakPlayer;
  readonly seed: string;
};

const { href, machines, player, viewer, seed } = JSON.parse(process.argv[2] ?? "{}") as VanishingAsk;
const venue = await findVenue(href);
const deps = (who: SoakPlayer) => ({
  ...{ venue, machines, who, goesOn: () => true },
  chance: createChance(seededRandom(`${seed} ${who.username}`)),
  note: (deed: string) => void process.send?.(deed),
});
process.on("disconnect", () => process.exit(0));
await Promise.all([live(deps(player), visitAsPlayer), live(deps(viewer), visitAsViewer)]);

import { findVenue } from "@longarm/load/venue";
import { chanceOf } from "../../rig/chance.ts";
import { playAtRandom, UNHURRIED, watchAtRandom } from "../../rig/random-player.ts";
import type { VenuePlayer } from "../../rig/venue/venue.ts";
import type { Vanishing } from "./crowd.ts";

/* A player and a viewer in a process of their own, which is killed in the middle of what they do. */

const { href, machines, player, viewer, seed } = JSON.parse(process.argv[2] ?? "{}") as Vanishing;
const venue = await findVenue(href);
const options = (account: VenuePlayer) => ({
  ...{ venue, machines, account, habits: UNHURRIED, isRunning: () => true },
  chance: chanceOf(`${seed} ${account.username}`),
  counts: { add: (deed: string) => void process.send?.(deed) },
});
process.on("disconnect", () => process.exit(0));
await Promise.all([playAtRandom(options(player)).done, watchAtRandom(options(viewer))]);

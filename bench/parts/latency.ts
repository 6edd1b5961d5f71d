import { measureOurs } from "../latency/ours.ts";
import { measurePeer } from "../latency/peers.ts";
import { rowsOf } from "../latency/rows.ts";
import type { Part } from "./part.ts";

/** How long the reels are kept turning over each way, ms; on the narrow one the first 10 to 15 s are the way to its rate. */
const SHORT_MS = 12_000;
const LONG_MS = 40_000;

/** Glass to glass and press to visible change over each way, what they are made of, and the same machine through Janus. */
export const latency: Part = over(SHORT_MS);
/** The same for longer. */
export const latencyLong: Part = over(LONG_MS);

function over(playMs: number): Part {
  return async (rig, tell, ways) => {
    for (const condition of ways) {
      rig.say(`Playing: ${condition.name}`);
      const ours = await measureOurs(rig, condition, playMs);
      rig.say(`The peer: ${condition.name}`);
      const peers = [await measurePeer(rig, condition, playMs, true)];
      if (condition.id === "clean") peers.push(await measurePeer(rig, condition, playMs, false));
      for (const row of rowsOf(condition, ours, peers)) tell(row);
    }
  };
}

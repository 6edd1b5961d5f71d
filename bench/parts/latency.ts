import { Advice } from "../../tooling/bootstrap/advice.mjs";
import { measureOurs } from "../latency/ours.ts";
import { measurePeer } from "../latency/peers.ts";
import { rowsOf } from "../latency/rows.ts";
import type { Condition } from "../rig/conditions.ts";
import type { Rig } from "../rig/rig.ts";
import type { Part, Result } from "./part.ts";

/** How long the reels are kept turning over each way, ms; on the narrow one the first 10 to 15 s are the way to its rate. */
const SHORT_MS = 12_000;
const LONG_MS = 40_000;

/** Glass to glass and press to visible change over each way, what they are made of, and the same machine through Janus. */
export const latency: Part = over(SHORT_MS);
/** The same for longer. */
export const latencyLong: Part = over(LONG_MS);

/** A way that fails does not cost the others. */
function over(playMs: number): Part {
  return async (rig, tell, ways) => {
    const failures: string[] = [];
    for (const way of ways) {
      try {
        for (const row of await measure(rig, way, playMs)) tell(row);
      } catch (error) {
        const sentence = `${way.name}: ${error instanceof Error ? error.message : String(error)}`;
        // A program of others that cannot be had is no fault of a run.
        if (error instanceof Advice) rig.say(sentence);
        else failures.push(sentence);
        tell({ what: "glass to glass", condition: way.name, unit: "ms", value: null });
      }
    }
    if (failures.length > 0) throw new Error(failures.join("; "));
  };
}

async function measure(rig: Rig, way: Condition, playMs: number): Promise<Result[]> {
  rig.say(`Playing: ${way.name}`);
  const ours = await measureOurs(rig, way, playMs);
  rig.say(`The peer: ${way.name}`);
  const peers = [await measurePeer(rig, way, playMs, true)];
  if (way.id === "clean") peers.push(await measurePeer(rig, way, playMs, false));
  return rowsOf(way, ours, peers);
}

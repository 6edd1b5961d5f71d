import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import type { Condition } from "../rig/conditions.ts";
import { openPlayer } from "../rig/player.ts";
import type { Rig } from "../rig/rig.ts";
import { MACHINES } from "../rig/rig.ts";
import type { Part, Result } from "./part.ts";
import { watchedOf } from "./watched.ts";

/** How long the reels are kept turning over each way, ms; on the narrow one the first 10 to 15 s are the way to its rate. */
const PLAY_MS = 40_000;

/** Glass to glass, press to visible change, and how evenly pictures come, while the reels turn. */
export const latency: Part = async (rig, tell, ways) => {
  for (const condition of ways) await measure(rig, condition, tell);
};

async function measure(rig: Rig, { name, damage }: Condition, tell: (result: Result) => void): Promise<void> {
  rig.say(`Playing: ${name}`);
  const [player] = DEMO_PLAYERS;
  if (player === undefined) throw new Error("There is no demo player.");
  const bench = await openPlayer(rig, player, damage);
  try {
    await bench.sitDown(MACHINES[0]);
    await bench.cashIn();
    await bench.take();
    const { presses } = await bench.spinFor(PLAY_MS);
    const watched = watchedOf(await bench.take());
    const ms = { condition: name, unit: "ms" } as const;
    tell({ ...ms, what: "glass to glass, painted time", value: watched.ages });
    tell({ ...ms, what: "glass to glass, the page's readout", value: watched.readouts });
    tell({ ...ms, what: "press to visible change", value: watched.presses });
    tell({ ...ms, what: "longest gap between pictures", value: watched.longestGapMs });
    tell({ condition: name, unit: "times", what: "gaps over 200 ms", value: watched.noticedGaps });
    tell({ condition: name, unit: "a second", what: "pictures", value: watched.framesPerSecond });
    tell({ condition: name, unit: "times", what: "presses not seen", value: presses - (watched.presses?.n ?? 0) });
    await bench.leave();
  } finally {
    await bench.close();
  }
}

import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import { spreadOf } from "../figures/spread.ts";
import { openPlayer } from "../rig/player.ts";
import { MACHINES } from "../rig/rig.ts";
import type { Part } from "./part.ts";

const VISITS = 7;

/** From the click on a machine's card to its first picture; each time nobody watched the machine before. */
export const firstFrame: Part = async (rig, tell, ways) => {
  for (const { name, damage } of ways) {
    rig.say(`First picture: ${name}`);
    const [player] = DEMO_PLAYERS;
    if (player === undefined) throw new Error("There is no demo player.");
    const bench = await openPlayer(rig, player, damage);
    const times: number[] = [];
    try {
      for (let visit = 0; visit < VISITS; visit += 1) {
        await bench.sitDown(MACHINES[visit % MACHINES.length] ?? MACHINES[0]);
        times.push(...(await bench.take()).firstFramesMs);
        await bench.leave();
      }
    } finally {
      await bench.close();
    }
    tell({ what: "first picture from click", condition: name, unit: "ms", value: spreadOf(times) });
  }
};

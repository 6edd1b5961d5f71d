import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import { spreadOf } from "../figures/spread.ts";
import type { ConnectionTimes } from "../page/connection-log.ts";
import { openPlayer } from "../rig/player.ts";
import type { Rig } from "../rig/rig.ts";
import { MACHINES } from "../rig/rig.ts";
import type { Part } from "./part.ts";

const VISITS = 7;

type First = { readonly clickedAt: number; readonly shownAt: number; readonly connection: ConnectionTimes | undefined };

/** From the click on a machine's card to its first picture; each time nobody watched the machine before. */
export const firstFrame: Part = async (rig, tell, ways) => {
  // Through a TURN server the web comes by another way than that of the rig.
  for (const { name, damage } of ways.filter(({ turn }) => turn === undefined)) {
    rig.say(`First picture: ${name}`);
    const firsts = await visit(rig, damage);
    const ms = { condition: name, unit: "ms" } as const;
    tell({
      ...ms,
      what: "first picture from click",
      value: spreadOf(firsts.map((one) => one.shownAt - one.clickedAt)),
    });
    for (const [what, stage] of STAGES) {
      const value = spreadOf(firsts.map(stage).filter((time) => time !== null));
      tell({ ...ms, what: `first picture: ${what}`, value });
    }
  }
};

/** Null where the connection did not come by that. */
const STAGES: readonly (readonly [string, (first: First) => number | null])[] = [
  ["page, until the connection is made", ({ clickedAt, connection }) => between(clickedAt, connection?.madeAt)],
  ["offer and answer", ({ connection }) => between(connection?.madeAt, connection?.answeredAt)],
  ["ICE", ({ connection }) => between(connection?.answeredAt, connection?.pairedAt)],
  ["DTLS", ({ connection }) => between(connection?.pairedAt, connection?.connectedAt)],
  ["encoder, and the picture itself", ({ connection, shownAt }) => between(connection?.connectedAt, shownAt)],
];

const between = (from: number | null | undefined, to: number | null | undefined): number | null =>
  from == null || to == null ? null : to - from;

async function visit(rig: Rig, damage: Parameters<typeof openPlayer>[2]): Promise<First[]> {
  const [player] = DEMO_PLAYERS;
  if (player === undefined) throw new Error("There is no demo player.");
  const bench = await openPlayer(rig, player, damage);
  const firsts: First[] = [];
  try {
    for (let time = 0; time < VISITS; time += 1) {
      await bench.sitDown(MACHINES[time % MACHINES.length] ?? MACHINES[0]);
      const connections = await bench.connections();
      for (const { clickedAt, shownAt } of (await bench.take()).firsts) {
        const connection = connections.findLast(({ madeAt }) => madeAt >= clickedAt && madeAt <= shownAt);
        firsts.push({ clickedAt, shownAt, connection });
      }
      await bench.leave();
    }
  } finally {
    await bench.close();
  }
  return firsts;
}

import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import type { Spread } from "../figures/spread.ts";
import { spreadOf } from "../figures/spread.ts";
import type { PictureTimes, PressTimes } from "../figures/stages.ts";
import { timesOfPictures, timesOfPresses } from "../figures/stages.ts";
import type { Condition } from "../rig/conditions.ts";
import { openPlayer } from "../rig/player.ts";
import type { Rig } from "../rig/rig.ts";
import { MACHINES } from "../rig/rig.ts";
import type { Measured } from "./measured.ts";
import { measuredOf, strayed } from "./measured.ts";

export type Ours = Measured & {
  /** What the page itself says. */
  readonly readouts: Spread | null;
  /** Pictures that left the agent; the page may have shown fewer. */
  readonly sentPerSecond: number;
  readonly pictures: readonly PictureTimes[];
  readonly pressTimes: readonly PressTimes[];
};

/** Plays for so long over a way, and reads what page and agent saw of it. @throws Error when the media went another way. */
export async function measureOurs(rig: Rig, condition: Condition, playMs: number): Promise<Ours> {
  const [player] = DEMO_PLAYERS;
  if (player === undefined) throw new Error("There is no demo player.");
  const { damage, turn } = condition;
  // The peer has none.
  const bench = await openPlayer(rig, player, damage, { withoutRoom: true, ...(turn && { turn }) });
  try {
    await bench.sitDown(MACHINES[0]);
    await bench.cashIn();
    await rig.stages.take();
    await bench.take();
    const from = await bench.sums();
    const { presses } = await bench.spinFor(playMs);
    const to = await bench.sums();
    const seen = await bench.take();
    const elsewhere = strayed(condition, to);
    if (elsewhere !== null) throw new Error(`${condition.name}: ${elsewhere}.`);
    const agent = await rig.stages.take();
    await bench.leave();
    return {
      ...measuredOf(seen, presses, { from, to }),
      readouts: spreadOf(seen.readoutsMs),
      sentPerSecond: perSecond(agent.pictures.map(({ sentAtMs }) => sentAtMs)),
      pictures: timesOfPictures(seen.frames, agent.pictures),
      pressTimes: timesOfPresses(seen.presses, agent.pictures, agent.pressesAt),
    };
  } finally {
    await bench.close();
  }
}

function perSecond(times: readonly number[]): number {
  const lastedMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return lastedMs <= 0 ? 0 : ((times.length - 1) * 1_000) / lastedMs;
}

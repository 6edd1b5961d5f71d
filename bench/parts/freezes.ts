import { setTimeout as pause } from "node:timers/promises";
import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import type { Seen } from "../page/probe.ts";
import type { Condition } from "../rig/conditions.ts";
import { LOSSY_WAY, NARROW_WAY } from "../rig/conditions.ts";
import type { BenchPlayer } from "../rig/player.ts";
import { openPlayer } from "../rig/player.ts";
import type { Rig } from "../rig/rig.ts";
import { MACHINES } from "../rig/rig.ts";
import type { Part } from "./part.ts";
import { watchedOf } from "./watched.ts";

/** Each way, how long is played on it, and the gap between two pictures that counts as a freeze, ms. */
const WATCHES = [
  { way: LOSSY_WAY, playMs: 120_000, freezeMs: 400, fromMs: 0 },
  { way: NARROW_WAY, playMs: 60_000, freezeMs: 300, fromMs: 2_000 },
] as const;
/** Between two looks at how much has come through, ms. */
const LOOK_MS = 50;

/** How long the picture ever stands still over a bad way, from its first picture on, and how much of a narrow one is used. */
export const freezes: Part = async (rig, tell, ways) => {
  for (const { way, playMs, freezeMs, fromMs } of WATCHES.filter((watch) => ways.includes(watch.way))) {
    rig.say(`Freezes: ${way.name}, ${playMs / 1000} s`);
    const { seen, usedBps } = await play(rig, way, playMs);
    const from = (seen.frames[0]?.shownAt ?? 0) + fromMs;
    const frames = seen.frames.filter(({ shownAt }) => shownAt >= from);
    const { gaps, longestGapMs, framesPerSecond } = watchedOf({ ...seen, frames });
    const condition = `${way.name}, ${playMs / 1000} s`;
    tell({ what: "longest freeze", condition, unit: "ms", value: longestGapMs });
    tell({
      what: `freezes over ${freezeMs} ms`,
      condition,
      unit: "times",
      value: gaps.filter((gap) => gap > freezeMs).length,
    });
    tell({ what: "pictures", condition, unit: "a second", value: framesPerSecond });
    tell({ what: "used while reels turn", condition, unit: "Mbit/s", value: usedBps / 1_000_000 });
  }
};

async function play(rig: Rig, { damage }: Condition, playMs: number): Promise<{ seen: Seen; usedBps: number }> {
  const [player] = DEMO_PLAYERS;
  if (player === undefined) throw new Error("There is no demo player.");
  const bench = await openPlayer(rig, player, damage);
  const ended = new AbortController();
  try {
    await bench.sitDown(MACHINES[0]);
    await bench.cashIn();
    const used = usedWhileTurning(bench, ended.signal);
    await bench.spinFor(playMs);
    ended.abort();
    const seen = await bench.take();
    const usedBps = await used;
    await bench.leave();
    return { seen, usedBps };
  } finally {
    ended.abort();
    await bench.close();
  }
}

/** Bit/s that came through to the page while the reels turned. */
async function usedWhileTurning(bench: BenchPlayer, ended: AbortSignal): Promise<number> {
  const passed = async (): Promise<number> => {
    const relays = (await bench.path?.relays()) ?? [];
    return relays.reduce((sum, { toBrowser }) => sum + toBrowser.bytes, 0);
  };
  let [bytes, ms] = [0, 0];
  let before = { turning: false, bytes: 0, at: 0 };
  while (!ended.aborted) {
    const now = { turning: await bench.turning(), bytes: await passed(), at: performance.now() };
    if (before.turning && now.turning) {
      bytes += now.bytes - before.bytes;
      ms += now.at - before.at;
    }
    before = now;
    await pause(LOOK_MS);
  }
  return ms === 0 ? 0 : (bytes * 8_000) / ms;
}

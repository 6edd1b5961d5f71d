import { setTimeout as pause } from "node:timers/promises";
import { CLEAN } from "../../e2e/damage/udp-relay.ts";
import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import { spreadOf } from "../figures/spread.ts";
import type { BenchPlayer } from "../rig/player.ts";
import { openPlayer } from "../rig/player.ts";
import type { Rig } from "../rig/rig.ts";
import { MACHINES } from "../rig/rig.ts";
import type { Part } from "./part.ts";

/** How long the link is cut, ms; a cut of ten seconds has gone through the first steps of recovery. */
const CUTS_MS = [1_000, 3_000, 10_000] as const;
const TIMES = 4;
/** Pictures flow for so long before the next cut, ms. */
const FLOW_MS = 2_000;
/** A picture that is not back by then is told as this, ms. */
const BACK_MS_MAX = 20_000;

/** From the return of a cut link to the first picture: of the media's way alone, and of everything the page has. */
export const cut: Part = async (rig, tell) => {
  for (const whole of [false, true]) {
    const what = whole ? "picture back, link of media and socket cut" : "picture back, link of media cut";
    for (const cutMs of CUTS_MS) {
      rig.say(`Cut: ${what}, ${cutMs / 1000} s`);
      const value = spreadOf(await cutOften(rig, cutMs, whole));
      tell({ what, condition: `after ${cutMs / 1000} s`, unit: "ms", value });
    }
  }
};

async function cutOften(rig: Rig, cutMs: number, whole: boolean): Promise<number[]> {
  const [player] = DEMO_PLAYERS;
  if (player === undefined) throw new Error("There is no demo player.");
  const bench = await openPlayer(rig, player, CLEAN);
  const times: number[] = [];
  try {
    await bench.sitDown(MACHINES[0]);
    for (let time = 0; time < TIMES; time += 1) {
      await pause(FLOW_MS);
      times.push(await cutOnce(bench, cutMs, whole));
    }
    await bench.leave();
  } finally {
    await bench.close();
  }
  return times;
}

async function cutOnce(bench: BenchPlayer, cutMs: number, whole: boolean): Promise<number> {
  const set = async (isCut: boolean): Promise<void> => {
    if (whole) await bench.page.context().setOffline(isCut);
    await bench.path?.cut(isCut);
  };
  await set(true);
  await pause(cutMs);
  await bench.take();
  await set(false);
  const backAt = performance.timeOrigin + performance.now();
  const endsAt = backAt + BACK_MS_MAX;
  while (performance.timeOrigin + performance.now() < endsAt) {
    const seen = (await bench.take()).frames.find(({ shownAt }) => shownAt > backAt);
    if (seen !== undefined) return seen.shownAt - backAt;
    await pause(50);
  }
  return BACK_MS_MAX;
}

import { spreadOf } from "../../rig/figures.ts";
import type { Part } from "../result.ts";
import type { Setup } from "../setup/setup.ts";
import { countTasks, taskSeconds, watchFrames } from "../web/frames.ts";
import { openFloor, pushChanges, SLOWER, startFloor } from "../web/phone.ts";

const FEW = 12;
const MANY = 2_000;
const LOOK_MS = 8_000;
/** Px a wheel turn of the scrolled run moves, every `WHEEL_MS`. */
const WHEEL_PX = 240;
const WHEEL_MS = 50;

/** A floor, and how it is looked at. */
type Look = { readonly count: number; readonly slower: number; readonly scrolled: boolean };
const LOOKS: readonly Look[] = [
  { count: FEW, slower: SLOWER, scrolled: false },
  { count: MANY, slower: SLOWER, scrolled: false },
  { count: MANY, slower: SLOWER, scrolled: true },
  { count: MANY, slower: 1, scrolled: false },
  { count: MANY, slower: 1, scrolled: true },
];

/** What a lobby costs the page while 200 statuses a second change: a small floor and a large one, standing still and scrolled, on a slow processor and on this one. */
export const lobby: Part = async (setup, report) => {
  const busy = new Map<string, number>();
  for (const one of LOOKS) {
    const { count, slower, scrolled } = one;
    const condition = `${count} machines${scrolled ? ", scrolled" : ""}${slower === 1 ? ", not slowed" : ""}`;
    setup.say(`Lobby: ${condition}`);
    const { frames, longTasks, busyShare } = await look(setup, one);
    busy.set(condition, busyShare);
    report({ what: "lobby, from frame to frame", condition, unit: "ms", value: spreadOf(frames) });
    report({ what: "lobby, frames left out", condition, unit: "a second", value: leftOut(frames) / (LOOK_MS / 1_000) });
    report({
      ...{ what: "lobby, tasks over 50 ms", condition, unit: "times", value: longTasks },
      ...(slower === 1 && { held: { reach: { of: "figure", atMost: 0 } } }),
    });
    report({ what: "lobby, the page's main thread", condition, unit: "% of a core", value: busyShare * 100 });
  }
  const [few = 0, many = 0] = [busy.get(`${FEW} machines`), busy.get(`${MANY} machines`)];
  report({ what: "lobby, main thread", condition: `${MANY} to ${FEW} machines`, unit: "times", value: many / few });
};

/** Frames of 60 Hz that were not drawn. */
function leftOut(frames: readonly number[]): number {
  return frames.reduce((sum, ms) => sum + Math.max(0, Math.round(ms / (1_000 / 60)) - 1), 0);
}

async function look(setup: Setup, { count, slower, scrolled }: Look) {
  const backEnd = await startFloor(count);
  const page = await setup.browser.newPage({ viewport: { width: 1440, height: 900 } });
  try {
    await openFloor(page, backEnd);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: slower });
    await countTasks(cdp);
    const watching = page.evaluate(watchFrames, LOOK_MS);
    const from = await taskSeconds(cdp);
    const started = performance.now();
    let wheels = 0;
    await pushChanges(backEnd, LOOK_MS, async (passed) => {
      if (!scrolled || wheels >= passed / WHEEL_MS) return;
      wheels += 1;
      await page.mouse.wheel(0, WHEEL_PX);
    });
    const seconds = (await taskSeconds(cdp)) - from;
    const { frames, longTasks } = await watching;
    return { frames, longTasks, busyShare: seconds / ((performance.now() - started) / 1_000) };
  } finally {
    await page.close();
    await backEnd.close();
  }
}

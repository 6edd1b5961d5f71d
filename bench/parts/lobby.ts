import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";
import type { ScriptedBackEnd } from "../../e2e/scripted/back-end.ts";
import { startScriptedBackEnd } from "../../e2e/scripted/back-end.ts";
import type { World } from "../../e2e/scripted/world.ts";
import { scriptedWorld } from "../../e2e/scripted/world.ts";
import { ROOT } from "../../launcher/house.ts";
import { spreadOf } from "../figures/spread.ts";
import { watchFrames } from "../page/lobby-frames.ts";
import type { Rig } from "../rig/rig.ts";
import { within } from "../rig/rig.ts";
import type { Part } from "./part.ts";

const FEW = 12;
const MANY = 2_000;
const CHANGES_A_SECOND = 200;
/** A processor this many times slower than this one, about that of a cheap phone. */
const SLOWER = 4;
const LOOK_MS = 8_000;
const SIGN_IN_MS = 3_600_000;
const PATIENCE_MS = 30_000;
/** Px a wheel turn of the scrolled run moves, every `WHEEL_MS`. */
const WHEEL_PX = 240;
const WHEEL_MS = 50;

/** What a lobby costs the page while 200 statuses a second change, of a small floor and of a large one, standing still and scrolled. */
export const lobby: Part = async (rig, tell) => {
  const busy = new Map<string, number>();
  for (const [count, scrolled] of [
    [FEW, false],
    [MANY, false],
    [MANY, true],
  ] as const) {
    const condition = `${count} machines${scrolled ? ", scrolled" : ""}`;
    rig.say(`Lobby: ${condition}`);
    const { frames, longTasks, busyShare } = await look(rig, count, scrolled);
    busy.set(condition, busyShare);
    tell({ what: "lobby, from frame to frame", condition, unit: "ms", value: spreadOf(frames) });
    tell({ what: "lobby, frames left out", condition, unit: "a second", value: leftOut(frames) / (LOOK_MS / 1_000) });
    tell({ what: "lobby, tasks over 50 ms", condition, unit: "times", value: longTasks });
    tell({ what: "lobby, the page's main thread", condition, unit: "% of a core", value: busyShare * 100 });
  }
  const [few = 0, many = 0] = [busy.get(`${FEW} machines`), busy.get(`${MANY} machines`)];
  tell({ what: "lobby, main thread", condition: `${MANY} to ${FEW} machines`, unit: "times", value: many / few });
};

/** Frames of 60 Hz that were not drawn. */
function leftOut(frames: readonly number[]): number {
  return frames.reduce((sum, ms) => sum + Math.max(0, Math.round(ms / (1_000 / 60)) - 1), 0);
}

async function look(rig: Rig, count: number, scrolled: boolean) {
  const world = scriptedWorld(Date.now() + SIGN_IN_MS);
  world.machines = floorOf(count);
  world.settings["updateLobby"] = 0;
  const expSeconds = Math.floor((Date.now() + SIGN_IN_MS) / 1_000);
  const backEnd = await startScriptedBackEnd(world, join(ROOT, "apps/web/dist"), expSeconds);
  const page = await rig.browser.newPage({ viewport: { width: 1440, height: 900 } });
  try {
    await page.goto(`${backEnd.url}/lobby?token=${backEnd.token}`);
    await page.locator("article").first().waitFor({ timeout: PATIENCE_MS });
    if (!(await within(PATIENCE_MS, async () => backEnd.listening() === 1)))
      throw new Error("The page does not listen.");
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await cdp.send("Performance.enable");
    return await measure({ page, cdp, backEnd, world, scrolled });
  } finally {
    await page.close();
    await backEnd.close();
  }
}

type Looked = {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly backEnd: ScriptedBackEnd;
  readonly world: World;
  readonly scrolled: boolean;
};

async function measure({ page, cdp, backEnd, world, scrolled }: Looked) {
  const watching = page.evaluate(watchFrames, LOOK_MS);
  const from = await taskSeconds(cdp);
  const started = performance.now();
  let told = 0;
  let wheels = 0;
  while (performance.now() - started < LOOK_MS) {
    const passed = performance.now() - started;
    for (; told < (passed / 1_000) * CHANGES_A_SECOND; told += 1) {
      const machine = world.machines[(told * 7) % world.machines.length];
      if (machine === undefined) continue;
      machine.status = (machine.status % 4) + 1;
      backEnd.push("machine", { id: machine.id, status: machine.status });
    }
    if (scrolled && wheels < passed / WHEEL_MS) {
      wheels += 1;
      await page.mouse.wheel(0, WHEEL_PX);
    } else await pause(5);
  }
  const seconds = (await taskSeconds(cdp)) - from;
  const { frames, longTasks } = await watching;
  return { frames, longTasks, busyShare: seconds / ((performance.now() - started) / 1_000) };
}

async function taskSeconds(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
}

function floorOf(count: number): World["machines"] {
  const brands = ["Nar", "Kuzey", "Pera", "Mercan"];
  return Array.from({ length: count }, (_, index) => {
    const brand = brands[index % brands.length] ?? "";
    return { id: `m_${index}`, name: `${brand} ${index}`, brand, status: (index % 4) + 1 };
  });
}

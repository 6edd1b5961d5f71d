import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { STAFF_BASE } from "@longarm/contract/staff-call";
import type { BrowserContext, Page } from "playwright-core";
import { ROOT } from "../../launcher/venue.ts";
import { spreadOf } from "../../rig/figures.ts";
import { pageHeld } from "../../rig/process.ts";
import type { Part, Result } from "../result.ts";
import type { Setup } from "../setup/setup.ts";
import type { ConsoleFloor } from "./console-floor.ts";
import { startConsoleFloor } from "./console-floor.ts";
import { countTasks, taskSeconds, watchFrames } from "./frames.ts";

/** Machines of the floor that is measured. */
const COUNT = 200;
const DESK = { viewport: { width: 1440, height: 900 } } as const;
/** Machines that change each second, with a new still each: every machine has one in ten seconds. */
const CHANGES_A_SECOND = 20;

/** What the console loads and how soon it shows something: the sign-in, and the floor for somebody who is signed in. */
export const consoleStart: Part = async (setup, report) => {
  const floor = await startConsoleFloor(COUNT, setup.say);
  try {
    for (const [name, path, wanted] of [
      ["floor of 200", "/floor", "a[data-machine]"],
      ["approvals", "/approvals", "h1"],
    ] as const) {
      setup.say(`Start of the console: ${name}`);
      const context = await setup.browser.newContext(DESK);
      try {
        for (const visit of ["never here before", "once more"]) {
          const { kib, scriptKib, shownMs } = await start(context, floor, path, wanted);
          const condition = `${name}, ${visit}`;
          report({ what: "console, first useful paint", condition, unit: "ms", value: shownMs });
          report({ what: "console, fetched without stills", condition, unit: "KiB", value: kib });
          report({ what: "console, of these scripts", condition, unit: "KiB", value: scriptKib });
        }
      } finally {
        await context.close();
      }
    }
    await reportBuilt(report);
  } finally {
    await floor.close();
  }
};

/** Written by the console's own build (`packages/ui/build/load-budget.ts`). KiB, gzipped; `max` is the budget. */
async function reportBuilt(report: (result: Result) => void): Promise<void> {
  const text = await readFile(join(ROOT, "apps/console/dist/.first-loads.json"), "utf8");
  type Built = { readonly name: string } & Readonly<Record<"script" | "style", { gzip: number; max: number }>>;
  for (const { name, script, style } of JSON.parse(text) as Built[])
    for (const [kind, { gzip, max }] of [["scripts", script] as const, ["styles", style] as const])
      report({
        ...{ what: `console, ${kind} as built, gzip`, condition: name, unit: "KiB", value: gzip },
        held: { reach: { of: "figure", atMost: max } },
      });
}

async function start(context: BrowserContext, floor: ConsoleFloor, path: string, wanted: string) {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  const kinds = new Map<string, string>();
  let [bytes, scriptBytes] = [0, 0];
  cdp.on("Network.responseReceived", ({ requestId, type }) => void kinds.set(requestId, type));
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId);
    if (kind !== "Image") bytes += encodedDataLength;
    if (kind === "Script") scriptBytes += encodedDataLength;
  });
  const from = performance.now();
  await page.goto(floor.href + path);
  await page.locator(wanted).first().waitFor();
  const shownMs = performance.now() - from;
  await pause(1_000);
  await page.close();
  return { kib: bytes / 1_024, scriptKib: scriptBytes / 1_024, shownMs };
}

const SCROLL_MS = 8_000;
const WHEEL_PX = 240;
const WHEEL_MS = 50;

/**
 * A floor of 200 stills that is scrolled while it changes: every zoom, from frame to frame. Beside it, in the same minute, a page that holds
 * nothing but as many stills of the same size: what this computer's browser can draw at best.
 */
export const consoleWall: Part = async (setup, report) => {
  const floor = await startConsoleFloor(COUNT, setup.say);
  try {
    for (const zoom of ["near", "middle", "plan"] as const) {
      setup.say(`Floor of ${COUNT} stills, ${zoom}`);
      const { frames, longTasks, share, still } = await scrolledFloor(setup, floor, zoom);
      const bare = await scrolledStills(setup, floor, still);
      const condition = `${COUNT} machines, ${zoom}`;
      report({
        ...{ what: "console floor scrolled, frames", condition, unit: "a second", value: frequencyOf(frames) },
        held: { peer: { name: "the stills alone", value: frequencyOf(bare.frames) } },
      });
      report({ what: "console floor scrolled, from frame to frame", condition, unit: "ms", value: spreadOf(frames) });
      report({ what: "console floor scrolled, tasks over 50 ms", condition, unit: "times", value: longTasks });
      report({ what: "console floor scrolled, main thread", condition, unit: "% of a core", value: share * 100 });
    }
  } finally {
    await floor.close();
  }
};

const frequencyOf = (frames: readonly number[]) => frames.length / (frames.reduce((sum, ms) => sum + ms, 0) / 1_000);

type StillSize = { readonly width: number; readonly height: number };

async function scrolledFloor(setup: Setup, floor: ConsoleFloor, zoom: string) {
  const page = await setup.browser.newPage(DESK);
  try {
    await page.goto(`${floor.href}/floor?zoom=${zoom}`);
    const still = page.locator("a[data-machine] img").nth(3);
    await still.waitFor();
    const { width, height } = (await still.boundingBox()) ?? { width: 0, height: 0 };
    return { ...(await scrolled(page, floor.change)), still: { width, height } };
  } finally {
    await page.close();
  }
}

async function scrolledStills(setup: Setup, { href }: ConsoleFloor, still: StillSize) {
  const page = await setup.browser.newPage(DESK);
  try {
    await page.goto(`${href}${STAFF_BASE}stills/m-000?tag=0`);
    await page.evaluate(showStills, { ...still, count: COUNT });
    await page.locator("img").nth(3).waitFor();
    return await scrolled(page, () => undefined);
  } finally {
    await page.close();
  }
}

/** Runs in the page: takes everything away, and shows stills in rows. */
function showStills({ count, width, height }: StillSize & { readonly count: number }): void {
  const rows = document.createElement("main");
  rows.style.cssText = "display: flex; flex-wrap: wrap; gap: 8px";
  for (let at = 0; at < count; at += 1) {
    const still = Object.assign(new Image(width, height), { src: `?tag=${at}` });
    rows.append(still);
  }
  document.body.replaceChildren(rows);
  document.body.style.cssText = "display: block; height: auto";
}

/** Turns the wheel down and up again over a page that changes meanwhile. */
async function scrolled(page: Page, change: () => void) {
  await page.mouse.move(700, 500);
  const cdp = await page.context().newCDPSession(page);
  await countTasks(cdp);
  const watching = page.evaluate(watchFrames, SCROLL_MS);
  const [from, began] = [await taskSeconds(cdp), performance.now()];
  let turns = 0;
  let changes = 0;
  while (performance.now() - began < SCROLL_MS) {
    const passed = performance.now() - began;
    for (; changes < (passed / 1_000) * CHANGES_A_SECOND; changes += 1) change();
    if (turns < passed / WHEEL_MS) {
      await page.mouse.wheel(0, Math.floor(passed / 2_000) % 2 === 0 ? WHEEL_PX : -WHEEL_PX);
      turns += 1;
    } else await pause(10);
  }
  const seconds = (performance.now() - began) / 1_000;
  const share = ((await taskSeconds(cdp)) - from) / seconds;
  return { ...(await watching), share };
}

const WARM_UP_MS = 60_000;
const OPEN_MS = 600_000;

/** A console that is left open for ten minutes on a floor that is played: what grows, and how much of a core it takes. */
export const consoleOpen: Part = async (setup, report) => {
  setup.say(`A console open for ${OPEN_MS / 60_000} min on a floor of ${COUNT} machines`);
  const floor = await startConsoleFloor(COUNT, setup.say);
  const context = await setup.browser.newContext(DESK);
  try {
    const page = await context.newPage();
    await page.goto(`${floor.href}/floor`);
    await page.locator("a[data-machine]").first().waitFor();
    const cdp = await context.newCDPSession(page);
    await countTasks(cdp);
    await changing(floor, page, WARM_UP_MS);
    const before = await pageHeld(cdp);
    const [from, began] = [await taskSeconds(cdp), performance.now()];
    await changing(floor, page, OPEN_MS);
    const share = ((await taskSeconds(cdp)) - from) / ((performance.now() - began) / 1_000);
    const after = await pageHeld(cdp);
    const condition = `${COUNT} machines, ${CHANGES_A_SECOND} changes a second, after 10 min`;
    const held = (value: number) => ({ peer: { name: "before", value } });
    report({
      ...{ what: "console open: main thread", condition, unit: "% of a core", value: share * 100 },
      held: { reach: { of: "figure", atMost: 5 } },
    });
    report({
      ...{ what: "console open: memory of scripts", condition, unit: "MB", value: after.heapMb },
      held: held(before.heapMb),
    });
    report({
      ...{ what: "console open: nodes", condition, unit: "times", value: after.nodes },
      held: held(before.nodes),
    });
    report({
      ...{ what: "console open: listeners", condition, unit: "times", value: after.listeners },
      held: held(before.listeners),
    });
  } finally {
    await context.close();
    await floor.close();
  }
};

async function changing(floor: ConsoleFloor, page: Page, ms: number): Promise<void> {
  const began = performance.now();
  let changes = 0;
  while (performance.now() - began < ms && !page.isClosed()) {
    for (; changes < ((performance.now() - began) / 1_000) * CHANGES_A_SECOND; changes += 1) floor.change();
    await pause(25);
  }
}

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { BrowserContext } from "playwright-core";
import { ROOT } from "../../launcher/venue.ts";
import { spreadOf } from "../../rig/figures.ts";
import { signIn } from "../../rig/player.ts";
import type { Part, Result } from "../result.ts";
import type { Setup } from "../setup/setup.ts";
import { newPhone, slowPage } from "./phone.ts";

const VISITS = 3;
/** After the last request: late pictures are drawn, and tasks are reported. */
const SETTLED_MS = 700;

/** A page's start, and where its reader is led by. */
type Route = { readonly name: string; readonly path: string; readonly wanted: string; readonly token?: string };
type Load = Started & { readonly kib: number; readonly requests: number };
/** Written by the web's own build (`build/load-budget.ts`). */
type BuiltLoad = { readonly name: string; readonly script: BuiltSize; readonly style: BuiltSize };
/** KiB; `max` is the budget of the gzipped one. */
type BuiltSize = { readonly gzip: number; readonly brotli: number; readonly max: number };

/** Login and lobby of the real venue on a slow phone, by somebody who was never here and by somebody who comes back. */
export const webStart: Part = async (setup, report) => {
  const { token } = await signIn(setup.venue.href);
  const routes: Route[] = [
    { name: "login", path: "/login", wanted: "main button:has(svg)" },
    { name: "lobby", path: "/lobby", wanted: "[data-machine]", token },
  ];
  for (const route of routes) {
    setup.say(`Start of the ${route.name} on a slow phone`);
    const cold: Load[] = [];
    const warm: Load[] = [];
    for (let visit = 0; visit < VISITS; visit += 1) {
      const phone = await newPhone(setup);
      // Signed in before, as most visits are; the key is the specification's.
      if (route.token !== undefined) {
        await phone.addInitScript((kept) => localStorage.setItem("jwt_access_token", kept), route.token);
      }
      try {
        cold.push(await load(setup, phone, route));
        warm.push(await load(setup, phone, route));
      } finally {
        await phone.close();
      }
    }
    reportLoads(report, `${route.name}, never here before`, cold);
    reportLoads(report, `${route.name}, once more`, warm);
  }
  await reportBuilt(report);
};

/** One visit in a page of its own. What the browser keeps, it keeps from visit to visit. */
async function load(setup: Setup, phone: BrowserContext, { path, wanted }: Route): Promise<Load> {
  const { page, cdp } = await slowPage(phone, { network: true });
  let bytes = 0;
  let requests = 0;
  cdp.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    requests += encodedDataLength > 0 ? 1 : 0;
  });
  await page.addInitScript(watchStart, wanted);
  await page.goto(`${setup.venue.href}${path}`, { waitUntil: "networkidle" });
  await page.waitForFunction(() => (globalThis as unknown as { longarmStart: Started }).longarmStart.readyMs !== null);
  await pause(SETTLED_MS);
  const started = await page.evaluate(() => (globalThis as unknown as { longarmStart: Started }).longarmStart);
  await page.close();
  return { ...started, kib: bytes / 1_024, requests };
}

function reportLoads(report: (result: Result) => void, condition: string, loads: readonly Load[]): void {
  const of = (pick: (load: Load) => number | null) => spreadOf(loads.map(pick).filter((value) => value !== null));
  report({ what: "start, first paint", condition, unit: "ms", value: of((load) => load.firstPaintMs) });
  report({ what: "start, largest paint", condition, unit: "ms", value: of((load) => load.largestMs) });
  report({ what: "start, until it can be tapped", condition, unit: "ms", value: of((load) => load.readyMs) });
  report({ what: "start, tasks beyond 50 ms each", condition, unit: "ms", value: of((load) => load.blockedMs) });
  report({ what: "start, fetched", condition, unit: "KiB", value: of((load) => load.kib) });
  report({ what: "start, fetches", condition, unit: "times", value: of((load) => load.requests) });
}

/** Script and style of each route as the build measured them, with its budget as the bound. */
async function reportBuilt(report: (result: Result) => void): Promise<void> {
  const built: BuiltLoad[] = JSON.parse(await readFile(join(ROOT, "apps/web/dist/.first-loads.json"), "utf8"));
  for (const { name, ...kinds } of built) {
    for (const kind of ["script", "style"] as const) {
      const { gzip, brotli, max } = kinds[kind];
      const held = { reach: { of: "figure", atMost: max } } as const;
      report({ what: `${kind} of ${name}`, condition: "gzip", unit: "KiB", value: gzip, held });
      report({ what: `${kind} of ${name}`, condition: "brotli", unit: "KiB", value: brotli });
    }
  }
}

/** What a page's start looked like from inside, ms since the navigation began. */
type Started = {
  /** First text or picture; null: none yet. */
  readonly firstPaintMs: number | null;
  /** The largest of them. */
  readonly largestMs: number | null;
  /** The wanted element is where a finger would touch it, and the page was free to draw it. */
  readonly readyMs: number | null;
  /** Of all tasks, what they took beyond 50 ms each. */
  readonly blockedMs: number;
  /** Cumulative layout shift. */
  readonly shift: number;
};

/** Runs in the page, before the web: watches for `wanted` (a selector) and for what the browser reports of the start. */
function watchStart(wanted: string): void {
  const seen = { firstPaintMs: null, largestMs: null, readyMs: null, blockedMs: 0, shift: 0 } as {
    -readonly [K in keyof Started]: Started[K];
  };
  const observe = (type: string, each: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true });
  observe("paint", ({ name, startTime }) => {
    if (name === "first-contentful-paint") seen.firstPaintMs = startTime;
  });
  observe("largest-contentful-paint", ({ startTime }) => {
    seen.largestMs = startTime;
  });
  observe("longtask", ({ duration }) => {
    seen.blockedMs += duration - 50;
  });
  observe("layout-shift", (entry) => {
    const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
    if (!hadRecentInput) seen.shift += value;
  });
  const look = () => {
    const element = document.querySelector(wanted);
    const { left = 0, top = 0, width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
    const met = document.elementFromPoint(left + width / 2, top + height / 2);
    if (element?.contains(met) && met !== null) seen.readyMs = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  Object.assign(globalThis, { longarmStart: seen });
}

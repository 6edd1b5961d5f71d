import type { CDPSession } from "playwright-core";
import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import type { PageHeld } from "../../rig/process.ts";
import { pageHeld } from "../../rig/process.ts";
import type { Part, Result } from "../result.ts";
import { openPlayer } from "../setup/page-player.ts";
import type { Setup } from "../setup/setup.ts";
import { MACHINES } from "../setup/setup.ts";
import { openFloor, pushChanges, startFloor } from "./phone.ts";

const FEW = 12;
const MANY = 2_000;
/** Compilers and caches come to their size first. */
const WARM_UP_MS = 45_000;
const SHORT_MS = 60_000;
const LONG_MS = 600_000;
/** A heap that is read twice is not the same to the last byte: beyond this share of the first reading it has grown. */
const GROWTH_MAX = 1.02;

/** What the page holds after a minute of changes, against what it held before it: lobby of a small and of a large floor, and the game. */
export const webMemory: Part = (setup, report) => measure(setup, report, SHORT_MS);
/** The same over ten minutes; runs only by name. */
export const webMemoryLong: Part = (setup, report) => measure(setup, report, LONG_MS);

/** All three at the same time: they do not share what they hold. */
async function measure(setup: Setup, report: (result: Result) => void, durationMs: number): Promise<void> {
  setup.say(`Memory of the page: ${durationMs / 60_000} min of lobby and game`);
  const minutes = `${durationMs / 60_000} min`;
  const seen = await Promise.all([
    lobbyHeld(setup, FEW, durationMs),
    lobbyHeld(setup, MANY, durationMs),
    gameHeld(setup, durationMs),
  ]);
  for (const { name, before, after } of seen) {
    const reportOne = (what: string, unit: Result["unit"], pick: (held: PageHeld) => number) =>
      report({
        ...{ what, unit, condition: `${name}, after ${minutes}`, value: pick(after) },
        held: { peer: { name: "before", value: pick(before) }, reach: { of: "ratio", atMost: GROWTH_MAX } },
      });
    reportOne("page: memory of scripts", "MB", ({ heapMb }) => heapMb);
    reportOne("page: nodes", "times", ({ nodes }) => nodes);
    reportOne("page: listeners", "times", ({ listeners }) => listeners);
  }
}

type Seen = { readonly name: string; readonly before: PageHeld; readonly after: PageHeld };

async function lobbyHeld(setup: Setup, count: number, durationMs: number): Promise<Seen> {
  const backEnd = await startFloor(count);
  const context = await setup.browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await openFloor(page, backEnd);
    const cdp = await context.newCDPSession(page);
    await pushChanges(backEnd, WARM_UP_MS);
    const before = await pageHeld(cdp);
    await pushChanges(backEnd, durationMs);
    return { name: `lobby of ${count} machines`, before, after: await pageHeld(cdp) };
  } finally {
    await context.close();
    await backEnd.close();
  }
}

async function gameHeld(setup: Setup, durationMs: number): Promise<Seen> {
  const [player] = DEMO_PLAYERS;
  if (player === undefined) throw new Error("There is no demo player.");
  const bench = await openPlayer(setup, player, null);
  try {
    const cdp: CDPSession = await bench.page.context().newCDPSession(bench.page);
    await bench.sitDown(MACHINES[0]);
    await bench.cashIn();
    const play = async (ms: number): Promise<PageHeld> => {
      const endsAt = performance.now() + ms;
      while (performance.now() < endsAt) {
        await bench.spinFor(Math.min(20_000, endsAt - performance.now()));
        if ((await bench.credit()) < CREDIT_MIN) await bench.cashIn();
        // The bench's own list of pictures would grow in the page.
        await bench.take();
      }
      return await pageHeld(cdp);
    };
    const before = await play(WARM_UP_MS);
    const after = await play(durationMs);
    await bench.leave();
    return { name: "game", before, after };
  } finally {
    await bench.close();
  }
}

/** Played out of before more is brought, minor units: many games' stakes. */
const CREDIT_MIN = 40_000;

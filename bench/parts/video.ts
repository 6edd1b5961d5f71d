import { setTimeout as pause } from "node:timers/promises";
import type { CDPSession } from "playwright-core";
import { DEMO_PLAYERS } from "../../launcher/seed.ts";
import { CLEAN, JITTERY } from "../../rig/faults/udp-relay.ts";
import { spreadOf } from "../../rig/figures.ts";
import type { PageHeld, ProgramHeld } from "../../rig/process.ts";
import { pageHeld, programHeld } from "../../rig/process.ts";
import { watchedOf } from "../latency/measured.ts";
import type { Condition } from "../options.ts";
import { LOSSY_WAY, NARROW_WAY } from "../options.ts";
import type { Part, Result } from "../result.ts";
import type { BenchPlayer } from "../setup/page-player.ts";
import { openPlayer } from "../setup/page-player.ts";
import type { ConnectionTimes, Seen } from "../setup/probe.ts";
import type { Setup } from "../setup/setup.ts";
import { MACHINES } from "../setup/setup.ts";

const VISITS = 7;

type First = { readonly clickedAt: number; readonly shownAt: number; readonly connection: ConnectionTimes | undefined };

/** From the click on a machine's card to its first picture; each time on a machine without viewers. On the clean way also from a click by a pointer that rested at the card. */
export const firstFrame: Part = async (setup, report, ways) => {
  // Through a TURN server the web comes by another way than that of the setup.
  for (const { name, damage } of ways.filter(({ turn }) => turn === undefined)) {
    setup.say(`First picture: ${name}`);
    const ms = { condition: name, unit: "ms" } as const;
    const firsts = await visit(setup, damage);
    for (const row of fromClick(firsts, damage === null)) report({ ...ms, ...row });
    for (const [what, stage] of STAGES) {
      const value = spreadOf(firsts.map(stage).filter((time) => time !== null));
      report({ ...ms, what: `first picture: ${what}`, value });
    }
    if (damage !== null) continue;
    const pointed = `${name}, pointed at for ${POINTED_MS} ms before`;
    setup.say(`First picture: ${pointed}`);
    const rested = await visit(setup, damage, POINTED_MS);
    for (const row of fromClick(rested, true)) report({ ...ms, ...row, condition: pointed });
  }
};

/** A pointer rests at a card for so long before a person presses: shorter than most do. */
const POINTED_MS = 300;

function fromClick(firsts: readonly First[], isHeld: boolean): Pick<Result, "what" | "value" | "held">[] {
  const what = "first picture from click";
  const value = spreadOf(firsts.map((one) => one.shownAt - one.clickedAt));
  if (!isHeld) return [{ what, value }];
  return FIRST_MS.map(([at, atMost]) => ({
    what: `${what}, ${at}`,
    value,
    held: { reach: { of: "figure", atMost, at } },
  }));
}

/** Wanted on the clean way, ms. */
const FIRST_MS = [
  ["p50", 130],
  ["p95", 250],
] as const;

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

async function visit(setup: Setup, damage: Parameters<typeof openPlayer>[2], pointedMs = 0): Promise<First[]> {
  const [player] = DEMO_PLAYERS;
  if (player === undefined) throw new Error("There is no demo player.");
  const bench = await openPlayer(setup, player, damage);
  const firsts: First[] = [];
  try {
    for (let time = 0; time < VISITS; time += 1) {
      await bench.sitDown(MACHINES[time % MACHINES.length] ?? MACHINES[0], pointedMs);
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

/** Each way, how long is played on it, the gap between two pictures that counts as a freeze, and the longest one that is wanted, ms. */
const WATCHES = [
  { way: LOSSY_WAY, playMs: 120_000, freezeMs: 400, fromMs: 0, longestMs: 150 },
  { way: NARROW_WAY, playMs: 60_000, freezeMs: 300, fromMs: 2_000, longestMs: 100 },
] as const;
/** Between two looks at how much has come through, ms. */
const LOOK_MS = 50;

/** How long the picture freezes over a bad way, from its first picture on, and how much of a narrow one is used. */
export const freezes: Part = async (setup, report, ways) => {
  for (const { way, playMs, freezeMs, fromMs, longestMs } of WATCHES.filter((watch) => ways.includes(watch.way))) {
    setup.say(`Freezes: ${way.name}, ${playMs / 1000} s`);
    const { seen, usedBps } = await play(setup, way, playMs);
    const from = (seen.frames[0]?.shownAt ?? 0) + fromMs;
    const frames = seen.frames.filter(({ shownAt }) => shownAt >= from);
    const { gaps, longestGapMs, framesPerSecond } = watchedOf({ ...seen, frames });
    const condition = `${way.name}, ${playMs / 1000} s`;
    const held = { reach: { of: "figure", atMost: longestMs } } as const;
    report({ what: "longest freeze", condition, unit: "ms", value: longestGapMs, held });
    report({
      what: `freezes over ${freezeMs} ms`,
      condition,
      unit: "times",
      value: gaps.filter((gap) => gap > freezeMs).length,
    });
    report({ what: "pictures", condition, unit: "a second", value: framesPerSecond });
    report({ what: "used while reels turn", condition, unit: "Mbit/s", value: usedBps / 1_000_000 });
  }
};

async function play(setup: Setup, { damage }: Condition, playMs: number): Promise<{ seen: Seen; usedBps: number }> {
  const [player] = DEMO_PLAYERS;
  if (player === undefined) throw new Error("There is no demo player.");
  const bench = await openPlayer(setup, player, damage);
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

const SHOWING_MS = 20_000;
/** Two frames further apart than a frame and a half, or nearer than half of one, are uneven, ms at 30 a second. */
const EVEN_MS = { from: 17, to: 50 } as const;

/** Evenly, at most this share of the gaps is uneven, per cent. */
const UNEVEN_MOST = 10;

/** Frames at once and evenly, over a path with jitter: how old they are, and how evenly they come. */
export const showing: Part = async (setup, report) => {
  const [player] = DEMO_PLAYERS;
  if (player === undefined) throw new Error("There is no demo player.");
  for (const smooth of [false, true]) {
    const condition = `jitter up to ${JITTERY.jitterMs} ms, ${smooth ? "evenly" : "at once"}`;
    setup.say(`Showing: ${condition}`);
    const bench = await openPlayer(setup, player, JITTERY, { withoutRoom: true, smooth });
    try {
      await bench.sitDown(MACHINES[0]);
      await bench.cashIn();
      await bench.take();
      const from = await bench.sums();
      await bench.spinFor(SHOWING_MS);
      const to = await bench.sums();
      const { ages, gaps, framesPerSecond } = watchedOf(await bench.take());
      const uneven = gaps.filter((gap) => gap < EVEN_MS.from || gap > EVEN_MS.to).length;
      report({ what: "glass to glass", condition, unit: "ms", value: ages });
      report({ what: "pictures", condition, unit: "a second", value: framesPerSecond });
      report({
        what: "uneven gaps between pictures",
        condition,
        unit: "of 100",
        value: (100 * uneven) / Math.max(1, gaps.length),
        ...(smooth && { held: { reach: { of: "figure", atMost: UNEVEN_MOST } } }),
      });
      report({ what: "pictures dropped", condition, unit: "times", value: (to?.dropped ?? 0) - (from?.dropped ?? 0) });
      await bench.leave();
    } finally {
      await bench.close();
    }
  }
};

/** How long the link is cut, ms; a cut of ten seconds has gone through the first steps of recovery. */
const CUTS_MS = [1_000, 3_000, 10_000] as const;
const TIMES = 4;
/** Pictures flow for so long before the next cut, ms. */
const FLOW_MS = 2_000;
/** Wanted of 95 of 100 returns, ms. */
const BACK_WANTED_MS = 500;
/** A picture that is not back by then is reported as this, ms. */
const BACK_MS_MAX = 20_000;

/** From the return of a cut link to the first picture: of the media's way alone, and of everything the page has. */
export const cut: Part = async (setup, report) => {
  for (const whole of [false, true]) {
    const what = whole ? "picture back, link of media and socket cut" : "picture back, link of media cut";
    for (const cutMs of CUTS_MS) {
      setup.say(`Cut: ${what}, ${cutMs / 1000} s`);
      const value = spreadOf(await cutOften(setup, cutMs, whole));
      const held = { reach: { of: "figure", atMost: BACK_WANTED_MS, at: "p95" } } as const;
      report({ what, condition: `after ${cutMs / 1000} s`, unit: "ms", value, held });
    }
  }
};

async function cutOften(setup: Setup, cutMs: number, whole: boolean): Promise<number[]> {
  const [player] = DEMO_PLAYERS;
  if (player === undefined) throw new Error("There is no demo player.");
  const bench = await openPlayer(setup, player, CLEAN);
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

/** Compilers, buffers and pools come to their size first, ms. */
const WARM_UP_MS = 60_000;
const PLAY_MS = 600_000;
/** Played out of before more is brought, minor units: many games' stakes. */
const CREDIT_MIN = 40_000;

/** What page and agent hold after a minute of play, and ten minutes later. Runs only by name: it takes eleven minutes. */
export const endurance: Part = async (setup, report) => {
  const [player] = DEMO_PLAYERS;
  if (player === undefined) throw new Error("There is no demo player.");
  const bench = await openPlayer(setup, player, null);
  try {
    const cdp = await bench.page.context().newCDPSession(bench.page);
    await bench.sitDown(MACHINES[0]);
    await bench.cashIn();
    setup.say(`Endurance: a minute of play, then ${PLAY_MS / 60_000} more`);
    await bench.spinFor(WARM_UP_MS);
    const before = await held(setup, cdp);
    const endsAt = performance.now() + PLAY_MS;
    let games = 0;
    while (performance.now() < endsAt) {
      games += (await bench.spinFor(Math.min(30_000, endsAt - performance.now()))).presses;
      if ((await bench.credit()) < CREDIT_MIN) await bench.cashIn();
      // The bench's own list of pictures would grow in the page.
      await bench.take();
    }
    const after = await held(setup, cdp);
    for (const [condition, now] of [
      ["after 1 min", before],
      [`after ${1 + PLAY_MS / 60_000} min, ${games} games`, after],
    ] as const) {
      report({ what: "page: memory of scripts", condition, unit: "MB", value: now.page.heapMb });
      report({ what: "page: nodes", condition, unit: "times", value: now.page.nodes });
      report({ what: "page: listeners", condition, unit: "times", value: now.page.listeners });
      report({ what: "agent: memory (resident)", condition, unit: "MB", value: now.agent.residentMb });
      report({ what: "agent: open files and sockets", condition, unit: "times", value: now.agent.files });
    }
    await bench.leave();
  } finally {
    await bench.close();
  }
};

async function held(setup: Setup, cdp: CDPSession): Promise<{ page: PageHeld; agent: ProgramHeld }> {
  return { page: await pageHeld(cdp), agent: programHeld(setup.venue.agent.pid()) };
}

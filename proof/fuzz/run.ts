import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { TestHouse } from "../../e2e/house/test-house.ts";
import { AgentProcess } from "./agent-process.ts";
import { INPUTS } from "./inputs.ts";
import { attackMedia, keepRecent } from "./media.ts";
import type { Note, Notes } from "./notes.ts";
import { openNotes, PROBE } from "./notes.ts";
import type { PlatformTarget } from "./platform.ts";
import { attackPlatform, openPlatform, PLATFORM_TARGETS } from "./platform.ts";

export const MEDIA_TARGETS = [...(Object.keys(INPUTS) as (keyof typeof INPUTS)[]), "offer"] as const;
export const TARGETS = [...MEDIA_TARGETS, ...PLATFORM_TARGETS] as const;
export type Target = (typeof TARGETS)[number];

/** The longest that a process may compute without a pause because of what it was sent, ms. */
const BUSY_MS_MAX = 50;
/** What a process is looked at before it is attacked, and after it, ms. */
const CALM_MS = 5_000;
const GROWTH_BYTES_MAX = 32 * 1_048_576;
const DESCRIPTORS_MAX = 16;

export type Asked = {
  readonly targets: readonly Target[];
  readonly seed: number;
  /** Each target has its share of this time; absent: `inputs` of each. */
  readonly minutes?: number;
  readonly inputs?: number;
  /** Whether speed and growth are judged; a short run in tests is not. */
  readonly judges: boolean;
  readonly say: (line: string) => void;
};

export type Outcome = {
  readonly target: Target;
  readonly figures: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
};

export async function runFuzz(asked: Asked): Promise<Outcome[]> {
  const notes = openNotes();
  const idle = fork(join(import.meta.dirname, "idle.ts"), {
    execArgv: ["--import", PROBE],
    env: { ...process.env, ...notes.env },
  });
  let house: TestHouse | undefined;
  try {
    const outcomes: Outcome[] = [];
    for (const target of asked.targets) {
      const isMedia = (MEDIA_TARGETS as readonly string[]).includes(target);
      if (!isMedia) house ??= await openPlatform(notes);
      const outcome =
        house === undefined || isMedia
          ? await fuzzAgent(target as (typeof MEDIA_TARGETS)[number], asked, { notes, idle })
          : await fuzzPlatform(house, target as PlatformTarget, asked, { notes, idle });
      outcomes.push(outcome);
      asked.say(lineOf(outcome));
      for (const fault of outcome.faults) asked.say(`FAULT ${target}, seed ${asked.seed}: ${fault}`);
    }
    return outcomes;
  } finally {
    await house?.close();
    idle.kill();
    notes.remove();
  }
}

type Beside = { readonly notes: Notes; readonly idle: ChildProcess };

function untilOf({ minutes, inputs = 100, targets, seed }: Asked) {
  const from = performance.now();
  const shareMs = ((minutes ?? 0) * 60_000) / targets.length;
  const isOver = (done: number): boolean =>
    minutes === undefined ? done >= inputs : performance.now() - from > shareMs;
  return { isOver, seed };
}

async function fuzzAgent(
  target: (typeof MEDIA_TARGETS)[number],
  asked: Asked,
  { notes, idle }: Beside,
): Promise<Outcome> {
  const agent = new AgentProcess(notes.env);
  const recent = keepRecent();
  try {
    await agent.state();
    // One round without judgement: what is loaded and compiled on the way is no growth.
    await attackMedia(agent, target, { isOver: (inputs) => inputs > 0, seed: asked.seed - 1 }, recent);
    if (asked.judges) await pause(CALM_MS);
    const before = await agent.state();
    const watch = beginWatch(agent.pid, { notes, idle });
    const figures = await attackMedia(agent, target, untilOf(asked), recent);
    const seen = watch();
    if (asked.judges) await pause(CALM_MS);
    const after = await agent.state();
    const growth = {
      heapGrowthBytes: after.heapBytes - before.heapBytes,
      descriptors: after.descriptors - before.descriptors,
    };
    return { target, figures: { ...figures, ...seen, ...growth }, faults: asked.judges ? judge(seen, growth) : [] };
  } catch (error) {
    return { target, figures: {}, faults: faultOf(error, agent.gone(), recent.last()) };
  } finally {
    await agent.end();
  }
}

async function fuzzPlatform(house: TestHouse, target: PlatformTarget, asked: Asked, beside: Beside): Promise<Outcome> {
  const recent = keepRecent();
  const pid = house.platform.pid();
  try {
    await attackPlatform(house, target, { isOver: (inputs) => inputs > 0, seed: asked.seed - 1 }, recent);
    if (asked.judges) await pause(CALM_MS);
    const before = beside.notes.of(pid).at(-1);
    const watch = beginWatch(pid, beside);
    const figures = await attackPlatform(house, target, untilOf(asked), recent);
    const seen = watch();
    if (asked.judges) await pause(CALM_MS);
    const after = beside.notes.of(pid).at(-1);
    const growth = {
      residentGrowthBytes: (after?.residentBytes ?? 0) - (before?.residentBytes ?? 0),
      descriptors: (after?.descriptors ?? 0) - (before?.descriptors ?? 0),
    };
    const other = house.platform.pid() === pid ? [] : ["The platform ended and was started again."];
    return {
      target,
      figures: { ...figures, ...seen, ...growth },
      faults: [...other, ...(asked.judges ? judge(seen, growth) : [])],
    };
  } catch (error) {
    return { target, figures: {}, faults: faultOf(error, undefined, recent.last()) };
  }
}

type Seen = { readonly busyMs: number; readonly delayMs: number; readonly idleDelayMs: number };

/** What the process under attack, and the idle one, noted since. */
function beginWatch(pid: number, { notes, idle }: Beside): () => Seen {
  const [skip, skipIdle] = [notes.of(pid).length, notes.of(idle.pid ?? 0).length];
  const worst = (all: readonly Note[], read: (note: Note) => number): number =>
    all.reduce((most, note) => Math.max(most, read(note)), 0);
  return () => {
    const [own, others] = [notes.of(pid).slice(skip), notes.of(idle.pid ?? 0).slice(skipIdle)];
    return {
      busyMs: worst(own, ({ busyMs }) => busyMs),
      delayMs: worst(own, ({ delayMs }) => delayMs),
      idleDelayMs: worst(others, ({ delayMs }) => delayMs),
    };
  };
}

function judge(seen: Seen, growth: Readonly<Record<string, number>>): string[] {
  const { heapGrowthBytes = 0, residentGrowthBytes = 0, descriptors = 0 } = growth;
  return [
    ...(seen.busyMs > BUSY_MS_MAX && seen.delayMs - seen.idleDelayMs > BUSY_MS_MAX
      ? [
          `It computed ${seen.busyMs.toFixed(0)} ms without a pause; the idle process beside it waited ${seen.idleDelayMs.toFixed(0)} ms.`,
        ]
      : []),
    ...(Math.max(heapGrowthBytes, residentGrowthBytes / 4) > GROWTH_BYTES_MAX ? ["Its memory grew."] : []),
    ...(descriptors > DESCRIPTORS_MAX ? [`It holds ${descriptors} descriptors more.`] : []),
  ];
}

function faultOf(error: unknown, gone: string | undefined, inputs: readonly string[]): string[] {
  const sentence = gone ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
  return [[sentence, "The last inputs, the newest first:", ...inputs.toReversed()].join("\n  ")];
}

function lineOf({ target, figures, faults }: Outcome): string {
  const told = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value)}`);
  return `${faults.length === 0 ? "held  " : "BROKEN"} ${target.padEnd(14)} ${told.join(", ")}`;
}

import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import type { Part } from "../part.ts";
import { computer } from "../part.ts";
import { AgentProcess } from "./agent-process.ts";
import { INPUTS } from "./inputs.ts";
import type { Until } from "./media.ts";
import { attackMedia, keepRecent } from "./media.ts";
import type { Held, Note, Notes } from "./notes.ts";
import { openNotes } from "./notes.ts";
import type { PlatformTarget } from "./platform.ts";
import { attackPlatform, openPlatform, PLATFORM_TARGETS } from "./platform.ts";
import { watchPlayer } from "./player.ts";

const MINUTES = 10;

export const MEDIA_TARGETS = [...(Object.keys(INPUTS) as (keyof typeof INPUTS)[]), "offer", "restart"] as const;
const TARGETS = [...MEDIA_TARGETS, ...PLATFORM_TARGETS] as const;
type Target = (typeof TARGETS)[number];
type AgentTarget = (typeof MEDIA_TARGETS)[number];

const isOfPlatform = (target: Target): target is PlatformTarget =>
  (PLATFORM_TARGETS as readonly string[]).includes(target);

export const fuzz: Part = {
  proves: "a watcher sends what is nearly valid: no process ends, hangs or grows, and the player's frames continue",
  options: [
    `--minutes N       how long in all (${MINUTES})`,
    "--seed N          repeats the same inputs (another each time)",
    `--targets a,b     which of ${TARGETS.join(", ")} (all)`,
    "--watch-player    instead: a hostile watcher beside a seated player, whose frames are compared with a control",
  ],
  async run(words, say) {
    const { values } = parseArgs({
      args: [...words],
      options: {
        ...{ minutes: { type: "string" }, seed: { type: "string" }, targets: { type: "string" } },
        "watch-player": { type: "boolean" },
      },
    });
    const minutes = Number(values.minutes ?? MINUTES);
    const seed = Number(values.seed ?? Math.floor(performance.timeOrigin) % 1_000_000);
    if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error("--minutes and --seed must be numbers");
    const named = values.targets?.split(",") ?? TARGETS;
    const targets = TARGETS.filter((target) => named.includes(target));
    if (targets.length !== named.length) throw new Error(`--targets must be some of ${TARGETS.join(", ")}`);
    say(`${computer()}, seed ${seed}`);
    if (values["watch-player"] === true) return await watchPlayer({ minutes, seed, say });
    const outcomes = await runFuzz({ targets, seed, minutes, judges: true, say });
    const broken = outcomes.filter(({ faults }) => faults.length > 0).length;
    say(broken === 0 ? "HELD" : `BROKEN: ${broken} of ${outcomes.length} targets; again with --seed ${seed}`);
    return broken === 0;
  },
};

/** The longest that a process may compute without a pause because of what it was sent, ms. */
const BUSY_MS_MAX = 50;
/** What a process is looked at before it is attacked, and after it, ms. */
const CALM_MS = 5_000;
/** What is held once the garbage is gone, and what the system holds for the process beyond that, encoders and buffers with it. */
const HELD_GROWTH_MAX = 16 * 1_048_576;
const RESIDENT_GROWTH_MAX = 128 * 1_048_576;
const DESCRIPTORS_MAX = 16;
/** The two halves of an attack must differ. */
const SECOND_SEED = 10_000_000;

type FuzzOptions = {
  readonly targets: readonly Target[];
  readonly seed: number;
  /** Each target has its share of this time; absent: `inputs` of each. */
  readonly minutes?: number;
  readonly inputs?: number;
  /** Whether speed and growth are judged; a short run in tests is not. */
  readonly judges: boolean;
  readonly say: (line: string) => void;
};

type Outcome = {
  readonly target: Target;
  readonly figures: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
};

export async function runFuzz(options: FuzzOptions): Promise<Outcome[]> {
  const notes = openNotes();
  const idle = fork(join(import.meta.dirname, "idle.ts"), {
    env: { ...process.env, NODE_OPTIONS: notes.nodeOptions },
  });
  let venue: TestVenue | undefined;
  let agent: AgentProcess | undefined;
  const beside = { notes, idle };
  const attack = async (target: Target): Promise<Outcome> => {
    if (isOfPlatform(target)) {
      venue ??= await openPlatform(notes);
      return await fuzzPlatform(venue, target, options, beside);
    }
    agent ??= await AgentProcess.open(notes);
    const outcome = await fuzzAgent(agent, target, options, beside);
    // What ended, or hangs, must not be found again by the next.
    if (outcome.faults.length > 0) {
      await agent.end();
      agent = undefined;
    }
    return outcome;
  };
  try {
    const outcomes: Outcome[] = [];
    for (const target of options.targets) {
      const outcome = await attack(target);
      outcomes.push(outcome);
      options.say(lineOf(outcome));
      for (const fault of outcome.faults) options.say(`FAULT ${target}, seed ${options.seed}: ${fault}`);
    }
    return outcomes;
  } finally {
    await agent?.end();
    await venue?.close();
    idle.kill();
    notes.remove();
  }
}

type Beside = { readonly notes: Notes; readonly idle: ChildProcess };

/** One of two parts of a target's share of the time; all of its inputs where these are counted. */
function untilOf({ minutes, inputs = 100, targets, seed }: FuzzOptions) {
  const from = performance.now();
  const shareMs = ((minutes ?? 0) * 60_000) / targets.length / 2;
  const isOver = (done: number): boolean =>
    minutes === undefined ? done >= inputs : performance.now() - from > shareMs;
  return { isOver, seed };
}

async function fuzzAgent(
  agent: AgentProcess,
  target: AgentTarget,
  options: FuzzOptions,
  beside: Beside,
): Promise<Outcome> {
  const recent = keepRecent();
  try {
    const processes = { core: agent.core, "media process": agent.media };
    const attack = (until: Until) => attackMedia(agent, target, until, recent);
    return await attackTarget(target, options, beside, { processes, attack });
  } catch (error) {
    return { target, figures: {}, faults: faultOf(error, agent.gone(), recent.last()) };
  }
}

async function fuzzPlatform(
  venue: TestVenue,
  target: PlatformTarget,
  options: FuzzOptions,
  beside: Beside,
): Promise<Outcome> {
  const recent = keepRecent();
  const pid = venue.platform.pid();
  try {
    const attack = (until: Until) => attackPlatform(venue, target, until, recent);
    const outcome = await attackTarget(target, options, beside, { processes: { platform: pid }, attack });
    const other = venue.platform.pid() === pid ? [] : ["The platform ended and was started again."];
    return { ...outcome, faults: [...other, ...outcome.faults] };
  } catch (error) {
    return { target, figures: {}, faults: faultOf(error, undefined, recent.last()) };
  }
}

type Under = {
  readonly processes: Readonly<Record<string, number>>;
  readonly attack: (until: Until) => Promise<Readonly<Record<string, number>>>;
};

/** Attacks one target for its share of the time, and judges what each process that serves it noted and holds. */
async function attackTarget(
  target: Target,
  options: FuzzOptions,
  { notes, idle }: Beside,
  { processes, attack }: Under,
): Promise<Outcome> {
  // One round without judgement: what is loaded and compiled on the way is no growth.
  if (options.judges) await attack({ isOver: (inputs) => inputs > 0, seed: options.seed - 1 });
  const watched = Object.entries(processes);
  // What a process computed while it began is noted by then.
  if (options.judges) await pause(CALM_MS);
  const idleWatch = beginWatch(idle.pid ?? 0, notes);
  const watches = watched.map(([, pid]) => beginWatch(pid, notes));
  const first = await attack(untilOf(options));
  if (!options.judges) return { target, figures: first, faults: [] };
  // What a busy time takes from the system stays with the process. What grows continues to grow, so the second half of the attack is judged.
  const before = await heldBy(notes, watched);
  const second = await attack({ ...untilOf(options), seed: options.seed + SECOND_SEED });
  const after = await heldBy(notes, watched);
  const idleSeen = idleWatch();
  const figures: Record<string, number> = { "idle: excessMs": idleSeen.excessMs };
  for (const [figure, value] of Object.entries(first)) figures[figure] = value + (second[figure] ?? 0);
  const faults = watched.flatMap(([name], place) => {
    const [own, from, to] = [watches[place]?.(), before[place], after[place]];
    if (own === undefined || from === undefined || to === undefined) return [];
    const growth = {
      heldGrowthBytes: to.heldBytes - from.heldBytes,
      residentGrowthBytes: to.residentBytes - from.residentBytes,
      descriptors: to.descriptors - from.descriptors,
    };
    for (const [figure, value] of Object.entries({ ...own, ...growth })) figures[`${name}: ${figure}`] = value;
    return judge(own, idleSeen, growth).map((fault) => `${name}: ${fault}`);
  });
  return { target, figures, faults };
}

/** In turn, so that the garbage collection of one process does not slow another one's figures. */
async function heldBy(notes: Notes, processes: readonly (readonly [string, number])[]): Promise<Held[]> {
  await pause(CALM_MS);
  const held: Held[] = [];
  for (const [, pid] of processes) held.push(await notes.held(pid));
  return held;
}

type Seen = { readonly excessMs: number; readonly delayMs: number };

/** What a process notes until its notes are read. */
function beginWatch(pid: number, notes: Notes): () => Seen {
  const skip = notes.of(pid).length;
  const worst = (all: readonly Note[], read: (note: Note) => number): number =>
    all.reduce((most, note) => Math.max(most, read(note)), 0);
  return () => {
    const own = notes.of(pid).slice(skip);
    return { excessMs: worst(own, ({ excessMs }) => excessMs), delayMs: worst(own, ({ delayMs }) => delayMs) };
  };
}

type Growth = Readonly<Record<"heldGrowthBytes" | "residentGrowthBytes" | "descriptors", number>>;

function judge(seen: Seen, idle: Seen, { heldGrowthBytes, residentGrowthBytes, descriptors }: Growth): string[] {
  return [
    ...(seen.excessMs - idle.excessMs > BUSY_MS_MAX
      ? [
          `It computed ${seen.excessMs.toFixed(0)} ms without a pause, of what came while it had a processor; the idle process beside it ${idle.excessMs.toFixed(0)} ms.`,
        ]
      : []),
    ...(heldGrowthBytes > HELD_GROWTH_MAX || residentGrowthBytes > RESIDENT_GROWTH_MAX ? ["Its memory grew."] : []),
    ...(descriptors > DESCRIPTORS_MAX ? [`It holds ${descriptors} descriptors more.`] : []),
  ];
}

function faultOf(error: unknown, gone: string | undefined, inputs: readonly string[]): string[] {
  const sentence = gone ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
  return [[sentence, "The last inputs, the newest first:", ...inputs.toReversed()].join("\n  ")];
}

function lineOf({ target, figures, faults }: Outcome): string {
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value)}`);
  return `${faults.length === 0 ? "held  " : "BROKEN"} ${target.padEnd(14)} ${shown.join(", ")}`;
}

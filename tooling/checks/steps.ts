import { availableParallelism } from "node:os";

/** One check of `npm test`. */
export interface Step {
  name: string;
  /** What `npm test -- <part>` calls it by; several steps may share one. */
  part: string;
  /** A program of node_modules/.bin and its arguments. */
  command: readonly [program: string, ...args: string[]];
  /** Counted by its tests, from Vitest's report; every other step counts as one. */
  tests: boolean;
  /** Killed, and counted as failed, after this. */
  limitMs: number;
  /** Wants the computer for itself: runs after all others. */
  alone?: true;
  /** Runs only when its part is named. */
  onlyAsked?: true;
  /** Added to its environment. */
  env?: Readonly<Record<string, string>>;
}

const minute = 60_000;

const typed = [
  "packages/contract",
  "packages/link",
  "packages/load",
  "packages/database",
  "packages/ledger",
  "apps/platform",
  "apps/agent",
  "apps/web",
];

const types = (project: string): Step => ({
  name: `types of ${project === "." ? "the root rooms" : project}`,
  part: "types",
  command: ["tsc", "--noEmit", "--pretty", "false", "-p", project],
  tests: false,
  limitMs: 3 * minute,
});

const tests = (project: string, name: string): Step => ({
  name,
  part: "unit",
  command: ["vitest", "run", "--project", project],
  tests: true,
  limitMs: 40 * minute,
});

/** Slow ones first, so that two cores end together. */
export const steps: readonly Step[] = [
  {
    ...tests("screens", "screens in Chromium"),
    part: "screens",
    // These wait more than they work: more of them at once than there are cores.
    command: ["vitest", "run", "--project", "screens", "--maxWorkers", String(Math.ceil(availableParallelism() * 1.5))],
    limitMs: 40 * minute,
  },
  tests("data", "tests with PostgreSQL"),
  tests("node", "tests and house rules"),
  tests("web", "tests of the web"),
  { name: "web build", part: "build", command: ["vite", "build", "apps/web"], tests: false, limitMs: 4 * minute },
  {
    name: "format and lint",
    part: "lint",
    command: ["biome", "check", "--error-on-warnings", "."],
    tests: false,
    limitMs: 2 * minute,
  },
  ...[...typed, "."].map(types),
  {
    name: "unused code and packages",
    part: "unused",
    command: ["knip", "--no-progress"],
    tests: false,
    limitMs: 3 * minute,
  },
  { ...tests("e2e", "the whole system"), part: "e2e", limitMs: 50 * minute, alone: true },
  {
    ...tests("e2e", "the whole system on two platform processes"),
    part: "two-nodes",
    limitMs: 60 * minute,
    alone: true,
    onlyAsked: true,
    env: { LONGARM_NODES: "2" },
  },
  {
    name: "ten minutes of people who come and go",
    part: "soak",
    command: ["node", "bench/soak/main.ts", "--minutes", "10"],
    tests: false,
    limitMs: 25 * minute,
    alone: true,
    onlyAsked: true,
  },
];

/** The steps of these parts; when none is named all but those that want to be asked for. Throws a sentence for a part that does not exist. */
export function chooseSteps(parts: readonly string[], from: readonly Step[] = steps): Step[] {
  const known = new Set(from.map(({ part }) => part));
  const unknown = parts.find((part) => !known.has(part));
  if (unknown !== undefined) {
    throw new Error(
      `There is no part "${unknown}". Say npm test, or npm test -- with some of: ${[...known].join(", ")}.`,
    );
  }
  return from.filter(({ part, onlyAsked }) => (parts.length === 0 ? onlyAsked !== true : parts.includes(part)));
}

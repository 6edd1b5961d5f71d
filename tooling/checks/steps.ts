import { PEERS } from "../../apps/cabinet/peers/peers.ts";

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
  /** Over in seconds: these run before all others, so that what is plainly wrong is reported early. */
  quick?: true;
  /** Real pictures in real time: it runs when all others have ended. */
  alone?: true;
  /** Why it cannot run with this environment, as a sentence: then it is skipped, and counts neither way. */
  skip?: (env: NodeJS.ProcessEnv) => string | undefined;
  /** Runs only when its part is named. */
  onlyAsked?: true;
  /** Added to its environment. */
  env?: Readonly<Record<string, string>>;
}

const minute = 60_000;

/** How many of the long steps run side by side: one waits while the other computes. */
export const LONG_AT_ONCE = 2;

/**
 * The programs of the type checker, the largest first. Each checks the sources of what it imports once more: workspaces with the same options
 * share one, `tsconfig.server.json`.
 */
const typed = [".", "tsconfig.server.json", "apps/web", "apps/agent", "apps/console", "packages/ui"] as const;
const typesName: Partial<Record<(typeof typed)[number], string>> = {
  ".": "the root rooms",
  "tsconfig.server.json": "the platform, the cabinet and the packages",
};

const types = (project: (typeof typed)[number]): Step => ({
  name: `types of ${typesName[project] ?? project}`,
  part: "types",
  // Each checker of a program works out the same types again, and several programs run side by side.
  command: ["tsc", "--noEmit", "--pretty", "false", "--checkers", "1", "-p", project],
  tests: false,
  quick: true,
  limitMs: 3 * minute,
});

const tests = (projects: string | readonly string[], name: string): Step => ({
  name,
  part: "unit",
  command: ["vitest", "run", ...[projects].flat().flatMap((project) => ["--project", project])],
  tests: true,
  // A busy machine needs four times as long as an idle one, and is not broken: CI ends after 90 minutes.
  limitMs: 75 * minute,
});

/** The longest first, so that no core waits at their end for another. */
const quick: readonly Step[] = [
  // What the screens and the whole system show: they find it built.
  {
    name: "web build",
    part: "build",
    command: ["node", "tooling/checks/build-web.ts"],
    tests: false,
    quick: true,
    limitMs: 4 * minute,
  },
  ...typed.map(types),
  {
    name: "format and lint",
    part: "lint",
    command: ["biome", "check", "--error-on-warnings", "."],
    tests: false,
    quick: true,
    limitMs: 2 * minute,
  },
  {
    name: "unused code and packages",
    part: "unused",
    command: ["knip", "--no-progress"],
    tests: false,
    quick: true,
    limitMs: 3 * minute,
  },
];

/** The longest first. */
const long: readonly Step[] = [
  { ...tests("screens", "screens in Chromium"), part: "screens" },
  tests("data", "tests with PostgreSQL"),
  tests("node", "tests and repository rules"),
  // One process for both pages: what they share is compiled once.
  tests(["web", "console"], "tests of the web and the console"),
  // It plays in real time: what runs beside it makes it longer by more than what it saves.
  { ...tests("e2e", "the whole system"), part: "e2e", alone: true },
  {
    ...tests("e2e", "the whole system on two platform processes"),
    part: "two-nodes",
    alone: true,
    onlyAsked: true,
    env: { LONGARM_NODES: "2" },
  },
  {
    name: "ten minutes of people who come and go",
    part: "soak",
    command: ["node", "bench/long-run/main.ts", "--minutes", "10"],
    tests: false,
    limitMs: 25 * minute,
    alone: true,
    onlyAsked: true,
  },
];

/** SAS hosts that others wrote drive the cabinet; they are not part of the repository, so they are where a setting says. */
const peers: readonly Step[] = Object.entries(PEERS).map(([peer, setting]) => ({
  name: `the SAS host ${peer} drives the cabinet`,
  part: "sas-peers",
  command: ["node", "apps/cabinet/peers/run.ts", peer],
  tests: false,
  onlyAsked: true,
  limitMs: 3 * minute,
  skip: (env) =>
    env[setting] === undefined ? `${setting} does not name the folder of ${peer} (docs/hardware.md).` : undefined,
}));

export const steps: readonly Step[] = [...quick, ...long, ...peers];

/** The help of `npm test`. */
export function testHelp(from: readonly Step[] = steps): string {
  const parts = [...new Set(from.map(({ part }) => part))].map((part) => {
    const own = from.filter((step) => step.part === part);
    const named = own.every(({ onlyAsked }) => onlyAsked === true) ? " (only when named)" : "";
    return `  ${part.padEnd(12)} ${own.map(({ name }) => name).join("; ")}${named}`;
  });
  return [
    'npm test: run every usual check; the last line is "N passed, N failed". npm test -- <part> … runs these parts:',
    "",
    ...parts,
    `  ${ALL.padEnd(12)} every part, each test in its longest form; before a release`,
    "",
    "  --help       this text",
    "",
    "CI=true tries a file with failed tests once more, when all else has ended. LONGARM_CHROMIUM names the browser. LONGARM_SASPY and LONGARM_SAS_COMM_PY name the folders of the SAS hosts.",
  ].join("\n");
}

/** Runs every step there is, each test in its longest form. */
const ALL = "all";
/** Every step is killed after so many times its limit. */
const LONGER_BY = 3;
export const isEverything = (parts: readonly string[]): boolean => parts.length === 0 || parts.includes(ALL);

/**
 * The steps of these parts; when none is named all but those that want to be asked for. Throws a sentence for a part that does not
 * exist.
 */
export function chooseSteps(parts: readonly string[], from: readonly Step[] = steps): Step[] {
  const known = new Set([...from.map(({ part }) => part), ALL]);
  const unknown = parts.find((part) => !known.has(part));
  if (unknown !== undefined) {
    throw new Error(
      `There is no part "${unknown}". Say npm test, or npm test -- with some of: ${[...known].join(", ")}.`,
    );
  }
  if (parts.includes(ALL)) {
    return from.map((step) => ({
      ...step,
      // The long forms starve each other of the processor and then miss their deadlines.
      ...(step.quick !== true && { alone: true as const }),
      limitMs: step.limitMs * LONGER_BY,
      env: { ...step.env, LONGARM_TESTS: ALL },
    }));
  }
  return from.filter(({ part, onlyAsked }) => (parts.length === 0 ? onlyAsked !== true : parts.includes(part)));
}

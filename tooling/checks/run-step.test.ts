import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Room, StepResult } from "./run-step.ts";
import { runStep, runSteps, trySecondTime } from "./run-step.ts";
import type { Step } from "./steps.ts";
import { chooseSteps, steps } from "./steps.ts";
import { endStrays } from "./strays.ts";
import { sumTallies } from "./tally.ts";
import { tellOutput, tellResult } from "./tell.ts";

/** The parts of a `tsconfig.json` that a test reads. */
type TypeProgram = { include: string[]; compilerOptions?: object };

const SOON = { timeout: 60_000 };
let room: Room;

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "longarm-checks-test-"));
  mkdirSync(join(root, "node_modules/.bin"), { recursive: true });
  room = { root, scratch: root, temporary: root, env: process.env };
});
afterEach(() => rmSync(room.root, { recursive: true, force: true }));

function step(script: string, more: Partial<Step> = {}): Step {
  const path = join(room.root, "node_modules/.bin/tool");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return { name: "a step", part: "a", command: ["tool", "--x"], tests: false, limitMs: 60_000, ...more };
}

/** A zombie has ended; in a container nobody may ever collect it. */
const hasEnded = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
};

describe("a step", () => {
  test("that ends well counts as one passed", async () => {
    const result = await runStep(step("echo fine"), room);
    expect(result).toMatchObject({ tally: { passed: 1, failed: 0 }, output: "fine\n", timedOut: false });
    expect(tellResult(result)).toMatch(/^ok .* a step$/);
  });

  test("puts its temporary files where they are swept away", async () => {
    expect((await runStep(step("echo $TMPDIR"), room)).output).toBe(`${room.root}\n`);
  });

  test("has its own environment beside ours", async () => {
    expect((await runStep(step("echo $OWN", { env: { OWN: "mine" } }), room)).output).toBe("mine\n");
  });

  test("that ends badly counts as one failed, and its words are kept", async () => {
    const result = await runStep(step("echo out; echo err >&2; exit 3"), room);
    expect(result.tally).toEqual({ passed: 0, failed: 1 });
    expect(tellOutput(result)).toContain("out\nerr");
    expect(tellResult(result)).toMatch(/^FAIL/);
  });

  test("that does not exist is a failure, not a crash", async () => {
    const result = await runStep({ ...step("true"), command: ["gone"] }, room);
    expect(result.tally).toEqual({ passed: 0, failed: 1 });
  });

  test("of tests is counted by its report", async () => {
    const json = `{"numPassedTests":2,"testResults":[{"name":"/a.test.ts","status":"failed","assertionResults":[{"status":"failed"}]}]}`;
    const script = `for a; do case $a in --outputFile.json=*) echo '${json}' > "\${a#*=}";; esac; done; exit 1`;
    expect((await runStep(step(script, { tests: true }), room)).tally).toEqual({ passed: 2, failed: 1 });
  });

  test("that takes too long is ended with everything it started", async () => {
    const result = await runStep(step("sleep 600 & echo $!; sleep 600", { limitMs: 300 }), room);
    expect(result).toMatchObject({ tally: { passed: 0, failed: 1 }, timedOut: true });
    await vi.waitUntil(() => hasEnded(Number(readFileSync(join(room.scratch, "a-step.txt"), "utf8"))), SOON);
  });

  test("leaves no child behind when it ends well, and does not wait for one", async () => {
    const result = await runStep(step("sleep 600 & echo $!"), room);
    expect(result.tally.passed).toBe(1);
    await vi.waitUntil(() => hasEnded(Number(result.output)), SOON);
  });
});

test("a server in a group of its own is found by our folder in its settings, and nothing else is ended", async () => {
  // The step ends only when its server has left the group.
  const server = `setsid sh -c 'echo $$ > "$TMPDIR/pid"; exec sleep 600'`;
  const script = `${server} & until [ -s "$TMPDIR/pid" ]; do sleep 0.01; done; cat "$TMPDIR/pid"`;
  const result = await runStep(step(script), room);
  const pid = Number(result.output);
  expect(hasEnded(pid)).toBe(false);
  expect(endStrays(join(room.root, "other"))).toEqual([]);
  expect(endStrays(room.root)).toEqual([pid]);
  await vi.waitUntil(() => hasEnded(pid), SOON);
});

test("all steps run, some side by side, the quick ones before the others and those that want to be alone after them", async () => {
  const plan: Step[] = ["alone", "long", "longer", "longest", "one", "two"].map((name) => ({
    ...step("true"),
    name,
    ...(name === "alone" ? { alone: true as const } : {}),
    ...(name.startsWith("o") || name.startsWith("t") ? { quick: true as const } : {}),
  }));
  const log: string[] = [];
  const most = { quick: 0, long: 0 };
  let now = 0;
  await runSteps(plan, { quick: 1, long: 2 }, async (one) => {
    now += 1;
    const kind = one.quick ? "quick" : "long";
    most[kind] = Math.max(most[kind], now);
    log.push(one.name);
    await Promise.resolve();
    now -= 1;
    return {
      step: one,
      tally: { passed: 0, failed: 1 },
      tookMs: 1,
      timedOut: false,
      output: "",
      passed: [],
      failed: [],
    } satisfies StepResult;
  });
  expect(most).toEqual({ quick: 1, long: 2 });
  expect(log).toEqual(["one", "two", "long", "longer", "longest", "alone"]);
});

describe("a second try", () => {
  const tests = {
    ...{ name: "tests", part: "a", command: ["vitest", "run"], tests: true, limitMs: 1 },
  } as Step;
  const result = (
    passed: string[],
    failed: [title: string | undefined, why: string][],
    file = "a.test.ts",
  ): StepResult => ({
    ...{ step: tests, tookMs: 1, timedOut: false, output: "" },
    tally: { passed: passed.length, failed: failed.length },
    passed: passed.map((title) => ({ file, title })),
    failed: failed.map(([title, why]) => ({ file, ...(title !== undefined && { title }), why: [why] })),
  });
  const joined = (...parts: StepResult[]): StepResult => ({
    ...result([], []),
    tally: sumTallies(parts.map(({ tally }) => tally)),
    passed: parts.flatMap(({ passed }) => passed),
    failed: parts.flatMap(({ failed }) => failed),
  });
  const secondTry = async (first: StepResult, second: StepResult) => {
    const ran: Step[] = [];
    const results = await trySecondTime([first], async (one) => {
      ran.push(one);
      return second;
    });
    return { ran, after: results[0] };
  };

  test("runs the files of failed tests alone, with all that they have, and takes what it says of them", async () => {
    const first = joined(result(["one"], [["two", "late"]]), result(["three"], [], "b.test.ts"));
    const { ran, after } = await secondTry(first, result(["one", "two"], []));
    expect(ran).toMatchObject([
      { command: ["vitest", "run", "--maxWorkers=1", "a.test.ts"], name: "tests, second try" },
    ]);
    expect(after).toMatchObject({ step: tests, tally: { passed: 3, failed: 0 }, failed: [] });
    expect(after?.passed).toEqual([
      { file: "b.test.ts", title: "three" },
      { file: "a.test.ts", title: "one" },
      { file: "a.test.ts", title: "two", failedFirst: "late" },
    ]);
  });

  test("that fails as well leaves a failure, with the reasons of both", async () => {
    const { after } = await secondTry(result(["one"], [["two", "late"]]), result(["two"], [["one", "broken"]]));
    expect(after?.tally).toEqual({ passed: 1, failed: 1 });
    expect(after?.failed).toEqual([{ file: "a.test.ts", title: "one", why: ["broken"] }]);
    const again = await secondTry(result([], [[undefined, "no venue"]]), result([], [[undefined, "no venue again"]]));
    expect(again.after?.failed).toEqual([{ file: "a.test.ts", why: ["no venue", "no venue again"] }]);
  });

  test("is for a few files; all else stays as it was", async () => {
    const many = joined(...Array.from({ length: 13 }, (_, index) => result([], [["one", "late"]], `${index}.test.ts`)));
    const silent = { ...result(["one"], []), tally: { passed: 1, failed: 1 } };
    for (const first of [many, silent, result(["one"], [])])
      expect(await secondTry(first, result([], []))).toEqual({ ran: [], after: first });
  });
});

describe("the choice of parts", () => {
  test("is everything without a word, and what is named otherwise", () => {
    const parts = new Set(chooseSteps([]).map(({ part }) => part));
    expect(parts).toEqual(new Set(["unit", "screens", "build", "lint", "types", "unused", "e2e"]));
    expect(parts).not.toContain("two-nodes");
    expect(chooseSteps(["two-nodes"])).toMatchObject([{ tests: true, env: { LONGARM_NODES: "2" } }]);
    expect(chooseSteps(["lint"]).map(({ part }) => part)).toEqual(["lint"]);
  });
  test("all is every step there is, each test in its longest form and with time for it", () => {
    const all = chooseSteps(["all"]);
    expect(all.map(({ name }) => name)).toEqual(steps.map(({ name }) => name));
    expect(all.map(({ env }) => env?.["LONGARM_TESTS"])).toEqual(steps.map(() => "all"));
    expect(all.find(({ part }) => part === "two-nodes")?.env).toMatchObject({ LONGARM_NODES: "2" });
    expect(all.filter(({ quick, alone }) => quick !== true && alone !== true)).toEqual([]);
    expect(all.every(({ limitMs }, index) => limitMs > (steps[index]?.limitMs ?? 0))).toBe(true);
  });
  test("types checks each workspace, by a program of its own or by the one that it shares, with its own options", () => {
    const root = join(import.meta.dirname, "../..");
    const read = (path: string): TypeProgram => JSON.parse(readFileSync(join(root, path), "utf8"));
    const programs = chooseSteps(["types"]).map(({ command }) => command.at(-1));
    const shared = read("tsconfig.server.json");
    const workspaces = ["packages", "apps"].flatMap((kind) =>
      readdirSync(join(root, kind)).map((name) => `${kind}/${name}`),
    );
    const unchecked = workspaces
      .filter((workspace) => existsSync(join(root, workspace, "tsconfig.json")) && !programs.includes(workspace))
      .flatMap((workspace) => {
        const own = read(`${workspace}/tsconfig.json`);
        const folders = own.include.map((folder) => `${workspace}/${folder}`);
        if (own.compilerOptions !== undefined) return [`${workspace} has options of its own`];
        return folders.filter((folder) => !shared.include.includes(folder));
      });
    expect(programs).toEqual(expect.arrayContaining([".", "tsconfig.server.json"]));
    expect(shared.compilerOptions).toBeUndefined();
    expect(unchecked).toEqual([]);
  });
  test("refuses an unknown one, with those that exist", () => {
    expect(() => chooseSteps(["speed"])).toThrow(/no part "speed".*build, types, lint, unused, screens, unit, e2e/);
  });
});

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { killedAt, preload } from "@longarm/link/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeLine } from "./journal/line.ts";
import { MONEY_CHANNEL, MONEY_STEPS } from "./money/money-steps.ts";
import type { FakePlatform } from "./testing/fake-platform.ts";
import { fakePlatform, until } from "./testing/fake-platform.ts";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
let folder: string;
let platform: FakePlatform;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "longarm-agent-"));
  platform = await fakePlatform();
});

afterAll(async () => {
  await endAll();
  await platform.close();
  await rm(folder, { recursive: true, force: true });
});

type Running = { child: ChildProcess; said: () => string; gone: Promise<[number | null, NodeJS.Signals | null]> };

function run(more: Record<string, string | undefined> = {}): Running {
  const env = {
    PLATFORM_URL: platform.url,
    AGENT_KEY: platform.key,
    DATA_FOLDER: folder,
    FLOOR_MACHINES: "1",
    FLOOR_SEED: "test",
  };
  const child = spawn(process.execPath, [main], {
    // A start that compiles nothing takes half of the processor time.
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  let said = "";
  child.stdout?.on("data", (part: Buffer) => {
    said += String(part);
  });
  child.stderr?.on("data", (part: Buffer) => {
    said += String(part);
  });
  const gone = once(child, "close").then(([code, signal]) => {
    children.delete(child);
    return [code, signal] as [number | null, NodeJS.Signals | null];
  });
  return { child, said: () => said, gone };
}

async function linked(more: Record<string, string | undefined> = {}): Promise<Running> {
  const before = platform.hellos.length;
  const running = run(more);
  await until("hello", () => platform.hellos.length > before, 30_000);
  return running;
}

type Answer = { is: string; data?: { outcome?: string; record?: string; amount?: number } };

function order(direction: "cashIn" | "cashOut", transferId: string): Promise<Answer> {
  const ask = { machineId: "nar-01", epoch: 1, transferId };
  const peer = platform.peer()!;
  return direction === "cashIn"
    ? peer.request("egm.cashIn", { ...ask, amount: 500 })
    : peer.request("egm.cashOut", ask);
}

/** What the agent says of an id after its restart: what moved. Anything but a clear word is a failure. */
async function movedBy(transferId: string, answer: Answer): Promise<number> {
  const back: Answer = await platform.peer()!.request("egm.transfer", { machineId: "nar-01", transferId });
  expect(back.data?.record).toMatch(/^(done|refused|neverSeen)$/);
  if (answer.is === "done") expect(back.data?.record).toBe(answer.data?.outcome);
  return back.data?.record === "done" ? (back.data.amount ?? 0) : 0;
}

test("killed at every step of a cash-in and a cash-out, nothing is lost or doubled", { tags: ["long"] }, async () => {
  const commands: { direction: "cashIn" | "cashOut"; id: string; answer: Answer; moved: number }[] = [];
  let credit = 0;
  for (const step of [...MONEY_STEPS, undefined]) {
    const running = await linked(step === undefined ? {} : killedAt(MONEY_CHANNEL, step));
    const before = commands.at(-1);
    if (before !== undefined) {
      before.moved = await movedBy(before.id, before.answer);
      credit += before.direction === "cashIn" ? before.moved : -before.moved;
      const meters = await platform.peer()!.request("egm.meters", { machineId: "nar-01" });
      expect(meters).toMatchObject({ data: { meters: { credit } } });
    }
    if (step === undefined) break;
    const direction = step.startsWith("cashIn") ? "cashIn" : "cashOut";
    const id = `tr_${step}`;
    // Something must lie on the machine for a cash-out to move.
    if (direction === "cashOut" && credit === 0) {
      expect(await order("cashIn", `tr_before_${step}`)).toMatchObject({ data: { outcome: "done", amount: 500 } });
      credit = 500;
    }
    const answer = order(direction, id);
    expect((await running.gone)[1]).toBe("SIGKILL");
    commands.push({ direction, id, answer: await answer, moved: 0 });
  }
  // The platform repeats every command: the first outcome, and nothing moves.
  for (const { direction, id, moved } of commands) {
    expect((await order(direction, id)).data).toMatchObject({ outcome: moved > 0 ? "done" : "refused", amount: moved });
  }
  const meters = await platform.peer()!.request("egm.meters", { machineId: "nar-01" });
  expect(meters).toMatchObject({ data: { meters: { credit } } });
  expect(commands.map(({ moved }) => moved > 0)).toEqual([
    false,
    false,
    true,
    true,
    true,
    false,
    false,
    true,
    true,
    true,
  ]);
  await endAll();
});

async function endAll(): Promise<void> {
  const ends = [...children].map((child) => once(child, "close"));
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(ends);
}

test("SIGTERM ends it with grace, and the folder is free for the next one", async () => {
  const running = await linked();
  const second = run();
  expect((await second.gone)[0]).toBe(1);
  expect(second.said()).toMatch(/Another agent already works in .* Stop it, or give this one its own folder/);
  running.child.kill("SIGTERM");
  expect(await running.gone).toEqual([0, null]);
  const next = await linked();
  next.child.kill("SIGTERM");
  expect(await next.gone).toEqual([0, null]);
});

test("says what is wrong in one sentence and ends: configuration, journal", async () => {
  const bad = run({ AGENT_KEY: undefined, FLOOR_MACHINES: "many" });
  expect((await bad.gone)[0]).toBe(1);
  expect(bad.said()).toMatch(/cannot be used:\n {2}AGENT_KEY .*\n {2}FLOOR_MACHINES .*\n$/);
  await mkdir(join(folder, "other", "journal"), { recursive: true });
  await writeFile(join(folder, "other", "journal", "journal.jsonl"), encodeLine(0, '{"t":"journal","version":99}'));
  const newer = run({ DATA_FOLDER: join(folder, "other") });
  expect((await newer.gone)[0]).toBe(1);
  expect(newer.said()).toMatch(
    /^The journal .* cannot be read: a newer version of the agent \(format 99\) wrote it, so start that version\.$/m,
  );
});

test("an error that is not caught is logged and ends the process, and the next process takes its folder", {
  timeout: 120_000,
}, async () => {
  const planted = "process.on('SIGUSR2', () => void Promise.reject(new Error('planted by a test')))";
  const agent = await linked(preload(planted));
  agent.child.kill("SIGUSR2");
  expect(await agent.gone).toEqual([1, null]);
  expect(agent.said()).toMatch(/"level":60.+planted by a test.+was not caught/);
  const next = await linked();
  next.child.kill("SIGTERM");
  expect(await next.gone).toEqual([0, null]);
});

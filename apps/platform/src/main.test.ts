import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testDatabase } from "@longarm/database/testing";
import { temporaryDataFolder } from "@longarm/database/testing/data-folder";
import { someOf } from "@longarm/link/testing/whole-run";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { openSocket } from "./testing/open-socket.ts";

/** Each test starts whole processes, and other work may share the cores. */
const PATIENCE_MS = 300_000;
const program = fileURLToPath(new URL("./main.ts", import.meta.url));
let folder: string;
let database: Awaited<ReturnType<typeof testDatabase<unknown>>>;
const started: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "longarm-main-"));
  database = await testDatabase();
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await gone;
  }
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

type Ended = { readonly code: number | null; readonly signal: string | null };

/** Starts the program as the launcher does. */
function start(env: Record<string, string> = {}, standardOutput: "pipe" | number = "pipe") {
  const given = {
    PATH: process.env["PATH"] ?? "",
    // A start that compiles nothing takes half of the processor time.
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
    PORT: "0",
    DATA_FOLDER: join(folder, "data"),
    DATABASE_URL: database.url,
    ...env,
  };
  const child = fork(program, { env: given, stdio: ["ignore", standardOutput, "pipe", "ipc"] });
  started.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (part) => {
      output += part;
    });
  const ended = new Promise<Ended>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const ready = new Promise<string>((resolve, reject) => {
    child.once("message", (message: { kind: string; href: string }) => resolve(message.href));
    void ended.then(() => reject(new Error(output)));
  });
  ready.catch(() => {});
  return { child, ready, ended, output: () => output };
}

test("tells where it is, serves, and ends with grace", { timeout: PATIENCE_MS }, async () => {
  const platform = start();
  const href = await platform.ready;
  const written = JSON.parse(await readFile(join(folder, "data/platform.address"), "utf8"));
  expect(written).toEqual({ href, pid: platform.child.pid });
  expect(await (await fetch(`${href}/check`)).json()).toMatchObject({ status: true });
  expect(await (await fetch(`${href}/metrics`)).text()).toContain("process_cpu_seconds_total");

  const page = openSocket(`${href.replace("http", "ws")}/notifications?token=none`);
  await page.closed;
  const agent = openSocket(`${href.replace("http", "ws")}/agent`);
  expect(await agent.refused).toBe(401);
  platform.child.kill("SIGTERM");
  expect(await platform.ended).toEqual({ code: 0, signal: null });
  await expect(access(join(folder, "data/platform.address"))).rejects.toThrow();
});

// attack 6: the first line that a full disk did not take ended the process, and every start after it.
test("serves on while nothing of its log can be written, counts the lines and ends with grace", {
  timeout: PATIENCE_MS,
}, async () => {
  for (const LOG_FORMAT of someOf(1, ["json", "words"])) {
    // Linux has a full disk for tests; elsewhere a file that is open for reading alone takes nothing either.
    const full = existsSync("/dev/full") ? openSync("/dev/full", "w") : openSync(program, "r");
    const platform = start({ LOG_FORMAT }, full);
    closeSync(full);
    const href = await platform.ready;
    expect((await fetch(`${href}/check`)).status).toBe(200);
    const metrics = await (await fetch(`${href}/metrics`)).text();
    expect(Number(/^longarm_log_lines_lost_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
    platform.child.kill("SIGTERM");
    expect(await platform.ended).toEqual({ code: 0, signal: null });
  }
});

test("serves on when the reader of its log is gone", { tags: ["long"], timeout: PATIENCE_MS }, async () => {
  const platform = start({ LOG_LEVEL: "debug" });
  const href = await platform.ready;
  platform.child.stdout?.destroy();
  for (let count = 0; count < 5; count += 1) expect((await fetch(`${href}/check`)).status).toBe(200);
  platform.child.kill("SIGTERM");
  expect(await platform.ended).toEqual({ code: 0, signal: null });
});

test("ends when whoever started it is gone", { timeout: PATIENCE_MS }, async () => {
  const platform = start();
  await platform.ready;
  platform.child.disconnect();
  expect(await platform.ended).toEqual({ code: 0, signal: null });
});

test("brings its own database, and starts again after kill -9", { timeout: PATIENCE_MS }, async () => {
  const data = await temporaryDataFolder();
  onTestFinished(() => data.remove());
  const own = { DATABASE_URL: "", DATA_FOLDER: data.folder };
  const first = start(own);
  const firstHref = await first.ready;
  expect((await fetch(`${firstHref}/readyz`)).status).toBe(200);
  first.child.kill("SIGKILL");
  await first.ended;
  const second = start(own);
  const href = await second.ready;
  expect((await fetch(`${href}/readyz`)).status).toBe(200);
  expect(second.output()).not.toContain("migration applied");
  second.child.kill("SIGTERM");
  expect(await second.ended).toEqual({ code: 0, signal: null });
});

test("a process that finds its name taken says so and waits until it is free", {
  tags: ["long"],
  timeout: PATIENCE_MS,
}, async () => {
  const first = start();
  await first.ready;
  const second = start({ DATA_FOLDER: join(folder, "second") });
  await expect.poll(second.output, { timeout: PATIENCE_MS }).toContain("it is waited for");
  first.child.kill("SIGKILL");
  await first.ended;
  expect((await fetch(`${await second.ready}/readyz`)).status).toBe(200);
});

test("a bad configuration is told in full, and nothing is started", { timeout: PATIENCE_MS }, async () => {
  const platform = start({ PORT: "x", BUS_URL: "nats://somewhere", LOG_LEVEL: "loud" });
  expect(await platform.ended).toEqual({ code: 1, signal: null });
  for (const name of ["PORT must be", "LOG_LEVEL must be"]) await expect.poll(platform.output).toContain(name);
  expect(platform.output()).not.toContain("    at ");
});

test("a taken port is one sentence", { timeout: PATIENCE_MS }, async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as { port: number };
  const platform = start({ PORT: String(port) });
  expect(await platform.ended).toEqual({ code: 1, signal: null });
  await expect.poll(platform.output).toMatch(/Port \d+ is taken: set PORT or STAFF_PORT/);
  await new Promise((resolve) => other.close(resolve));
});

test("a database that cannot be reached is one sentence", { tags: ["long"], timeout: PATIENCE_MS }, async () => {
  const platform = start({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });
  expect(await platform.ended).toEqual({ code: 1, signal: null });
  await expect.poll(platform.output).toContain("The database cannot be reached");
});

test("an uncaught exception is logged and ends the process, so that it is started again", {
  timeout: PATIENCE_MS,
}, async () => {
  const planted = "process.on('message', () => void Promise.reject(new Error('planted by a test')))";
  const platform = start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(planted)}` });
  await platform.ready;
  platform.child.send("now");
  expect(await platform.ended).toEqual({ code: 1, signal: null });
  expect(platform.output()).toMatch(/"level":60.+planted by a test.+was not caught/);
});

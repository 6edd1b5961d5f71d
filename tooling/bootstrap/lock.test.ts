import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withLock } from "./lock.mjs";

const SOON = { timeout: 60_000 };
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "longarm-lock-"));
  path = join(folder, "deep/a.lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const holder = (pid: number, host = hostname()) => JSON.stringify({ host, workers: [{ pid, startedAt: "1" }] });
const leave = async (text: string) => {
  await withLock(path, {}, async () => undefined);
  writeFileSync(path, text);
};

test("one works at a time, the others are told who and wait", async () => {
  const log: string[] = [];
  const told: string[] = [];
  const work = (name: string) =>
    withLock(path, { onWait: (who) => told.push(who) }, async () => {
      log.push(`${name} in`);
      await vi.waitUntil(() => told.length > 0 || log.length > 2, SOON);
      log.push(`${name} out`);
    });
  await Promise.all([work("a"), work("b")]);
  expect(log).toEqual(["a in", "a out", "b in", "b out"]);
  expect(told).toEqual([`process ${process.pid}`]);
  expect(existsSync(path)).toBe(false);
});

test("the lock is given back when the work fails", async () => {
  const failing = withLock(path, {}, async () => {
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(existsSync(path)).toBe(false);
});

test.each([
  ["a dead holder", () => holder(2 ** 30)],
  ["another process under the holder's old id", () => holder(process.pid)],
])("%s does not keep it", async (_, text) => {
  await leave(text());
  expect(await withLock(path, {}, async () => "mine")).toBe("mine");
});

test.each([
  ["an unreadable file", "{", 11_000],
  ["a holder on another computer that went silent", holder(1, "elsewhere"), 61_000],
])("%s keeps it for a while only", async (_, text, ageMs) => {
  await leave(text);
  const waiting = vi.fn();
  const got = withLock(path, { onWait: waiting }, async () => "mine");
  await vi.waitUntil(() => waiting.mock.calls.length > 0, SOON);
  const then = new Date(Date.now() - ageMs);
  utimesSync(path, then, then);
  expect(await got).toBe("mine");
});

test("a process the holder started keeps it after the holder is gone, until it ends", async () => {
  const child = spawn("sleep", ["600"]);
  await withLock(path, {}, async ({ addProcess }) => {
    addProcess(child.pid ?? 0);
    const noted: { host: string; workers: { pid: number }[] } = JSON.parse(readFileSync(path, "utf8"));
    expect(noted.workers.map(({ pid }) => pid)).toEqual([process.pid, child.pid]);
    // The holder dies: only its child is left in the file.
    writeFileSync(`${path}.copy`, JSON.stringify({ ...noted, workers: noted.workers.slice(1) }));
  });
  writeFileSync(path, readFileSync(`${path}.copy`));
  const waiting = vi.fn();
  const got = withLock(path, { onWait: waiting }, async () => "mine");
  await vi.waitUntil(() => waiting.mock.calls.length > 0, SOON);
  expect(waiting).toHaveBeenCalledWith(`process ${child.pid}`);
  child.kill("SIGKILL");
  expect(await got).toBe("mine");
});

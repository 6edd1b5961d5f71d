import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listeningPorts, processesBelow, processOf, readProcess } from "../../rig/process.ts";
import { createRecords, findingsTable, growthFaults, ofTable } from "./growth.ts";
import { openInspector } from "./inspector.ts";
import { heldBy } from "./samples.ts";
import { readSoak } from "./soak-options.ts";

describe("the command line", () => {
  test("without words is an hour of eight players, four viewers and a page", () => {
    const usual = { minutes: 60, seed: "1", players: 8, viewers: 4, machines: 8, page: true };
    expect(readSoak([])).toMatchObject(usual);
    expect(readSoak(["--minutes", "0.5", "--no-page", "--viewers", "0"])).toMatchObject({
      minutes: 0.5,
      page: false,
      viewers: 0,
    });
  });
  test.each([
    [["--minutes", "0"]],
    [["--minutes", "many"]],
    [["--players", "1.5"]],
    [["--players", "1e9"]],
    [["--machines", "1"]],
    [["--nonsense"]],
    [["stray"]],
  ])("says what is wrong with %j", (words) => {
    expect(typeof readSoak(words)).toBe("string");
  });
});

describe("a table", () => {
  const MB = 2 ** 20;
  const row = { name: "public.seat", rows: 8, dead: 0, length: 8_192, used: 1_000, index_length: 0, index_used: 0 };

  test("whose rows fill it is explained by them", () => {
    const full = { ...row, rows: 50_000, length: 10 * MB, used: 9 * MB, index_length: 6 * MB, index_used: 4 * MB };
    expect(heldBy(full)).toEqual({ name: "seat", rows: 50_000, deadRows: 0, megabytes: 16, beyondMb: 0 });
  });
  test("of few rows and many pages is not", () => {
    expect(heldBy({ ...row, length: 10 * MB }).beyondMb).toBeCloseTo(10, 2);
    expect(heldBy({ ...row, index_length: 5 * MB, index_used: 8_192 }).beyondMb).toBeCloseTo(5, 1);
  });
  test("has so many dead rows as a vacuum would not have come for", () => {
    expect(heldBy({ ...row, dead: 51 }).deadRows).toBe(0);
    expect(heldBy({ ...row, dead: 500 }).deadRows).toBeCloseTo(448.4);
  });
  test("that keeps what happened may gain rows, any other may not", () => {
    expect(ofTable("game").rows).toBeUndefined();
    expect(ofTable("seat").rows).toBeDefined();
  });
});

test("a run tells in one table how each measure goes, and of single tables only those that grew", () => {
  const records = createRecords();
  const measures = [ofTable("seat").dead, ofTable("watcher").dead].map((measure) => ({ ...measure }));
  for (let at = 0; at < 60; at += 1) {
    records.note(measures[0]!, at * 60_000, 7);
    records.note(measures[1]!, at * 60_000, at * 400);
  }
  const findings = records.findings();
  expect(findings.map(({ judged }) => judged.is)).toEqual(["steady", "grows"]);
  expect(growthFaults(findings)).toEqual([
    expect.stringContaining("table watcher: dead rows beyond autovacuum's grows"),
  ]);
  expect(findingsTable(findings)).toContain("GROWS");
  expect(findingsTable(findings)).not.toContain("seat");
});

test("a process is read from the system's own tables, where it has some", async () => {
  if (process.platform !== "linux") return expect(readProcess(process.pid)).toBeNull();
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const held = readProcess(process.pid);
  expect(listeningPorts(process.pid)).toContain((server.address() as AddressInfo).port);
  server.close();
  expect(held?.residentMb).toBeGreaterThan(10);
  expect(held?.ownMb).toBeLessThanOrEqual(held?.residentMb ?? 0);
  expect(held?.files).toBeGreaterThan(3);
  expect(held?.halfClosed).toBe(0);
  expect(processesBelow(process.ppid)).toContain(process.pid);
  const ended = Number(execFileSync("sh", ["-c", "echo $$"], { encoding: "utf8" }));
  expect(readProcess(ended)).toBeNull();
});

test("the process that a program has started is found below it, and what it holds inside is read", async () => {
  if (process.platform !== "linux") return expect(listeningPorts(process.pid)).toEqual([]);
  const program = join(import.meta.dirname, "../../proof/fuzz/idle.ts");
  // Both are started with the same words, as an agent and its media process are.
  const script = `require("node:child_process").fork(${JSON.stringify(program)});`;
  const parent = spawn(process.execPath, ["-e", script], {
    env: { ...process.env, NODE_OPTIONS: "--inspect=127.0.0.1:0" },
    stdio: "ignore",
  });
  try {
    await expect.poll(() => processOf(parent.pid ?? 0, "idle.ts"), { timeout: 30_000 }).toBeDefined();
    const pid = processOf(parent.pid ?? 0, "idle.ts") ?? 0;
    expect(pid).not.toBe(parent.pid);
    await expect.poll(() => listeningPorts(pid).length, { timeout: 30_000 }).toBeGreaterThan(0);
    const inspector = await openInspector(pid);
    expect((await inspector.held()).heapMb).toBeGreaterThan(1);
    inspector.close();
  } finally {
    const ended = once(parent, "exit");
    // The other ends with it.
    parent.kill();
    await ended;
  }
});

import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { takeOwnerLock } from "./owner-lock.ts";
import { processBirth } from "./process-table.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "longarm-lock-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Fewer in a short run (decision 0129). */
const ROUNDS = process.env["LONGARM_TESTS"] === "all" ? 20 : 4;

test("exactly one of many concurrent starters acquires it", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const takes = await Promise.allSettled(Array.from({ length: 12 }, () => takeOwnerLock(home, systemClock)));
    const won = takes.flatMap((take) => (take.status === "fulfilled" ? [take.value] : []));
    expect(won).toHaveLength(1);
    expect(await readdir(home)).toHaveLength(1);
    await won[0]?.release();
  }
  expect(await readdir(home)).toEqual([]);
});

test("a starter waits for a weaker one that is not settled, and for no settled one", async () => {
  const birth = await processBirth(process.pid);
  const weaker = join(home, `owner.${"f".repeat(24)}.json`);
  const mark = { pid: process.pid, birth, token: "f".repeat(24) };
  await writeFile(weaker, JSON.stringify({ ...mark, settled: true }));
  await expect(takeOwnerLock(home, systemClock)).rejects.toThrow("Another Longarm");
  await writeFile(weaker, JSON.stringify({ ...mark, settled: false }));
  const waiting = takeOwnerLock(home, systemClock);
  await expect.poll(() => readdir(home)).toHaveLength(2);
  await rm(weaker);
  await (await waiting).release();
});

test("a settled owner keeps the lock", async () => {
  const lock = await takeOwnerLock(home, systemClock);
  for (let round = 0; round < ROUNDS; round += 1) {
    await expect(takeOwnerLock(home, systemClock)).rejects.toThrow(`Another Longarm (process ${process.pid})`);
  }
  await lock.release();
  await (await takeOwnerLock(home, systemClock)).release();
});

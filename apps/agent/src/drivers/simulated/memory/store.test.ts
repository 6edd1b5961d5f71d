import { appendFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { factoryState } from "./apply.ts";
import type { Memory } from "./store.ts";
import { MemoryFault, openMemory } from "./store.ts";

const factory = factoryState([0, 0, 0, 0]);

describe("machine memory", () => {
  let folder: string;
  let opened: Memory[];
  const openHere = async (linesPerLog?: number): Promise<Memory> => {
    const memory = await openMemory(folder, factory, { ...(linesPerLog !== undefined && { linesPerLog }) });
    opened.push(memory);
    return memory;
  };
  const cashIn = (memory: Memory, id: string, amount: number) =>
    memory.commit({
      do: "transfer",
      at: 1,
      record: { state: "done", transferId: id, direction: "cashIn", asked: amount, amount, at: 1 },
    });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "longarm-memory-"));
    opened = [];
  });
  afterEach(async () => {
    for (const memory of opened) await memory.close().catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  });

  test("comes back as it was, without being closed", async () => {
    const memory = await openHere();
    for (let n = 0; n < 5; n += 1) await cashIn(memory, `t${n}`, 100);
    expect((await openHere()).state()).toEqual(memory.state());
  });
  test("comes back as it was over new logs", async () => {
    const memory = await openHere(3);
    for (let n = 0; n < 10; n += 1) await cashIn(memory, `t${n}`, 100);
    const again = await openHere(3);
    expect(again.state()).toEqual(memory.state());
    expect((await readdir(folder)).filter((name) => name.startsWith("log-"))).toEqual(["log-3"]);
  });
  test.each([1, 7, 40])("a line torn %i bytes before its end was never acknowledged", async (missing) => {
    const memory = await openHere();
    await cashIn(memory, "kept", 100);
    await cashIn(memory, "torn", 200);
    const log = join(folder, "log-0");
    await truncate(log, (await readFile(log)).length - missing);
    const again = await openHere();
    expect(again.state().credit).toBe(100);
    await cashIn(again, "next", 300);
    expect((await openHere()).state().credit).toBe(400);
  });
  test("damage before the end is a fault with a sentence, and nothing is thrown away", async () => {
    const memory = await openHere();
    for (let n = 0; n < 3; n += 1) await cashIn(memory, `t${n}`, 100);
    const log = join(folder, "log-0");
    const bytes = await readFile(log);
    bytes[30] = (bytes[30] ?? 0) ^ 1;
    await writeFile(log, bytes);
    await expect(openHere()).rejects.toThrow(/log-0 is damaged in line 1/);
    expect(await readFile(log)).toEqual(bytes);
  });
  test.each(["", "garbage", '{"log":0}', `${"0".repeat(16)} {}`])("a snapshot of %j is a fault", async (text) => {
    await writeFile(join(folder, "memory.json"), text);
    await expect(openHere()).rejects.toThrow(MemoryFault);
  });
  test("a second writer is noticed before anything is mixed", async () => {
    const memory = await openHere();
    await cashIn(memory, "a", 100);
    await appendFile(join(folder, "log-0"), "somebody else\n");
    await expect(cashIn(memory, "b", 100)).rejects.toThrow(/one agent per folder/);
    expect(memory.state().credit).toBe(100);
  });
  test("a closed memory takes nothing", async () => {
    const memory = await openHere();
    await memory.close();
    await expect(cashIn(memory, "a", 100)).rejects.toThrow(MemoryFault);
  });
  test("a queue that overflows keeps what has priority and counts the rest", async () => {
    let state = factory;
    const { apply, EVENT_RECORDS } = await import("./apply.ts");
    state = apply(state, { do: "tilt", at: 1, code: "reel" });
    for (let n = 0; n < EVENT_RECORDS + 50; n += 1) {
      const record = {
        state: "done" as const,
        transferId: `t${n}`,
        direction: "cashIn" as const,
        asked: 1,
        amount: 1,
        at: 1,
      };
      state = apply(state, { do: "transfer", at: 1, record });
    }
    expect(state.events.length).toBeLessThanOrEqual(EVENT_RECORDS + 1);
    const lost = state.events.find((event) => event.what === "eventsLost");
    expect(lost?.["count"]).toBeGreaterThan(0);
    expect(new Set(state.events.map((event) => event.seq)).size).toBe(state.events.length);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { systemFiles } from "../system-files.ts";
import { settle } from "../testing/fake-clock.ts";
import { memoryFiles } from "../testing/memory-files.ts";
import { FolderTaken, lockFolder } from "./folder-lock.ts";
import { JournalProblem, openJournal } from "./journal.ts";
import { encodeLine, JournalDamaged, readLines } from "./line.ts";
import type { JournalRecord } from "./records.ts";
import { applyRecord, memoryOf, recordsOf, TRANSFERS_KEPT_MAX } from "./state.ts";

const folder = "/journal";
const path = join(folder, "journal.jsonl");

function intent(id: string, amount: number | null = 100): JournalRecord {
  return { t: "intent", m: "nar-01", id, direction: "cashIn", amount, epoch: 1, at: 5 };
}

function event(seq: number): JournalRecord {
  const meters = {
    credit: 0,
    bet: 1,
    win: 0,
    freeSpins: 0,
    bonus: false,
    gamesPlayed: 0,
    activeBand: null,
    inGame: false,
  };
  const told = { machineId: "nar-01", seq, at: "2026-01-01T00:00:00.000Z", meters, kind: "powerUp" as const };
  return { t: "event", m: "nar-01", seq, egm: `${seq}@1`, told };
}

test("what was appended is there after a new start", async () => {
  const files = memoryFiles();
  const journal = await openJournal({ files, folder });
  await journal.append({ t: "seat", m: "nar-01", epoch: 7, seat: { playSessionId: "ps_1", leaseMs: 60_000, at: 5 } });
  await journal.append(intent("tr_00000001"), {
    t: "outcome",
    m: "nar-01",
    id: "tr_00000001",
    outcome: "done",
    amount: 60,
  });
  await journal.append({ t: "forgotten", m: "nar-01", id: "tr_00000002" }, event(1), event(2), event(3));
  await journal.append({ t: "taken", m: "nar-01", seq: 2 });
  await journal.close();
  const memory = (await openJournal({ files, folder })).machine("nar-01");
  expect(memory.epoch).toBe(7);
  expect(memory.seat?.playSessionId).toBe("ps_1");
  expect(memory.transfers.get("tr_00000001")?.outcome).toEqual({ outcome: "done", amount: 60 });
  expect(memory.forgotten.has("tr_00000002")).toBe(true);
  expect(memory.waiting.map(({ seq }) => seq)).toEqual([3]);
  expect([memory.lastSeq, memory.taken, [...memory.seen]]).toEqual([3, 2, ["1@1", "2@1", "3@1"]]);
});

test("a line torn at any byte is no line, and what was before it stays", () => {
  const whole = Buffer.from(encodeLine(0, '{"a":1}'));
  const last = Buffer.from(encodeLine(whole.length, '{"b":"ş"}'));
  for (let cut = 0; cut < last.length; cut += 1) {
    const read = readLines(Buffer.concat([whole, last.subarray(0, cut)]));
    expect(read).toEqual({ lines: ['{"a":1}'], goodBytes: whole.length });
  }
});

test("damage in a part that was durable is refused with a sentence, never skipped", async () => {
  const files = memoryFiles();
  const journal = await openJournal({ files, folder });
  for (let n = 0; n < 5; n += 1) await journal.append(intent(`tr_0000000${n}`));
  await journal.close();
  const bytes = files.bytes(path)!;
  bytes[bytes.indexOf("tr_00000002") + 3] = 0x39;
  const damaged = memoryFiles(new Map([[path, bytes]]));
  const opening = openJournal({ files: damaged, folder });
  await expect(opening).rejects.toThrow(JournalDamaged);
  await expect(opening).rejects.toThrow(/\/journal\/journal.jsonl is damaged.*Do not restore an older copy/);
});

test("a journal of a newer version is refused", async () => {
  const newer = Buffer.from(encodeLine(0, '{"t":"journal","version":99}'));
  const opening = openJournal({ files: memoryFiles(new Map([[path, newer]])), folder });
  await expect(opening).rejects.toThrow(/cannot be read: a newer version .*start that version/);
});

test.each([
  ["an unknown kind of record", '{"t":"later"}'],
  ["a hostile one", '{"t":"intent","m":"nar-01","id":"x","direction":"both","amount":-1,"epoch":0,"at":0}'],
])("%s is refused, not misread", async (_what, json) => {
  const bytes = Buffer.from(encodeLine(0, json));
  await expect(openJournal({ files: memoryFiles(new Map([[path, bytes]])), folder })).rejects.toThrow(JournalDamaged);
});

test("a full disk refuses the append, loses nothing and takes appends again when there is room", async () => {
  const files = memoryFiles();
  const journal = await openJournal({ files, folder });
  await journal.append(intent("tr_00000001"));
  files.capacity = files.bytes(path)!.length + 20;
  const refused = journal.append(intent("tr_00000002"));
  await expect(refused).rejects.toThrow(JournalProblem);
  await expect(refused).rejects.toThrow(/is full: no space is left in \/journal. Free some space/);
  expect(journal.problem()).toMatch(/is full/);
  expect([...journal.machine("nar-01").transfers.keys()]).toEqual(["tr_00000001"]);
  files.capacity = Number.POSITIVE_INFINITY;
  await journal.append(intent("tr_00000003"));
  expect(journal.problem()).toBeUndefined();
  await journal.close();
  const again = await openJournal({ files, folder });
  expect([...again.machine("nar-01").transfers.keys()]).toEqual(["tr_00000001", "tr_00000003"]);
});

test("a failure does not outlive its cause when nothing else is to be written", async () => {
  const files = memoryFiles();
  const journal = await openJournal({ files, folder });
  files.capacity = 0;
  await expect(journal.append(intent("tr_00000001"))).rejects.toThrow(JournalProblem);
  await journal.retry();
  expect(journal.problem()).toMatch(/is full/);
  files.capacity = Number.POSITIVE_INFINITY;
  await journal.retry();
  expect(journal.problem()).toBeUndefined();
  expect((await openJournal({ files, folder })).machine("nar-01").transfers.size).toBe(0);
});

test("a record too long to be read back is refused", async () => {
  const journal = await openJournal({ files: memoryFiles(), folder });
  await expect(journal.append(intent("x".repeat(70_000)))).rejects.toThrow(JournalProblem);
  await journal.append(intent("tr_00000001"));
  expect(journal.problem()).toBeUndefined();
});

test("an agent on a full disk still comes up and knows its promises", async () => {
  const files = memoryFiles();
  const journal = await openJournal({ files, folder });
  await journal.append(intent("tr_00000001"));
  await journal.close();
  files.capacity = 0;
  const again = await openJournal({ files, folder });
  expect(again.machine("nar-01").transfers.size).toBe(1);
  await expect(again.append(intent("tr_00000002"))).rejects.toThrow(/is full/);
});

test("after a failed sync the file is written anew before anything counts", async () => {
  const files = memoryFiles();
  const journal = await openJournal({ files, folder });
  await journal.append(intent("tr_00000001"));
  files.syncFails = true;
  await expect(journal.append(intent("tr_00000002"))).rejects.toThrow(/cannot be written \(EIO\)/);
  await expect(journal.append(intent("tr_00000003"))).rejects.toThrow(/cannot be written/);
  files.syncFails = false;
  await journal.append(intent("tr_00000004"));
  const again = await openJournal({ files: files.afterPowerCut(0), folder });
  expect([...again.machine("nar-01").transfers.keys()]).toEqual(["tr_00000001", "tr_00000004"]);
});

test("the file is rewritten when it has grown, and says the same", async () => {
  const files = memoryFiles();
  const journal = await openJournal({ files, folder, rewriteGrowthBytes: 2_000 });
  for (let seq = 1; seq <= 200; seq += 1) {
    await journal.append(event(seq));
    await journal.append({ t: "taken", m: "nar-01", seq });
  }
  await journal.append(event(201));
  await journal.close();
  // Two hundred events are about 50 kB; the memory of which machine events were seen stays.
  expect(files.bytes(path)!.length).toBeLessThan(20_000);
  const memory = (await openJournal({ files, folder })).machine("nar-01");
  expect([memory.lastSeq, memory.taken, memory.waiting.length, memory.seen.size]).toEqual([201, 200, 1, 201]);
});

test("property: whatever was acknowledged survives a power cut at any moment", async () => {
  const cut = fc.record({
    appends: fc.integer({ min: 1, max: 25 }),
    turns: fc.nat(60),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    growth: fc.constantFrom(300, 100_000),
  });
  await fc.assert(
    fc.asyncProperty(cut, async ({ appends, turns, share, growth }) => {
      const files = memoryFiles();
      const journal = await openJournal({ files, folder, rewriteGrowthBytes: growth });
      const acknowledged: string[] = [];
      for (let n = 0; n < appends; n += 1) {
        const id = `tr_${String(n).padStart(8, "0")}`;
        void journal.append(intent(id)).then(() => acknowledged.push(id));
        if (n % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const sure = [...acknowledged];
      const again = await openJournal({ files: files.afterPowerCut(share), folder });
      const found = [...again.machine("nar-01").transfers.keys()];
      expect(found.slice(0, sure.length)).toEqual(sure);
      await settle();
    }),
    { numRuns: 60, seed: 20261121 },
  );
});

test("decided transfers are forgotten after many, open ones never", () => {
  const state = new Map();
  applyRecord(state, intent("tr_open0000"));
  for (let n = 0; n < TRANSFERS_KEPT_MAX + 5; n += 1) {
    applyRecord(state, intent(`tr_${n}`));
    applyRecord(state, { t: "outcome", m: "nar-01", id: `tr_${n}`, outcome: "done", amount: 1 });
  }
  const { transfers } = memoryOf(state, "nar-01");
  expect(transfers.size).toBe(TRANSFERS_KEPT_MAX);
  expect(transfers.has("tr_open0000")).toBe(true);
  const copy = new Map();
  for (const record of recordsOf(state)) applyRecord(copy, record);
  expect(copy).toEqual(state);
});

test("kill -9 at random moments: every record a process said was kept is there", async () => {
  const place = await mkdtemp(join(tmpdir(), "longarm-journal-"));
  const script = fileURLToPath(new URL("../testing/append-forever.ts", import.meta.url));
  let kept = 0;
  try {
    for (const lines of [3, 17, 41]) {
      const child = spawn(process.execPath, [script, place], { stdio: ["ignore", "pipe", "inherit"] });
      let said = "";
      child.stdout.on("data", (part: Buffer) => {
        said += String(part);
        if (said.split("\n").length > lines) child.kill("SIGKILL");
      });
      await once(child, "close");
      const journal = await openJournal({ files: systemFiles, folder: place });
      const ids = journal.machine("nar-01").transfers;
      const promised = said.split("\n").slice(0, -1);
      expect(promised.length).toBeGreaterThanOrEqual(lines);
      for (const id of promised) expect(ids.has(id)).toBe(true);
      kept += promised.length;
      expect(ids.size).toBeGreaterThanOrEqual(kept);
      await journal.close();
    }
    expect((await readFile(join(place, "journal.jsonl"))).length).toBeGreaterThan(0);
  } finally {
    await rm(place, { recursive: true });
  }
});

test("a folder belongs to one agent at a time", async () => {
  const place = await mkdtemp(join(tmpdir(), "longarm-lock-"));
  const release = await lockFolder(place);
  await expect(lockFolder(place)).rejects.toThrow(FolderTaken);
  await release();
  await (await lockFolder(place))();
  await rm(place, { recursive: true });
});

import type { Files } from "../ports/files.ts";
import { encodeLine } from "./line.ts";
import type { OpenJournalFile } from "./open.ts";
import { openJournalFile, rewriteJournal } from "./open.ts";
import type { JournalRecord } from "./records.ts";
import { JOURNAL_VERSION } from "./records.ts";
import type { JournalState, MachineMemory } from "./state.ts";
import { applyRecord, memoryOf } from "./state.ts";

/** The journal is rewritten when it has grown by this many bytes and to four times its last rewritten size. */
export const REWRITE_GROWTH_BYTES = 1_048_576;
const GROUP_RECORDS_MAX = 512;

/** Nothing of the append counts; it may be tried again. `cause` is the system's error. */
export class JournalProblem extends Error {
  override readonly name = "JournalProblem";
}

/**
 * What the agent must not forget across a kill -9: epochs, money commands, promises and events the platform has not taken. It is the
 * only writer of its file.
 */
export interface Journal {
  /** What is durable about a machine. Read only; changes when an append resolves. */
  machine(machineId: string): Readonly<MachineMemory>;
  /** Resolves when all records are durable; rejects with a `JournalProblem` and then none of them counts. */
  append(...records: readonly JournalRecord[]): Promise<void>;
  /** Undefined while appends work; else the sentence of the last failure. */
  problem(): string | undefined;
  /** After a failure: tries whether appends work again, so that `problem` does not outlive its cause. Never rejects. */
  retry(): Promise<void>;
  /** Waits for what is under way. Later appends reject. */
  close(): Promise<void>;
}

type Waiting = { records: readonly JournalRecord[]; resolve: () => void; reject: (problem: JournalProblem) => void };

/** Rejects with one sentence when the folder cannot be used or the file is damaged. */
export async function openJournal(options: {
  files: Files;
  folder: string;
  rewriteGrowthBytes?: number;
}): Promise<Journal> {
  const { files, folder, rewriteGrowthBytes = REWRITE_GROWTH_BYTES } = options;
  await files.makeFolder(folder);
  const { state, ...opened } = await openJournalFile(files, folder);
  return runJournal(folder, state, createWriter({ files, folder, state, growthBytes: rewriteGrowthBytes }, opened));
}

function runJournal(folder: string, state: JournalState, writer: JournalWriter): Journal {
  const queue: Waiting[] = [];
  let failure: string | undefined;
  let running: Promise<void> | undefined;
  let closed = false;

  async function turn(): Promise<void> {
    const group = queue.splice(0, GROUP_RECORDS_MAX);
    try {
      await writer.write(group.flatMap(({ records }) => records));
    } catch (error) {
      failure = sentenceOf(error, folder);
      const problem = new JournalProblem(failure, { cause: error });
      for (const waiting of group) waiting.reject(problem);
      return;
    }
    failure = undefined;
    for (const waiting of group) {
      for (const record of waiting.records) applyRecord(state, record);
      waiting.resolve();
    }
    await writer.rewriteWhenDue();
  }

  async function run(): Promise<void> {
    while (queue.length > 0) await turn();
    running = undefined;
  }

  const append: Journal["append"] = (...records) =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new JournalProblem("The agent is closing: its journal takes nothing more."));
      queue.push({ records, resolve, reject });
      running ??= run();
    });

  return {
    machine: (machineId) => memoryOf(state, machineId),
    problem: () => failure,
    append,
    retry: async () => {
      // A header says nothing new; it only has to get through.
      if (failure !== undefined) await append({ t: "journal", version: JOURNAL_VERSION }).catch(() => undefined);
    },
    close: async () => {
      closed = true;
      await running;
      await writer.close();
    },
  };
}

function sentenceOf(error: unknown, folder: string): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return `The agent's journal is full: no space is left in ${folder}. Free some space there.`;
  }
  const text = error instanceof Error ? error.message : String(error);
  return `The agent's journal in ${folder} cannot be written (${code ?? text}). Check the disk.`;
}

/** Puts records into the journal's file, one call at a time. */
interface JournalWriter {
  /** Resolves when all of them are durable. Rejects with the system's error; then none of them will ever be read. */
  write(records: readonly JournalRecord[]): Promise<void>;
  /** Rewrites the file when it has grown enough. */
  rewriteWhenDue(): Promise<void>;
  close(): Promise<void>;
}

function createWriter(
  deps: { files: Files; folder: string; state: JournalState; growthBytes: number },
  opened: OpenJournalFile,
): JournalWriter {
  const { files, folder, state, growthBytes } = deps;
  let current = opened;
  let rewrittenLength = opened.length;
  /** Set by a failed write: what lies behind `current.length` is of no value, or the file cannot be trusted at all. */
  let wounded: "tail" | "file" | undefined;

  async function rewrite(): Promise<void> {
    const old = current.file;
    current = await rewriteJournal(files, folder, state);
    rewrittenLength = current.length;
    wounded = undefined;
    await old.close().catch(() => undefined);
  }

  async function heal(): Promise<void> {
    if (wounded === "file") await rewrite();
    if (wounded !== "tail") return;
    await current.file.truncate(current.length);
    wounded = undefined;
  }

  return {
    write: async (records) => {
      await heal();
      const lines = records.map((record) => encodeLine(current.length, JSON.stringify(record)));
      const bytes = Buffer.from(lines.join(""));
      wounded = "tail";
      await current.file.write(bytes, current.length);
      // After a failed sync the system may drop the pages and say nothing later: such a file is never trusted again.
      wounded = "file";
      await current.file.sync();
      wounded = undefined;
      current = { file: current.file, length: current.length + bytes.length };
    },
    rewriteWhenDue: async () => {
      const due = current.length > rewrittenLength + growthBytes && current.length > rewrittenLength * 4;
      // A rewrite that finds no room is tried again after the next write; the old file is still good.
      if (due) await rewrite().catch(() => undefined);
    },
    close: () => current.file.close(),
  };
}

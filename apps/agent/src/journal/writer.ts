import type { Files } from "../ports/files.ts";
import { encodeLine } from "./line.ts";
import type { OpenJournalFile } from "./open.ts";
import { rewriteJournal } from "./open.ts";
import type { JournalRecord } from "./records.ts";
import type { JournalState } from "./state.ts";

/** Puts records into the journal's file, one call at a time. */
export interface JournalWriter {
  /** Resolves when all of them are durable. Rejects with the system's error; then none of them will ever be read. */
  write(records: readonly JournalRecord[]): Promise<void>;
  /** Rewrites the file when it has grown enough. */
  rewriteWhenDue(): Promise<void>;
  close(): Promise<void>;
}

export function createWriter(
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

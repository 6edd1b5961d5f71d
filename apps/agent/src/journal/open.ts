import { join } from "node:path";
import type { Files, OpenFile } from "../ports/files.ts";
import { encodeLine, JournalDamaged, readLines } from "./line.ts";
import { JOURNAL_VERSION, JournalRecord } from "./records.ts";
import type { JournalState } from "./state.ts";
import { applyRecord, recordsOf } from "./state.ts";

export const JOURNAL_NAME = "journal.jsonl";
const REWRITE_NAME = "journal.jsonl.new";

/** A journal file that is open, whole and durable up to `length` bytes. */
export type OpenJournalFile = { file: OpenFile; length: number };

/**
 * Opens the journal of a folder, or a new one; cuts a torn tail off, which needs no space, so an agent on a full disk still comes up
 * and knows its promises. Rejects with one sentence when the file is damaged or too new.
 */
export async function openJournalFile(
  files: Files,
  folder: string,
): Promise<OpenJournalFile & { state: JournalState }> {
  const path = join(folder, JOURNAL_NAME);
  const bytes = await files.read(path);
  const state: JournalState = new Map();
  const goodBytes = bytes === undefined ? 0 : fold(state, path, bytes);
  if (goodBytes === 0) return { state, ...(await rewriteJournal(files, folder, state)) };
  const file = await files.open(path);
  await file.truncate(goodBytes);
  await file.sync();
  return { state, file, length: goodBytes };
}

/** Answers how many bytes are whole. */
function fold(state: JournalState, path: string, bytes: Buffer): number {
  try {
    const { lines, goodBytes } = readLines(bytes);
    for (const json of lines) applyRecord(state, parseRecord(json));
    return goodBytes;
  } catch (error) {
    if (error instanceof JournalTooNew)
      throw new JournalDamaged(`The journal ${path} cannot be read: ${error.message}.`, { cause: error });
    if (!(error instanceof JournalDamaged)) throw error;
    // An older copy has forgotten promises, and the machines have continued since.
    throw new JournalDamaged(
      `The journal ${path} is damaged (${error.message}). Do not restore an older copy: follow "A damaged journal" in docs/operating/money.md.`,
      { cause: error },
    );
  }
}

class JournalTooNew extends Error {
  override readonly name = "JournalTooNew";
}

function parseRecord(json: string): JournalRecord {
  const record = JournalRecord.safeParse(JSON.parse(json));
  if (!record.success) throw new JournalDamaged("a record is of a kind this version does not know");
  if (record.data.t === "journal" && record.data.version > JOURNAL_VERSION) {
    const { version } = record.data;
    throw new JournalTooNew(`a newer version of the agent (format ${version}) wrote it, so start that version`);
  }
  return record.data;
}

/**
 * Writes the whole state to a new file and renames it over the old one, so that at every moment one of the two is complete.
 * Rejects with the system's error and leaves the old file as it was.
 */
export async function rewriteJournal(files: Files, folder: string, state: JournalState): Promise<OpenJournalFile> {
  const fresh = join(folder, REWRITE_NAME);
  await files.remove(fresh);
  const file = await files.open(fresh);
  try {
    const lines: string[] = [];
    for (const record of recordsOf(state)) lines.push(encodeLine(0, JSON.stringify(record)));
    const bytes = Buffer.from(lines.join(""));
    await file.write(bytes, 0);
    await file.sync();
    await files.rename(fresh, join(folder, JOURNAL_NAME));
    await files.syncFolder(folder);
    return { file, length: bytes.length };
  } catch (error) {
    await file.close().catch(() => undefined);
    await files.remove(fresh).catch(() => undefined);
    throw error;
  }
}

import { createHash } from "node:crypto";
import { join } from "node:path";
import { createQueue } from "../../../machine/machine-queue.ts";
import type { Files, OpenFile } from "../../../ports/files.ts";
import { systemFiles } from "../../../system-files.ts";
import { apply } from "./apply.ts";
import { Entry } from "./entries.ts";
import { MachineState } from "./state.ts";

/** Lines before the state is written whole and a new log begins. */
const LINES_PER_LOG = 2_000;
const SNAPSHOT = "memory.json";

/** Non-volatile memory: what `commit` has answered survives a power cut at any moment. One writer per folder. */
export type Memory = {
  state(): MachineState;
  /** Makes the entry durable, then true. Rejects with `MemoryFault` and changes nothing when it cannot be written. */
  commit(entry: Entry): Promise<MachineState>;
  close(): Promise<void>;
};

/** `files`: those of this computer unless given; `linesPerLog`: 2000. */
export type MemoryOptions = { readonly linesPerLog?: number; readonly files?: Files | undefined };

/** The state when log number `log` began. */
type Snapshot = { log: number; state: MachineState };

async function readSnapshot(files: Files, folder: string, factory: MachineState): Promise<Snapshot> {
  const file = join(folder, SNAPSHOT);
  const bytes = await files.read(file).catch((error: Error) => {
    throw new MemoryFault(`${file} cannot be read: ${error.message}`, { cause: error });
  });
  if (bytes === undefined) return { log: 0, state: factory };
  const body = unsealed(bytes.toString("utf8").trimEnd());
  if (body === null) {
    throw new MemoryFault(
      `${file} is damaged: restore it from a copy, or settle the machine by hand and remove its folder.`,
    );
  }
  const { log, state } = JSON.parse(body) as { log: number; state: unknown };
  return { log, state: MachineState.parse(state) };
}

async function prepareSnapshot(files: Files, folder: string, snapshot: Snapshot): Promise<string> {
  const next = join(folder, `${SNAPSHOT}.next`);
  const file = await files.open(next);
  try {
    await file.truncate(0);
    await file.write(Buffer.from(sealed(JSON.stringify(snapshot))), 0);
    await file.sync();
  } finally {
    await file.close();
  }
  return next;
}

const logName = (log: number): string => `log-${log}`;

/**
 * Writes the state whole and begins a new log; null when there was no room for it: until the rename the old pair stays
 * valid, so that failure costs nothing. Rejects when the folder itself cannot be believed any more.
 */
async function turnLog(files: Files, folder: string, snapshot: Snapshot): Promise<LogFile | null> {
  const file = join(folder, logName(snapshot.log));
  const handle = await files.open(file).catch(() => null);
  if (handle === null) return null;
  const next = await handle
    .truncate(0)
    .then(() => prepareSnapshot(files, folder, snapshot))
    .catch(() => null);
  if (next === null) {
    await handle.close();
    return null;
  }
  try {
    await files.rename(next, join(folder, SNAPSHOT));
    await files.syncFolder(folder);
  } catch (error) {
    await handle.close();
    throw new MemoryFault(`${folder} cannot be synchronised: ${(error as Error).message}`, { cause: error });
  }
  return logFile(file, handle);
}

async function openLog(files: Files, folder: string, log: number, each: (text: string) => void): Promise<LogFile> {
  const file = join(folder, logName(log));
  const handle = await files.open(file);
  try {
    await files.syncFolder(folder);
    const { size, lines } = await replayLog(files, file, handle, each);
    for (const name of await files.list(folder)) {
      if (name.startsWith("log-") && name !== logName(log)) await files.remove(join(folder, name));
    }
    return logFile(file, handle, size, lines);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens the memory in `folder`, made when absent. `factory` is the state of a machine that has none. */
export async function openMemory(
  folder: string,
  factory: MachineState,
  { linesPerLog = LINES_PER_LOG, files = systemFiles }: MemoryOptions = {},
): Promise<Memory> {
  await files.makeFolder(folder, 0o700);
  let { log, state } = await readSnapshot(files, folder, factory);
  let current = await openLog(files, folder, log, (text) => {
    state = apply(state, Entry.parse(JSON.parse(text)));
  });
  let broken: MemoryFault | null = null;
  const serial = createQueue();

  const saveRoom = async (): Promise<void> => {
    if (current.lines() < linesPerLog) return;
    try {
      const fresh = await turnLog(files, folder, { log: log + 1, state });
      if (fresh === null) return;
      const old = current;
      log += 1;
      current = fresh;
      await old.close();
      await files.remove(old.file);
    } catch (error) {
      broken = error instanceof MemoryFault ? error : new MemoryFault((error as Error).message, { cause: error });
    }
  };

  return {
    state: () => state,
    commit: (entry) =>
      serial(async () => {
        if (broken !== null) throw broken;
        await current.append(JSON.stringify(entry));
        state = apply(state, entry);
        await saveRoom();
        return state;
      }),
    close: () =>
      serial(async () => {
        if (broken?.message === CLOSED) return;
        broken = new MemoryFault(CLOSED);
        await current.close();
      }),
  };
}

const CLOSED = "The machine's memory is closed.";

/** A machine's memory is damaged or out of reach; the sentence says which file and what to do. */
export class MemoryFault extends Error {
  override readonly name = "MemoryFault";
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** A line with its checksum in front. */
const sealed = (text: string): string => `${digest(text)} ${text}\n`;

/** The text behind its checksum, or null when the line is torn or damaged. */
function unsealed(line: string): string | null {
  const text = line.slice(17);
  return line[16] === " " && digest(text) === line.slice(0, 16) ? text : null;
}

/** An append-only file of sealed lines. */
type LogFile = {
  readonly file: string;
  lines(): number;
  /** On the disk when it resolves. Rejects with `MemoryFault`; then the line is not in the file. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
};

/** Continues a file that holds `size` bytes in `lines` lines. */
function logFile(file: string, handle: OpenFile, size = 0, lines = 0): LogFile {
  let [bytes, count] = [size, lines];
  let broken: MemoryFault | null = null;
  return {
    file,
    lines: () => count,
    async append(text) {
      if (broken !== null) throw broken;
      const line = Buffer.from(sealed(text));
      if ((await handle.size()) !== bytes) {
        throw new MemoryFault(`${file} was changed by somebody else: run one agent per folder.`);
      }
      try {
        await handle.write(line, bytes);
        await handle.sync();
      } catch (error) {
        const sentence = `${file} cannot be written: ${(error as Error).message}. Make room, then try again.`;
        const fault = new MemoryFault(sentence, { cause: error });
        // Whether a failed write reached the disk cannot be known: cut it off, and if that fails too, believe nothing more.
        await cutTo(handle, bytes).catch(() => {
          broken = fault;
        });
        throw fault;
      }
      bytes += line.length;
      count += 1;
    },
    close: () => handle.close(),
  };
}

async function cutTo(handle: OpenFile, size: number): Promise<void> {
  await handle.truncate(size);
  await handle.sync();
}

/** Reads all lines; a torn last one was never acknowledged and is cut off, damage before it is a fault. Answers the size kept. */
async function replayLog(
  files: Files,
  file: string,
  handle: OpenFile,
  each: (text: string) => void,
): Promise<{ size: number; lines: number }> {
  const bytes = (await files.read(file)) ?? Buffer.alloc(0);
  let [size, lines] = [0, 0];
  while (size < bytes.length) {
    const end = bytes.indexOf(0x0a, size);
    const text = end < 0 ? null : unsealed(bytes.subarray(size, end).toString("utf8"));
    if (text === null) {
      if (end < 0 || end + 1 === bytes.length) break;
      throw new MemoryFault(
        `${file} is damaged in line ${lines + 1}: restore it from a copy, or settle the machine by hand and remove its folder.`,
      );
    }
    each(text);
    size = end + 1;
    lines += 1;
  }
  if (size < bytes.length) await cutTo(handle, size);
  return { size, lines };
}

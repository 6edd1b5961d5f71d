import { join } from "node:path";
import type { Files } from "../../../ports/files.ts";
import { systemFiles } from "../../../system-files.ts";
import { oneAtATime } from "../turns.ts";
import { apply } from "./apply.ts";
import { Entry } from "./entries.ts";
import type { LogFile } from "./log-file.ts";
import { logFile, MemoryFault, replayLog, sealed, unsealed } from "./log-file.ts";
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
  const serial = oneAtATime();

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

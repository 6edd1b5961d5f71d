import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
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

/** The state when log number `log` began. */
type Snapshot = { log: number; state: MachineState };

/** Makes new and renamed files of the folder durable. Windows has no such call; there a rename is durable by itself. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

async function readSnapshot(folder: string, factory: MachineState): Promise<Snapshot> {
  const file = join(folder, SNAPSHOT);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new MemoryFault(`${file} cannot be read: ${error.message}`, { cause: error });
  });
  if (text === null) return { log: 0, state: factory };
  const body = unsealed(text.trimEnd());
  if (body === null) {
    throw new MemoryFault(
      `${file} is damaged: restore it from a copy, or settle the machine by hand and remove its folder.`,
    );
  }
  const { log, state } = JSON.parse(body) as { log: number; state: unknown };
  return { log, state: MachineState.parse(state) };
}

async function prepareSnapshot(folder: string, snapshot: Snapshot): Promise<string> {
  const next = join(folder, `${SNAPSHOT}.next`);
  const handle = await open(next, "w", 0o600);
  try {
    await handle.writeFile(sealed(JSON.stringify(snapshot)));
    await handle.sync();
  } finally {
    await handle.close();
  }
  return next;
}

const logName = (log: number): string => `log-${log}`;

/**
 * Writes the state whole and begins a new log; null when there was no room for it: until the rename the old pair stays
 * valid, so that failure costs nothing. Rejects when the folder itself cannot be believed any more.
 */
async function turnLog(folder: string, snapshot: Snapshot): Promise<LogFile | null> {
  const file = join(folder, logName(snapshot.log));
  const handle = await open(file, "a+", 0o600).catch(() => null);
  if (handle === null) return null;
  const next = await handle
    .truncate(0)
    .then(() => prepareSnapshot(folder, snapshot))
    .catch(() => null);
  if (next === null) {
    await handle.close();
    return null;
  }
  try {
    await rename(next, join(folder, SNAPSHOT));
    await syncFolder(folder);
  } catch (error) {
    await handle.close();
    throw new MemoryFault(`${folder} cannot be synchronised: ${(error as Error).message}`, { cause: error });
  }
  return logFile(file, handle);
}

async function openLog(folder: string, log: number, each: (text: string) => void): Promise<LogFile> {
  const file = join(folder, logName(log));
  const handle = await open(file, "a+", 0o600);
  try {
    await syncFolder(folder);
    const { size, lines } = await replayLog(file, handle, each);
    for (const name of await readdir(folder)) {
      if (name.startsWith("log-") && name !== logName(log)) await rm(join(folder, name));
    }
    return logFile(file, handle, size, lines);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens the memory in `folder`, made when absent. `factory` is the state of a machine that has none. */
export async function openMemory(folder: string, factory: MachineState, linesPerLog = LINES_PER_LOG): Promise<Memory> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let { log, state } = await readSnapshot(folder, factory);
  let current = await openLog(folder, log, (text) => {
    state = apply(state, Entry.parse(JSON.parse(text)));
  });
  let broken: MemoryFault | null = null;
  const serial = oneAtATime();

  const saveRoom = async (): Promise<void> => {
    if (current.lines() < linesPerLog) return;
    try {
      const fresh = await turnLog(folder, { log: log + 1, state });
      if (fresh === null) return;
      const old = current;
      log += 1;
      current = fresh;
      await old.close();
      await rm(old.file, { force: true });
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

import type { JournalFile, JournalFiles } from "../journal/files.ts";

type Body = { now: Buffer; durable: Buffer };

/** A disk in memory that can be full, can fail, and forgets what was not synced when the power goes. */
export type MemoryFiles = JournalFiles & {
  /** Bytes the disk holds at most. */
  capacity: number;
  /** Every sync rejects with EIO while this is set. */
  syncFails: boolean;
  /** Every call from now on never ends: the process is dead. */
  dead: boolean;
  /** A power cut: of each file's unsynced bytes a share (0 to 1) survives; the files as a new process finds them. */
  afterPowerCut(share: number): MemoryFiles;
  bytes(path: string): Buffer | undefined;
};

export function memoryFiles(start: ReadonlyMap<string, Buffer> = new Map()): MemoryFiles {
  const bodies = new Map<string, Body>();
  for (const [path, bytes] of start) bodies.set(path, { now: Buffer.from(bytes), durable: Buffer.from(bytes) });
  let durableNames = new Map(bodies);

  function used(): number {
    return [...new Set(bodies.values())].reduce((sum, body) => sum + body.now.length, 0);
  }

  function alive<T>(run: () => T): Promise<T> {
    if (files.dead) return new Promise(() => undefined);
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        try {
          if (!files.dead) resolve(run());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  function write(body: Body, bytes: Buffer, position: number): void {
    const room = files.capacity - used() + Math.max(0, body.now.length - position);
    const fits = bytes.subarray(0, Math.max(0, room));
    const grown = Buffer.alloc(Math.max(body.now.length, position + fits.length));
    body.now.copy(grown);
    fits.copy(grown, position);
    body.now = grown;
    if (fits.length < bytes.length) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  }

  function fileOf(body: Body): JournalFile {
    return {
      write: (bytes, position) => alive(() => write(body, bytes, position)),
      truncate: (length) =>
        alive(() => {
          body.now = body.now.subarray(0, length);
        }),
      sync: () =>
        alive(() => {
          if (files.syncFails) throw Object.assign(new Error("i/o error"), { code: "EIO" });
          body.durable = Buffer.from(body.now);
        }),
      close: () => alive(() => undefined),
    };
  }

  const files: MemoryFiles = {
    capacity: Number.POSITIVE_INFINITY,
    syncFails: false,
    dead: false,
    makeFolder: () => alive(() => undefined),
    read: (path) => alive(() => files.bytes(path)),
    open: (path) =>
      alive(() => {
        const body = bodies.get(path) ?? { now: Buffer.alloc(0), durable: Buffer.alloc(0) };
        bodies.set(path, body);
        return fileOf(body);
      }),
    rename: (from, to) =>
      alive(() => {
        const body = bodies.get(from);
        if (body === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
        bodies.set(to, body);
        bodies.delete(from);
      }),
    remove: (path) => alive(() => void bodies.delete(path)),
    syncFolder: () =>
      alive(() => {
        durableNames = new Map(bodies);
      }),
    afterPowerCut: (share) => {
      files.dead = true;
      const survivors = new Map<string, Buffer>();
      for (const [path, body] of share < 0.5 ? durableNames : bodies) survivors.set(path, survivorOf(body, share));
      return memoryFiles(survivors);
    },
    bytes: (path) => {
      const body = bodies.get(path);
      return body === undefined ? undefined : Buffer.from(body.now);
    },
  };
  return files;
}

/** What was synced, and a share of what was only written. */
function survivorOf({ now, durable }: Body, share: number): Buffer {
  if (now.length < durable.length) return share < 0.5 ? durable : now;
  const unsynced = now.length - durable.length;
  return Buffer.concat([durable, now.subarray(durable.length, durable.length + Math.floor(unsynced * share))]);
}

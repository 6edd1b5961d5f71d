import type { Files, OpenFile } from "../ports/files.ts";

/** `durable`: what was durable, kept apart while `bytes` below `durableLength` is no longer that. */
type Body = { bytes: Buffer; length: number; durableLength: number; durable: Buffer | undefined };

/** A disk in memory that can be full, can fail, and forgets what was not synced when the power goes. */
export type MemoryFiles = Files & {
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

/** When a call of the disk is carried out: a little later, as on a real one. */
export type Turn = (run: () => void) => void;

export function memoryFiles(start: ReadonlyMap<string, Buffer> = new Map(), turn: Turn = setImmediate): MemoryFiles {
  const bodies = new Map<string, Body>();
  for (const [path, bytes] of start) bodies.set(path, bodyOf(Buffer.from(bytes)));
  let durableNames = new Map(bodies);

  function used(): number {
    let sum = 0;
    for (const body of new Set(bodies.values())) sum += body.length;
    return sum;
  }

  function alive<T>(run: () => T): Promise<T> {
    if (files.dead) return new Promise(() => undefined);
    return new Promise((resolve, reject) => {
      turn(() => {
        try {
          if (!files.dead) resolve(run());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  function write(body: Body, bytes: Buffer, position: number): void {
    const room = Number.isFinite(files.capacity)
      ? files.capacity - used() + Math.max(0, body.length - position)
      : bytes.length;
    const fits = bytes.subarray(0, Math.max(0, room));
    put(body, fits, position);
    if (fits.length < bytes.length) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  }

  function fileOf(body: Body): OpenFile {
    return {
      size: () => alive(() => body.length),
      write: (bytes, position) => alive(() => write(body, bytes, position)),
      truncate: (length) => alive(() => cut(body, length)),
      sync: () =>
        alive(() => {
          if (files.syncFails) throw Object.assign(new Error("i/o error"), { code: "EIO" });
          body.durable = undefined;
          body.durableLength = body.length;
        }),
      close: () => alive(() => undefined),
    };
  }

  const files: MemoryFiles = {
    capacity: Number.POSITIVE_INFINITY,
    syncFails: false,
    dead: false,
    makeFolder: () => alive(() => undefined),
    list: (path) => alive(() => [...new Set([...bodies.keys()].flatMap((name) => nameIn(path, name) ?? []))]),
    read: (path) => alive(() => files.bytes(path)),
    open: (path) =>
      alive(() => {
        const body = bodies.get(path) ?? bodyOf(Buffer.alloc(0));
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
    remove: (path) =>
      alive(() => {
        for (const name of bodies.keys()) if (name === path || name.startsWith(`${path}/`)) bodies.delete(name);
      }),
    syncFolder: () =>
      alive(() => {
        durableNames = new Map(bodies);
      }),
    afterPowerCut: (share) => {
      files.dead = true;
      const survivors = new Map<string, Buffer>();
      for (const [path, body] of share < 0.5 ? durableNames : bodies) survivors.set(path, survivorOf(body, share));
      return memoryFiles(survivors, turn);
    },
    bytes: (path) => {
      const body = bodies.get(path);
      return body === undefined ? undefined : Buffer.from(body.bytes.subarray(0, body.length));
    },
  };
  return files;
}

const bodyOf = (bytes: Buffer): Body => ({
  bytes,
  length: bytes.length,
  durableLength: bytes.length,
  durable: undefined,
});

function nameIn(folder: string, path: string): string | undefined {
  const name = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : "";
  return name === "" ? undefined : name.split("/")[0];
}

/** Keeps what is durable apart before it is written over. */
function spare(body: Body, from: number): void {
  if (from < body.durableLength) body.durable ??= Buffer.from(body.bytes.subarray(0, body.durableLength));
}

function put(body: Body, bytes: Buffer, position: number): void {
  spare(body, position);
  const end = position + bytes.length;
  if (end > body.bytes.length) {
    const grown = Buffer.alloc(Math.max(end, body.bytes.length * 2, 1_024));
    body.bytes.copy(grown, 0, 0, body.length);
    body.bytes = grown;
  }
  if (position > body.length) body.bytes.fill(0, body.length, position);
  bytes.copy(body.bytes, position);
  body.length = Math.max(body.length, end);
}

function cut(body: Body, length: number): void {
  spare(body, length);
  if (length > body.length) put(body, Buffer.alloc(length - body.length), body.length);
  body.length = length;
}

/** What was synced, and a share of what was only written. */
function survivorOf(body: Body, share: number): Buffer {
  const now = body.bytes.subarray(0, body.length);
  const durable = body.durable ?? body.bytes.subarray(0, body.durableLength);
  if (now.length < durable.length) return share < 0.5 ? durable : now;
  const unsynced = now.length - durable.length;
  return Buffer.concat([durable, now.subarray(durable.length, durable.length + Math.floor(unsynced * share))]);
}

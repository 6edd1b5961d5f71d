import type { MachineBroadcast } from "../media/broadcast.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import type { FreshLine, IndexFile } from "./index-file.ts";
import { openIndexFile } from "./index-file.ts";
import { derivedKey } from "./locked-file.ts";
import type { Segment } from "./segment.ts";
import { partName, readSegment, segmentName, segmentNumber } from "./segment.ts";
import type { SessionFacts } from "./session-file.ts";
import type { Shelf } from "./shelf.ts";

export interface RecordedSessionDeps {
  readonly machineId: string;
  readonly files: Files;
  readonly shelf: Shelf;
  /** The venue's key. */
  readonly key: Uint8Array;
  readonly clock: Clock;
  readonly wallNow: () => number;
  readonly broadcast: Pick<MachineBroadcast, "record">;
}

export interface SessionEvents {
  /** Nothing was recorded for a while; undefined: a segment was. */
  readonly problem: (why: string | undefined) => void;
  /** The session is to be closed and opened again. */
  readonly broke: (why: string) => void;
}

/** One play session that is being recorded: its index, and the segments that the media process makes. */
export class RecordedSession {
  readonly session: string;
  readonly #deps: RecordedSessionDeps;
  readonly #events: SessionEvents;
  #index: IndexFile | undefined;
  #epoch = 0;
  #sealedAt: number;
  #broken = false;

  constructor(deps: RecordedSessionDeps, session: string, events: SessionEvents) {
    this.session = session;
    this.#deps = deps;
    this.#events = events;
    this.#sealedAt = deps.clock.now();
  }

  /** It is to be closed and opened again. */
  get broken(): boolean {
    return this.#broken;
  }

  /** When it began, or its last segment was made, ms. */
  get sealedAt(): number {
    return this.#sealedAt;
  }

  /** Adopts what a crash has left, and begins to record. When it rejects, the session is broken. */
  async begin(epoch: number): Promise<void> {
    try {
      await this.#begin(epoch);
    } catch (error) {
      this.#broken = true;
      throw error;
    }
  }

  async #begin(epoch: number): Promise<void> {
    const { files, shelf, machineId, clock, broadcast } = this.#deps;
    const { session } = this;
    const folder = shelf.folderOf(machineId, session);
    await files.makeFolder(folder, 0o700);
    const index = await openIndexFile(files, folder, (error) => this.#broke(sentenceOf(error)));
    this.#index = index;
    if (index.isNew) this.add({ t: "begin", ...this.#now(), v: 1, machine: machineId, session });
    this.seat(epoch);
    const key = sessionKeyOf(this.#deps.key, machineId, session);
    const first = await adoptSegments({ files, folder, key, sealed: (segment) => this.#seal(segment) }, index);
    await shelf.change(machineId, session, (facts) => ({ ...facts, whole: false, lastAt: clock.now() }));
    await broadcast.record({
      ...{ folder, sessionKey: key, first },
      sealed: (segment) => void this.#sealed(segment),
      failed: this.#events.problem,
      lost: () => this.#broke("the media process has ended"),
    });
  }

  add(line: FreshLine): void {
    this.#index?.add(line);
  }

  /** The seat's epoch; a line when it is another than before. */
  seat(epoch: number): void {
    if (epoch !== this.#epoch) this.add({ t: "seat", ...this.#now(), epoch });
    this.#epoch = epoch;
  }

  /** Ends the record, and seals what is left. */
  async close(): Promise<void> {
    const { shelf, machineId, clock, broadcast } = this.#deps;
    await broadcast.record(undefined).catch(() => undefined);
    this.add({ t: "end", at: clock.now() });
    await this.#seal(null);
    await this.#index?.close();
    await shelf.change(machineId, this.session, (facts) => ({ ...facts, whole: true, lastAt: clock.now() }));
  }

  #broke(why: string): void {
    this.#broken = true;
    this.#events.broke(why);
  }

  async #sealed(segment: Segment): Promise<void> {
    await this.#seal(segment);
    if (!this.#broken) this.#events.problem(undefined);
  }

  async #seal(segment: Segment | null): Promise<void> {
    const { shelf, machineId, clock } = this.#deps;
    const index = this.#index;
    if (index === undefined) return;
    await index.seal(this.#now(), segment);
    if (segment !== null) this.#sealedAt = clock.now();
    const { bytes } = segment ?? { bytes: 0 };
    shelf.note(machineId, this.session, (facts) => grown(facts, index, bytes, clock.now()));
  }

  #now(): { at: number; wall: number } {
    return { at: this.#deps.clock.now(), wall: this.#deps.wallNow() };
  }
}

/** The key of one session, which the media process is given. */
export const sessionKeyOf = (key: Uint8Array, machine: string, session: string): Buffer =>
  derivedKey(key, Buffer.from(session), `session of ${machine}`);

function grown(facts: SessionFacts, index: IndexFile, more: number, at: number): SessionFacts {
  return { ...facts, ...index.head(), bytes: facts.bytes + more, lastAt: at };
}

type AdoptDeps = Pick<RecordedSessionDeps, "files"> & {
  readonly folder: string;
  readonly key: Uint8Array;
  readonly sealed: (segment: Segment) => Promise<void>;
};

/** Seals the segments that a crash has left, up to what is whole of them. Returns the number of the next one. */
async function adoptSegments({ files, folder, key, sealed }: AdoptDeps, { segments }: IndexFile): Promise<number> {
  const left = (await files.list(folder)).flatMap((name) => {
    const n = segmentNumber(name);
    return n === undefined || segments.has(n) ? [] : [{ n, name }];
  });
  for (const { n, name } of left.toSorted((a, b) => a.n - b.n)) {
    const read = readSegment(key, n, (await files.read(`${folder}/${name}`)) ?? Buffer.alloc(0));
    if (read === undefined) await files.remove(`${folder}/${name}`);
    else {
      if (name === partName(n)) await files.rename(`${folder}/${name}`, `${folder}/${segmentName(n)}`);
      await sealed(read.segment);
    }
  }
  return Math.max(0, ...segments) + 1;
}

export const sentenceOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 300);

import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import { INDEX_NAME, readIndex } from "./index-file.ts";
import { segmentName, segmentNumber, sessionFolder } from "./segment.ts";
import type { SessionFacts } from "./session-file.ts";
import { readSessionFacts, writeSessionFacts } from "./session-file.ts";

const DAY_MS = 86_400_000;
/** Segments of a session under way that are never removed for room. */
const NEWEST_KEPT = 3;

export interface ShelfDeps {
  readonly files: Files;
  readonly folder: string;
  readonly clock: Pick<Clock, "now">;
  /** What is kept at most, ms and bytes. */
  readonly keptMs: number;
  readonly bytesMax: number;
  readonly problem: (sentence: string) => void;
}

type Kept = { facts: SessionFacts; readonly folder: string };

/** Every session that this agent has recorded and keeps. It removes the oldest first, and never what a case holds. */
export interface Shelf {
  /** Reads what earlier runs have left; call it once, before anything else. */
  open(): Promise<void>;
  folderOf(machine: string, session: string): string;
  find(machine: string, session: string): SessionFacts | undefined;
  /** Sessions whose newest sealed line the platform has not written down. */
  unanchored(): SessionFacts[];
  /** Changes what is known of a session; makes it known. Rejects when it cannot be written. */
  change(machine: string, session: string, change: (facts: SessionFacts) => SessionFacts): Promise<void>;
  /** The same, without writing it yet: the next change writes it, and a start of the agent reads it from the index. */
  note(machine: string, session: string, change: (facts: SessionFacts) => SessionFacts): void;
  /** Removes what is too old or too much. False: what is left is held by cases, and more than the disk may have. */
  sweep(isRunning: (facts: SessionFacts) => boolean): Promise<boolean>;
}

export function createShelf(deps: ShelfDeps): Shelf {
  const { files, clock } = deps;
  const kept = new Map<string, Kept>();
  const folderOf = (machine: string, session: string) =>
    `${deps.folder}/${machine.replaceAll(":", "+")}/${sessionFolder(session)}`;
  let last: Promise<unknown> = Promise.resolve();

  /** One write at a time: each writes the whole file of its session. */
  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = last.then(run);
    last = done.catch(() => undefined);
    return done;
  }

  function note(machine: string, session: string, change: (facts: SessionFacts) => SessionFacts): Kept {
    const folder = folderOf(machine, session);
    const now = clock.now();
    const fresh: SessionFacts = {
      ...{ v: 1, machine, session, beganAt: now, lastAt: now, bytes: 0, links: 0, head: "0".repeat(64) },
      ...{ anchored: 0, whole: false, locks: [] },
    };
    const one = kept.get(folder) ?? { facts: fresh, folder };
    one.facts = change(one.facts);
    kept.set(folder, one);
    return one;
  }

  return {
    folderOf,
    open: () => openShelf(deps, kept),
    find: (machine, session) => kept.get(folderOf(machine, session))?.facts,
    unanchored: () => [...kept.values()].map(({ facts }) => facts).filter(({ links, anchored }) => links > anchored),
    note: (machine, session, change) => void note(machine, session, change),
    change: (machine, session, change) => {
      const one = note(machine, session, change);
      return inTurn(() => writeSessionFacts(files, one.folder, one.facts));
    },
    sweep: (isRunning) => inTurn(() => sweepShelf(deps, kept, isRunning)),
  };
}

type AllKept = Map<string, Kept>;

async function openShelf({ files, folder, problem }: ShelfDeps, kept: AllKept): Promise<void> {
  await files.makeFolder(folder, 0o700);
  for (const machine of await files.list(folder)) {
    for (const name of await files.list(`${folder}/${machine}`)) {
      const own = `${folder}/${machine}/${name}`;
      try {
        const facts = await readSessionFacts(files, own);
        const counted = facts?.whole === true ? facts : await countSession(files, own, facts);
        if (counted !== undefined) kept.set(own, { facts: counted, folder: own });
      } catch (error) {
        problem(`A record cannot be read (${own}): ${String(error)}`);
      }
    }
  }
}

async function sweepShelf(
  { files, clock, keptMs, bytesMax }: ShelfDeps,
  kept: AllKept,
  isRunning: (facts: SessionFacts) => boolean,
): Promise<boolean> {
  const tooMuch = (): number => [...kept.values()].reduce((sum, { facts }) => sum + facts.bytes, -bytesMax);
  const free = [...kept.values()]
    .filter(({ facts }) => facts.locks.length === 0)
    .toSorted((a, b) => a.facts.lastAt - b.facts.lastAt);
  for (const one of free) {
    if (isRunning(one.facts)) {
      if (tooMuch() > 0) await thin(files, one, tooMuch());
    } else if (tooMuch() > 0 || one.facts.lastAt < clock.now() - keptMs) {
      await files.remove(one.folder);
      kept.delete(one.folder);
    }
  }
  return tooMuch() <= 0;
}

/** Removes the oldest segments of a session that is still being recorded. */
async function thin(files: Files, one: Kept, tooMuch: number): Promise<void> {
  const { blocks } = readIndex((await files.read(`${one.folder}/${INDEX_NAME}`)) ?? Buffer.alloc(0));
  const segments = blocks.flatMap(({ sealed }) => sealed?.segment ?? []);
  const there = new Set(await files.list(one.folder));
  let freed = 0;
  for (const { n, bytes } of segments.filter(({ n }) => there.has(segmentName(n))).slice(0, -NEWEST_KEPT)) {
    if (freed >= tooMuch) break;
    await files.remove(`${one.folder}/${segmentName(n)}`);
    freed += bytes;
  }
  one.facts = { ...one.facts, bytes: Math.max(0, one.facts.bytes - freed) };
}

export const daysMs = (days: number): number => days * DAY_MS;

/** What the files of a session say, and what is only known of it: a crash leaves facts that are older than the index. */
async function countSession(
  files: Files,
  folder: string,
  known: SessionFacts | undefined,
): Promise<SessionFacts | undefined> {
  const index = readIndex((await files.read(`${folder}/${INDEX_NAME}`)) ?? Buffer.alloc(0));
  const lines = index.blocks.flatMap(({ lines }) => lines);
  const begin = lines.find((line) => line.t === "begin");
  if (begin === undefined) return known;
  const there = new Set((await files.list(folder)).flatMap((name) => segmentNumber(name) ?? []));
  const segments = lines.flatMap((line) => (line.t === "sealed" && line.segment !== null ? [line.segment] : []));
  return {
    ...{ v: 1, machine: begin.machine, session: begin.session, beganAt: begin.at },
    lastAt: lines.at(-1)?.at ?? begin.at,
    bytes: segments.reduce((sum, { n, bytes }) => sum + (there.has(n) ? bytes : 0), 0),
    ...index.head,
    anchored: known?.anchored ?? 0,
    whole: false,
    locks: known?.locks ?? [],
  };
}

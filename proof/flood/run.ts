import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { openTestHouse } from "../../e2e/house/test-house.ts";
import { ELIF, signIn } from "../../e2e/player/player.ts";
import type { Counts, Kind } from "./attacker.ts";
import { Flood } from "./attacker.ts";
import type { Seen } from "./honest-player.ts";
import { playHonestly } from "./honest-player.ts";

/** Of Linux on every processor that Node 24 comes for. */
const PAGE_BYTES = 4_096;
/** Connections that are opened at once: a kernel's queue of new ones is short. */
const AT_ONCE = 100;
const LOOK_MS = 250;
/** After this the platform must have ended each of a kind by itself, ms; the others may stay as long as they like. */
const ENDS_WITHIN_MS: Readonly<Partial<Record<Kind, number>>> = {
  silent: 60_000,
  head: 60_000,
  socket: 60_000,
  body: 90_000,
  deaf: 180_000,
};

export type Asked = {
  readonly connections: number;
  readonly kinds: readonly Kind[];
  readonly say: (line: string) => void;
  /** What is to be ended when the run is interrupted. */
  readonly begins?: (end: () => Promise<void>) => void;
};

export type FloodRun = {
  readonly seen: Seen;
  readonly counts: Counts;
  /** The most that were open at one time. */
  readonly most: number;
  /** Resident memory of the platform, bytes: before, at the most, and after. */
  readonly memory: readonly [before: number, most: number, after: number];
  readonly faults: readonly string[];
};

/** Opens connections and leaves them, while a player plays. Ends when the platform has ended all that it must, or its time is up. */
export async function runFlood({ connections, kinds, say, begins }: Asked): Promise<FloodRun> {
  const house = await openTestHouse({ platformEnv: { HANDSHAKES_PER_MINUTE_ADDRESS: "1000000" } });
  const flood = new Flood(Number(new URL(house.href).port));
  const end = async (): Promise<void> => {
    await flood.end();
    await house.close();
  };
  begins?.(end);
  try {
    const [machine] = await waitForMachines(house.href);
    const memoryNow = (): number => residentBytes(house.platform.pid());
    const before = memoryNow();
    let over = false;
    const honest = playHonestly(house.href, machine ?? "", () => over);
    let most = 0;
    let memory = before;
    const note = (): void => {
      most = Math.max(most, flood.look());
      memory = Math.max(memory, memoryNow());
    };
    for (let done = 0; done < connections; done += AT_ONCE) {
      const more = Array.from(
        { length: Math.min(AT_ONCE, connections - done) },
        (_, index) => kinds[(done + index) % kinds.length] as Kind,
      );
      await Promise.all(more.map((kind) => flood.add(kind)));
      note();
    }
    await flood.begin();
    say(`${flood.look()} of ${connections} connections are open`);
    const late = await waitUntilEnded(flood, kinds, note);
    over = true;
    const seen = await honest;
    const counts = flood.counts();
    await flood.end();
    const missing = seen.failures.map((failure) => `the honest player: ${failure}`);
    const books = await house.ledger.verify();
    return {
      seen,
      counts,
      most,
      memory: [before, memory, memoryNow()],
      faults: [...late, ...missing, ...books.map((breach) => JSON.stringify(breach))],
    };
  } finally {
    await end();
  }
}

async function waitForMachines(href: string): Promise<string[]> {
  const player = await signIn(href, ELIF);
  for (;;) {
    const free = (await player.machines()).filter(({ status }) => status === 1).map(({ id }) => id);
    if (free.length > 0) return free;
    await pause(LOOK_MS);
  }
}

/** Answers a sentence for each kind that the platform did not end in its time. */
async function waitUntilEnded(flood: Flood, kinds: readonly Kind[], note: () => void): Promise<string[]> {
  const from = performance.now();
  for (;;) {
    note();
    const counts = flood.counts();
    const waiting = kinds.filter((kind) => ENDS_WITHIN_MS[kind] !== undefined && counts[kind].open > 0);
    const late = waiting.filter((kind) => performance.now() - from > (ENDS_WITHIN_MS[kind] ?? 0));
    if (waiting.length === 0 || late.length > 0)
      return late.map((kind) => `${counts[kind].open} connections of the kind "${kind}" are still open`);
    await pause(LOOK_MS);
  }
}

function residentBytes(pid: number): number {
  const pages = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1] ?? "0";
  return Number(pages) * PAGE_BYTES;
}

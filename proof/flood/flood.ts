import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Player } from "../../rig/player.ts";
import { allOf, ELIF, signIn } from "../../rig/player.ts";
import type { TestVenue } from "../../rig/venue/test-venue.ts";
import { openTestVenue } from "../../rig/venue/test-venue.ts";
import type { Part } from "../part.ts";
import { computer, endOnInterrupt } from "../part.ts";
import type { Counts, Kind } from "./attacker.ts";
import { Flood, KINDS } from "./attacker.ts";

const CONNECTIONS = 10_000;

/** Ten thousand connections are opened and left, and a player plays on. */
export const flood: Part = {
  proves:
    "10,000 connections opened and left, slow-loris among them: the platform serves a player meanwhile and ends them",
  options: [
    "--connections N   how many (10000); each needs a file of this process and one of the platform",
    `--kinds a,b       which of ${KINDS.join(", ")} (all)`,
  ],
  async run(words, say) {
    const { values } = parseArgs({
      args: [...words],
      options: { connections: { type: "string" }, kinds: { type: "string" } },
    });
    const connections = Number(values.connections ?? CONNECTIONS);
    if (!Number.isInteger(connections) || connections < 1)
      throw new Error("--connections must be a whole number above 0");
    const named = values.kinds?.split(",") ?? KINDS;
    const kinds = KINDS.filter((kind) => named.includes(kind));
    if (kinds.length !== named.length) throw new Error(`--kinds must be some of ${KINDS.join(", ")}`);
    say(computer());
    const run = await runFlood({ connections, kinds, say, begins: (end) => endOnInterrupt(end, say) });
    for (const line of report(run)) say(line);
    const held = run.faults.length === 0;
    say(held ? "HELD: the player played on, and what was left was ended." : `BROKEN: ${run.faults.length} faults.`);
    return held;
  },
};

function report({ seen, counts, most, memory, descriptors, endedInMs, faults }: FloodRun): string[] {
  const at = (share: number): string =>
    `${(seen.tookMs[Math.floor((seen.tookMs.length - 1) * share)] ?? 0).toFixed(0)} ms`;
  const mebibytes = memory.map((bytes) => `${(bytes / 1_048_576).toFixed(0)} MiB`);
  return [
    "",
    `connections  ${most} open at once`,
    ...KINDS.filter((kind) => counts[kind].opened > 0).map(
      (kind) =>
        `  ${kind.padEnd(10)} ${counts[kind].opened} opened, ${counts[kind].open} left open; the platform ended the last after ${(counts[kind].endedAfterMs / 1_000).toFixed(1)} s`,
    ),
    `the player   ${seen.requests} calls and messages, ${seen.failures.length} failed, ${seen.reopened} sockets opened again; p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)}`,
    `memory       ${mebibytes[0]} before, ${mebibytes[1]} at the most, ${mebibytes[2]} after`,
    `descriptors  ${descriptors[0]} before, ${descriptors[1]} at the most, ${descriptors[2]} after`,
    `SIGTERM      ended in ${(endedInMs / 1_000).toFixed(1)} s beside callers that stay`,
    ...faults.slice(0, 20).map((fault) => `FAULT ${fault}`),
    "",
  ];
}

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
  refused: 60_000,
  body: 90_000,
  deaf: 180_000,
};

type FloodOptions = {
  readonly connections: number;
  readonly kinds: readonly Kind[];
  readonly say: (line: string) => void;
  /** What is to be ended when the run is interrupted. */
  readonly begins?: (end: () => Promise<void>) => void;
};

type FloodRun = {
  readonly seen: Seen;
  readonly counts: Counts;
  /** The most that were open at one time. */
  readonly most: number;
  /** Resident memory of the platform, bytes: before, at the most, and after. */
  readonly memory: readonly [before: number, most: number, after: number];
  /** Descriptors of the platform's process: before, at the most, and after. */
  readonly descriptors: readonly [before: number, most: number, after: number];
  /** How long the platform took to end after SIGTERM, beside connections that stay, ms. */
  readonly endedInMs: number;
  readonly faults: readonly string[];
};

/** What the platform may hold more than before once every connection is gone: of its database, of the player's last calls. */
const DESCRIPTORS_MORE_MAX = 30;
/** Of each kind, so many stay while the platform is stopped. */
const STAY = 5;
/** A process that has not ended by then is killed, ms. */
const END_MS_MAX = 10_000;

/** Opens connections and leaves them, while a player plays. Ends when the platform has ended all that it must, or its time is up. */
export async function runFlood({ connections, kinds, say, begins }: FloodOptions): Promise<FloodRun> {
  const venue = await openTestVenue({ platformEnv: { HANDSHAKES_PER_MINUTE_ADDRESS: "1000000" } });
  const flood = new Flood(Number(new URL(venue.href).port));
  const end = async (): Promise<void> => {
    await flood.end();
    await venue.close();
  };
  begins?.(end);
  try {
    const [machine] = await waitForMachines(venue.href);
    const memoryNow = (): number => residentBytes(venue.platform.pid());
    const descriptorsNow = (): number => readdirSync(`/proc/${venue.platform.pid()}/fd`).length;
    const before = memoryNow();
    const held = descriptorsNow();
    let heldMost = held;
    let over = false;
    const honest = playHonestly(venue.href, machine ?? "", () => over);
    let most = 0;
    let memory = before;
    const note = (): void => {
      most = Math.max(most, flood.look());
      memory = Math.max(memory, memoryNow());
      heldMost = Math.max(heldMost, descriptorsNow());
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
    const books = await venue.ledger.verify();
    const after = memoryNow();
    const heldAfter = await settled(descriptorsNow, held + DESCRIPTORS_MORE_MAX);
    const ended = await endBesideCallers(venue, kinds);
    return {
      seen,
      counts,
      most,
      memory: [before, memory, after],
      descriptors: [held, heldMost, heldAfter],
      endedInMs: ended.tookMs,
      faults: [
        ...late,
        ...missing,
        ...books.map((breach) => JSON.stringify(breach)),
        ...(heldAfter > held + DESCRIPTORS_MORE_MAX ? [`${heldAfter - held} descriptors are held for ever`] : []),
        ...ended.faults,
      ],
    };
  } finally {
    await end();
  }
}

/** The platform notices ends one after the other. */
async function settled(now: () => number, wanted: number): Promise<number> {
  for (let look = 0; look < 40 && now() > wanted; look += 1) await pause(LOOK_MS);
  return now();
}

/** SIGTERM while connections of every kind stay: the platform ends by itself, in its time and well. */
async function endBesideCallers(
  { href, platform }: Pick<TestVenue, "href" | "platform">,
  kinds: readonly Kind[],
): Promise<{ readonly tookMs: number; readonly faults: readonly string[] }> {
  const callers = new Flood(Number(new URL(href).port));
  await Promise.all(kinds.flatMap((kind) => Array.from({ length: STAY }, () => callers.add(kind))));
  await callers.begin();
  const from = performance.now();
  const { code, signal } = await platform.stop();
  const tookMs = performance.now() - from;
  await callers.end();
  const well = code === 0 && tookMs < END_MS_MAX;
  const how = signal ?? `code ${code}`;
  return { tookMs, faults: well ? [] : [`SIGTERM: the platform ended after ${Math.round(tookMs)} ms with ${how}`] };
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

const EVERY_MS = 100;
const AMOUNT = 10_000;

/** What an honest player has seen. */
type Seen = {
  readonly requests: number;
  /** One sentence for each thing that went wrong. */
  readonly failures: readonly string[];
  /** How often the game socket was lost and opened again, as a page does it. */
  readonly reopened: number;
  /** How long calls and messages took, ms, sorted. */
  readonly tookMs: readonly number[];
};

/** Signs in, plays a machine, moves money to and fro and asks for its balance, until it is stopped. */
async function playHonestly(href: string, machineId: string, isOver: () => boolean): Promise<Seen> {
  const failures: string[] = [];
  const tookMs: number[] = [];
  const timed = async (what: string, run: () => Promise<boolean>): Promise<void> => {
    const from = performance.now();
    const well = await run().catch((error: unknown) => {
      failures.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
      return true;
    });
    if (!well) failures.push(`${what} was not done`);
    tookMs.push(performance.now() - from);
  };

  let player: Player | undefined;
  await timed("the sign-in", async () => {
    player = await signIn(href);
    return true;
  });
  if (player === undefined) return { requests: 1, failures, reopened: 0, tookMs };
  const me = player;
  const before = allOf(await me.balance());
  let reopened = 0;
  let page = await me.open(machineId);
  await timed("init", async () => (await page.init()).is === "done");
  /** A page whose socket was lost comes back to its seat, and asks again with the same id. */
  const money = async (method: "cashIn" | "cashOut", id: string): Promise<boolean> => {
    const answer = await page.peer.request(method, { id, amount: AMOUNT });
    if (answer.is === "done" || !page.peer.closed) return answer.is === "done";
    reopened += 1;
    page = await me.open(machineId);
    return (await page.init()).is === "done" && (await page.peer.request(method, { id, amount: AMOUNT })).is === "done";
  };
  for (let round = 0; !isOver(); round += 1) {
    const method = round % 2 === 0 ? "cashIn" : "cashOut";
    await timed(method, () => money(method, `flood-${method}-${round}`));
    await timed("the balance", async () => allOf(await me.balance()) === before);
    await timed("the lobby", async () => (await me.machines()).length > 0);
    for (const path of ["/healthz", "/readyz"])
      await timed(path, async () => (await fetch(`${href}${path}`)).status === 200);
    await pause(EVERY_MS);
  }
  await timed("leave", async () => {
    if (page.peer.closed) {
      reopened += 1;
      page = await me.open(machineId);
      await page.init();
    }
    return (await page.peer.request("leave", {})).is === "done";
  });
  await timed("the wallet at the end", async () => (await me.balance()).balance === before);
  return { requests: tookMs.length, failures, reopened, tookMs: tookMs.sort((one, other) => one - other) };
}

import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { AgentProcess } from "./agent-process.ts";
import { doWorst } from "./attacker.ts";
import type { Note } from "./notes.ts";
import { openNotes } from "./notes.ts";
import type { FromSeated, ToSeated } from "./seated.ts";

/** Periods without and with the attack take turns, so that what else this computer does falls on both. */
const PERIOD_MS = 10_000;
/** Of each period, before it is counted: an attack begins and its traces end. */
const SETTLE_MS = 2_000;
const FRAMES_LOST_MAX = 2;

export async function watchPlayer({
  minutes,
  seed,
  say,
}: {
  readonly minutes: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}): Promise<boolean> {
  const notes = openNotes();
  const agent = new AgentProcess(notes.env);
  const arrivals: number[] = [];
  const seated = fork(join(import.meta.dirname, "seated.ts"));
  try {
    await seat(agent, seated, arrivals);
    const counted = { without: [] as number[], with: [] as number[] };
    const turns: Turn[] = [];
    let [sent, joined] = [0, 0];
    const until = performance.now() + minutes * 60_000;
    for (let period = 0; performance.now() < until; period += 1) {
      const attacked = period % 2 === 1;
      const from = now();
      const isOver = (): boolean => now() - from > PERIOD_MS;
      if (attacked) {
        const figures = await doWorst(agent, seed + period * 100_000, isOver);
        sent += figures.sent;
        joined += figures.joined;
      } else await pause(PERIOD_MS);
      // The last frames are told a moment later.
      await pause(SETTLE_MS / 4);
      if (period > 0) turns.push({ attacked, from: from + SETTLE_MS, to: from + PERIOD_MS });
      if (period > 0)
        counted[attacked ? "with" : "without"].push(...framesBySecond(arrivals, from + SETTLE_MS, from + PERIOD_MS));
    }
    return report({ counted, sent, joined, turns, seen: notes.of(agent.pid), closed: agent.closed("player"), say });
  } finally {
    seated.kill();
    await agent.end();
    notes.remove();
  }
}

type Turn = { readonly attacked: boolean; readonly from: number; readonly to: number };

const now = (): number => performance.timeOrigin + performance.now();

/** Settles once the player's first frames have come. */
async function seat(agent: AgentProcess, seated: ChildProcess, arrivals: number[]): Promise<void> {
  const first = Promise.withResolvers<void>();
  const join = async (sdp: string): Promise<void> => {
    const answer = await agent.ask({ is: "join", id: "player", role: "player", sdp });
    if (answer.is !== "joined") throw new Error("The player could not join.");
    seated.send({ sdp: answer.sdp } satisfies ToSeated);
  };
  seated.on("message", (message) => {
    const told = message as FromSeated;
    if (told.is === "offer") join(told.sdp).catch(first.reject);
    else arrivals.push(...told.arrivedAtMs);
    if (arrivals.length > 0) first.resolve();
  });
  seated.once("exit", () => first.reject(new Error("The player's page ended.")));
  await first.promise;
}

function framesBySecond(arrivals: readonly number[], from: number, to: number): number[] {
  const seconds = Math.floor((to - from) / 1_000);
  return Array.from({ length: seconds }, (_, second) => {
    const begin = from + second * 1_000;
    return arrivals.filter((atMs) => atMs >= begin && atMs < begin + 1_000).length;
  });
}

type Counted = { readonly with: readonly number[]; readonly without: readonly number[] };

type Figures = {
  readonly counted: Counted;
  readonly sent: number;
  readonly joined: number;
  readonly turns: readonly Turn[];
  readonly seen: readonly Note[];
  readonly closed: string | undefined;
  readonly say: (line: string) => void;
};

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);
const at = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * share)] ?? 0;

function report({ counted, sent, joined, turns, seen, closed, say }: Figures): boolean {
  say(`the watcher   ${sent} packets over ${joined} connections`);
  for (const name of ["without", "with"] as const) {
    const frames = counted[name];
    const usedMs = seen
      .filter(({ atMs }) =>
        turns.some(({ attacked, from, to }) => attacked === (name === "with") && atMs > from && atMs <= to),
      )
      .map((note) => note.usedMs);
    say(
      `${name.padEnd(8)} him  ${frames.length} seconds; frames a second: mean ${meanOf(frames).toFixed(2)}, least ${at(frames, 0)}, 5 % ${at(frames, 0.05)}, median ${at(frames, 0.5)}; the agent's thread computed ${meanOf(usedMs).toFixed(0)} ms a second, ${at(usedMs, 1).toFixed(0)} at most`,
    );
  }
  const busyMs = Math.max(0, ...seen.slice(5).map((note) => note.busyMs));
  say(`the agent     computed ${busyMs.toFixed(0)} ms without a pause at most`);
  // The least of a busy computer is another program's doing; the fifth of a hundred seconds is the worst that is judged there.
  const lost = [
    ...[meanOf(counted.without) - meanOf(counted.with), at(counted.without, 0.05) - at(counted.with, 0.05)],
    ...(at(counted.without, 0) > 0 ? [at(counted.without, 0) - at(counted.with, 0)] : []),
  ];
  const worst = Math.max(0, ...lost);
  const held = closed === undefined && worst <= FRAMES_LOST_MAX;
  say(`${held ? "HELD" : "BROKEN"}: he costs the player ${worst.toFixed(1)} frames a second at the most`);
  if (closed !== undefined) say(`The player's connection ended: ${closed}`);
  return held;
}

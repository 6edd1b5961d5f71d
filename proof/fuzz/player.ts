import { setTimeout as pause } from "node:timers/promises";
import { systemTimers } from "@longarm/link/socket";
import { openReceiver } from "@longarm/load/receiver/receiver";
import { AgentProcess } from "./agent-process.ts";
import { doWorst } from "./attacker.ts";
import { openNotes } from "./notes.ts";

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
  const receiver = openReceiver(
    { timers: systemTimers, now: () => performance.now(), picture: ({ atMs }) => void arrivals.push(atMs) },
    { loopback: true },
  );
  try {
    const answer = await agent.ask({ is: "join", id: "player", role: "player", sdp: await receiver.offer() });
    if (answer.is !== "joined") throw new Error("The player could not join.");
    await receiver.accept(answer.sdp);
    const counted = { without: [] as number[], with: [] as number[] };
    let [sent, joined] = [0, 0];
    const until = performance.now() + minutes * 60_000;
    for (let period = 0; performance.now() < until; period += 1) {
      const attacked = period % 2 === 1;
      const from = performance.now();
      const isOver = (): boolean => performance.now() - from > PERIOD_MS;
      if (attacked) {
        const figures = await doWorst(agent, seed + period * 100_000, isOver);
        sent += figures.sent;
        joined += figures.joined;
      } else await pause(PERIOD_MS);
      if (period > 0)
        counted[attacked ? "with" : "without"].push(...framesBySecond(arrivals, from + SETTLE_MS, from + PERIOD_MS));
    }
    return report({ counted, sent, joined, seen: notes.of(agent.pid), closed: agent.closed("player"), say });
  } finally {
    await receiver.close();
    await agent.end();
    notes.remove();
  }
}

function framesBySecond(arrivals: readonly number[], from: number, to: number): number[] {
  const seconds = Math.floor((to - from) / 1_000);
  return Array.from({ length: seconds }, (_, second) => {
    const begin = from + second * 1_000;
    return arrivals.filter((atMs) => atMs >= begin && atMs < begin + 1_000).length;
  });
}

type Counted = { readonly with: readonly number[]; readonly without: readonly number[] };

function report({
  counted,
  sent,
  joined,
  seen,
  closed,
  say,
}: {
  readonly counted: Counted;
  readonly sent: number;
  readonly joined: number;
  readonly seen: readonly { readonly busyMs: number }[];
  readonly closed: string | undefined;
  readonly say: (line: string) => void;
}): boolean {
  const at = (frames: readonly number[], share: number): number =>
    frames.toSorted((one, other) => one - other)[Math.floor((frames.length - 1) * share)] ?? 0;
  const mean = (frames: readonly number[]): number =>
    frames.reduce((sum, one) => sum + one, 0) / Math.max(1, frames.length);
  say(`the watcher   ${sent} packets over ${joined} connections`);
  for (const [name, frames] of Object.entries(counted))
    say(
      `${name.padEnd(8)} him  ${frames.length} seconds; frames a second: mean ${mean(frames).toFixed(2)}, least ${at(frames, 0)}, 1 % ${at(frames, 0.01)}, 5 % ${at(frames, 0.05)}, median ${at(frames, 0.5)}`,
    );
  say(
    `the agent     computed ${Math.max(0, ...seen.slice(5).map(({ busyMs }) => busyMs)).toFixed(0)} ms without a pause at most`,
  );
  const lost = at(counted.without, 0) - at(counted.with, 0);
  const held =
    closed === undefined && lost <= FRAMES_LOST_MAX && mean(counted.without) - mean(counted.with) <= FRAMES_LOST_MAX;
  say(
    `${held ? "HELD" : "BROKEN"}: he costs the player ${Math.max(0, lost)} frames in the worst second${closed === undefined ? "" : `; ${closed}`}`,
  );
  return held;
}

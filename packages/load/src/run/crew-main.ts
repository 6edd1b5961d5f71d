import { randomUUID } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { systemTimers } from "@longarm/link/socket";
import type { Asked, Surroundings } from "../people/person.ts";
import { play } from "../people/player.ts";
import { count, emptyTally } from "../people/tally.ts";
import { watch } from "../people/viewer.ts";
import type { Venue } from "../venue.ts";
import type { CrewAsk, CrewTold, Effort } from "./run-load.ts";

/* One process full of people, so that no core carries them all. It is told what to do, and tells what they met with, over its IPC channel. */

const TELL_EVERY_MS = 1_000;

const finish = new AbortController();
const present: Surroundings["present"] = new Set();
const turns = new Map<number, () => void>();
let turnsAsked = 0;
let tally = emptyTally();

const tell = (message: CrewTold): void => void process.send?.(message);
const now = (): number => performance.now();

async function turn(): Promise<(waitMs: number) => void> {
  turnsAsked += 1;
  const number = turnsAsked;
  await new Promise<void>((resolve) => {
    turns.set(number, resolve);
    tell({ is: "wantsTurn", number });
  });
  return (waitMs) => tell({ is: "turnOver", number, waitMs });
}

async function begin(venue: Venue, people: readonly Asked[]): Promise<void> {
  const around: Surroundings = {
    ...{ venue, timers: systemTimers, now, tally: () => tally, present, finish: finish.signal, turn },
    newId: () => `load-${randomUUID()}`,
  };
  const told = watchEffort();
  await Promise.all(
    people.map(async (one) => {
      try {
        await (one.role === "player" ? play(around, one) : watch(around, one));
      } catch (error) {
        count(tally, `${one.role}s who could not go on`);
        tell({ is: "problem", sentence: error instanceof Error ? error.message : String(error) });
      }
    }),
  );
  told();
  tell({ is: "done" });
  process.disconnect();
}

/** Tells once a second; the answer tells for the last time. */
function watchEffort(): () => void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let before = { cpu: process.cpuUsage(), at: now() };
  const look = (): void => {
    const after = { cpu: process.cpuUsage(), at: now() };
    const usedMs = (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / 1_000;
    const effort: Effort = {
      processorShare: usedMs / Math.max(1, after.at - before.at),
      // It measures its own timer, which comes each 10 ms when nothing is late.
      lateMs: Math.max(0, delay.percentile(99) / 1e6 - 10),
    };
    before = after;
    delay.reset();
    for (const one of present) one.tell();
    const told = tally;
    tally = emptyTally();
    tell({ is: "tally", tally: told, effort, present: whoIsWhere() });
  };
  const timer = setInterval(look, TELL_EVERY_MS);
  return () => {
    clearInterval(timer);
    look();
  };
}

function whoIsWhere() {
  const here = [...present].filter((one) => one.visit.seated);
  const seated = here.filter((one) => one.role === "player").length;
  return { seated, watching: here.length - seated, seeing: here.filter((one) => one.sees).length };
}

process.on("message", (ask: CrewAsk) => {
  if (ask.is === "begin") void begin(ask.venue, ask.people);
  else if (ask.is === "finish") finish.abort();
  else {
    turns.get(ask.number)?.();
    turns.delete(ask.number);
  }
});
// Whoever started us is gone.
process.on("disconnect", () => process.exit(0));
// Ctrl-C goes to all processes of a terminal, and a service manager's wish to all of a service: it is for whoever started us to say
// what becomes of the people.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});

import { randomUUID } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { systemTimers } from "@longarm/link/socket";
import type { Assignment, Surroundings } from "../people/person.ts";
import { play } from "../people/player.ts";
import { count, emptyTally } from "../people/tally.ts";
import { watch } from "../people/viewer.ts";
import type { Venue } from "../venue.ts";
import type { CrewReport, CrewRequest, Effort } from "./run-load.ts";

/* One process full of simulated players, so that no core carries them all. It takes requests and reports what they experienced over its IPC channel. */

const REPORT_EVERY_MS = 1_000;

const finish = new AbortController();
const present: Surroundings["present"] = new Set();
const waiting = new Map<number, () => void>();
let requested = 0;
let tally = emptyTally();

const report = (message: CrewReport): void => void process.send?.(message);
const now = (): number => performance.now();

async function maySignIn(): Promise<(waitMs: number) => void> {
  requested += 1;
  const number = requested;
  await new Promise<void>((resolve) => {
    waiting.set(number, resolve);
    report({ is: "wantsToSignIn", number });
  });
  return (waitMs) => report({ is: "signedIn", number, waitMs });
}

async function begin(venue: Venue, people: readonly Assignment[]): Promise<void> {
  const around: Surroundings = {
    ...{ venue, timers: systemTimers, now, tally: () => tally, present, finish: finish.signal, maySignIn },
    newId: () => `load-${randomUUID()}`,
  };
  const stopReports = watchEffort();
  await Promise.all(
    people.map(async (one) => {
      try {
        await (one.role === "player" ? play(around, one) : watch(around, one));
      } catch (error) {
        count(tally, `${one.role}s who could not go on`);
        report({ is: "problem", sentence: error instanceof Error ? error.message : String(error) });
      }
    }),
  );
  stopReports();
  report({ is: "done" });
  process.disconnect();
}

/** Reports once a second; the function it returns reports for the last time. */
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
    for (const one of present) one.report();
    const counted = tally;
    tally = emptyTally();
    report({ is: "tally", tally: counted, effort, present: whoIsWhere() });
  };
  const timer = setInterval(look, REPORT_EVERY_MS);
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

process.on("message", (ask: CrewRequest) => {
  if (ask.is === "begin") void begin(ask.venue, ask.people);
  else if (ask.is === "finish") finish.abort();
  else {
    waiting.get(ask.number)?.();
    waiting.delete(ask.number);
  }
});
// The parent process is gone.
process.on("disconnect", () => process.exit(0));
// Ctrl-C goes to all processes of a terminal, and a service manager's wish to all of a service: the parent process decides
// what becomes of the people.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});

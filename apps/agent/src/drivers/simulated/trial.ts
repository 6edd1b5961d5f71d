import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, Stop } from "../../ports/clock.ts";
import type { EgmUnderTest } from "../../ports/egm.conformance.ts";
import type { Machine, MachineOptions } from "./machine.ts";
import { powerUp } from "./machine.ts";

/** A clock that tests move. */
export type TrialClock = Clock & { advance(ms: number): void };

/** Starts at a fixed time; timers run in order when `advance` passes them. */
export function trialClock(start = 1_700_000_000_000): TrialClock {
  let time = start;
  let timers: { at: number; run: () => void }[] = [];
  const after = (delayMs: number, run: () => void): Stop => {
    const timer = { at: time + delayMs, run };
    timers.push(timer);
    return () => {
      timers = timers.filter((one) => one !== timer);
    };
  };
  return {
    now: () => time,
    after,
    every(periodMs, run) {
      let stop: Stop = () => undefined;
      const turn = (): void => {
        stop = after(periodMs, turn);
        run();
      };
      stop = after(periodMs, turn);
      return () => stop();
    },
    advance(ms) {
      const end = time + ms;
      for (;;) {
        const next = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers = timers.filter((timer) => timer !== next);
        time = Math.max(time, next.at);
        next.run();
      }
      time = end;
    },
  };
}

export type Trial = Omit<EgmUnderTest, "egm" | "powerCycle"> & {
  egm: Machine["egm"];
  powerCycle(): Promise<Machine["egm"]>;
  machine(): Machine;
  clock: TrialClock;
  folder: string;
};

/** A machine in a fresh folder under a clock of its own. */
export async function trial(options: Partial<MachineOptions> = {}): Promise<Trial> {
  const folder = await mkdtemp(join(tmpdir(), "longarm-machine-"));
  const clock = trialClock();
  const full: MachineOptions = {
    id: "m1",
    name: "Nar 01",
    brand: "nar",
    seed: "trial",
    minCycleMs: 100,
    ...options,
    folder,
    clock,
  };
  let machine = await powerUp(full);
  const until = async (condition: () => Promise<boolean>): Promise<void> => {
    for (let turns = 0; turns < 5_000; turns += 1) {
      if (await condition()) return;
      clock.advance(10);
    }
    throw new Error("the condition did not hold within 50 s of the machine's time");
  };
  return {
    egm: machine.egm,
    machine: () => machine,
    clock,
    folder,
    until,
    async powerCycle() {
      // Nothing is written by closing: what is durable is durable before.
      await machine.egm.close();
      machine = await powerUp(full);
      return machine.egm;
    },
    openDoor: () => machine.faults.begin("door"),
    closeDoor: () => machine.faults.end("door"),
    tilt: () => machine.faults.begin("tilt", "reel 3"),
    clearTilt: () => machine.faults.end("tilt"),
    async end() {
      await machine.egm.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

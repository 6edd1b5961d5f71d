import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config/config.ts";
import type { MachineConfig } from "./config/machines.ts";
import { createSimulatedMachine, prepareBrand, pretending } from "./drivers/simulated/index.ts";
import type { Clock } from "./ports/clock.ts";
import { openInput } from "./sources/open-input.ts";
import { picturesOf, viewOf } from "./sources/pictures-of.ts";
import type { MachinePlan } from "./supervisor/driver.ts";
import { wallNow } from "./system-clock.ts";

export interface PlanDeps {
  readonly clock: Clock;
  /** Makes the games of machines that have no seed of their own. */
  readonly seed: string;
  /** A sentence for the log; the machine goes on. */
  problem(machineId: string, sentence: string): void;
}

/** Turns the machines of the configuration into plans; the one place that knows the drivers. */
export function machinePlans(config: Config, deps: PlanDeps): MachinePlan[] {
  return config.machines.map((machine) => simulatedPlan(config, machine, deps));
}

function simulatedPlan(config: Config, machine: MachineConfig, deps: PlanDeps): MachinePlan {
  const { clock } = deps;
  const { driver: _driver, ...own } = machine;
  const { timeCode, minCycleMs } = config.simulated;
  const folder = join(config.dataFolder, "machines", machine.id);
  const seed = own.seed ?? `${deps.seed}/${machine.id}`;
  const options = withoutUndefined({ timeCode, minCycleMs, ...own, seed, folder, clock });
  const problem = (sentence: string): void => deps.problem(machine.id, sentence);
  const capture = { clock, wallNow, openInput, problem };
  return {
    id: machine.id,
    view: { ...viewOf(machine), simulated: true },
    ...pretending(async () => {
      // Before the machine is told of: later it would hold up somebody's presses.
      await prepareBrand(machine.brand);
      const made = await createSimulatedMachine(options as Parameters<typeof createSimulatedMachine>[0]);
      return { ...made, ...picturesOf(machine, made, capture) };
    }),
  };
}

function withoutUndefined(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** The secret that makes the games when no FLOOR_SEED is given: made once, kept in the data folder, readable by the agent alone. */
export async function keptSeed(folder: string, fresh: () => string): Promise<string> {
  const path = join(folder, "seed");
  try {
    await writeFile(path, fresh(), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const seed = await readFile(path, "utf8");
  if (seed.length < 32) throw new Error(`The seed in ${path} is not whole. Remove the file; a new one is made.`);
  return seed;
}

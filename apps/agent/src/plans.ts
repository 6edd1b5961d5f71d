import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config/config.ts";
import type { MachineConfig } from "./config/machines.ts";
import { createSimulatedMachine, pretending } from "./drivers/simulated/index.ts";
import type { MachineView } from "./machine/wire.ts";
import type { MediaMachine } from "./media-process/messages.ts";
import type { Clock } from "./ports/clock.ts";
import type { MachinePlan } from "./supervisor/driver.ts";

export interface PlanDeps {
  readonly clock: Clock;
  /** Determines the games of machines that have no seed of their own. */
  readonly seed: string;
}

/** Makes plans of the configured machines; the one place that knows the drivers. */
export function machinePlans(config: Config, deps: PlanDeps): MachinePlan[] {
  return config.machines.map((machine) => simulatedPlan(config, machine, deps));
}

function simulatedPlan(config: Config, machine: MachineConfig, deps: PlanDeps): MachinePlan {
  const { clock } = deps;
  const { driver: _driver, returnPercent, rules, ...own } = machine;
  const { minCycleMs } = config.simulated;
  const folder = join(config.dataFolder, "machines", machine.id);
  const seed = own.seed ?? `${deps.seed}/${machine.id}`;
  const options = withoutUndefined({ minCycleMs, ...own, seed, folder, clock });
  return {
    id: machine.id,
    view: { ...viewOf(machine), simulated: true },
    states: { returnPercent, rules },
    ...pretending(() => createSimulatedMachine(options as Parameters<typeof createSimulatedMachine>[0])),
  };
}

/** What the page learns about a machine's video. */
export function viewOf({ picture, roomCamera, videoType, cutScreen }: MachineConfig): MachineView {
  const screen = picture === undefined || picture.kind === "x11" || picture.kind === "test";
  return {
    videoType: videoType ?? (screen ? "screen" : "camera"),
    ...(cutScreen === undefined ? {} : { cutScreen }),
    webcam: roomCamera?.kind !== "none",
  };
}

/** The same machines as the media process needs them: without what determines their games. */
export function mediaMachines({ machines, simulated }: Config): MediaMachine[] {
  return machines.map(({ id, brand, picture, sound, roomCamera, minCycleMs, timeCode }) => ({
    ...{ id, brand, picture, sound, roomCamera },
    minCycleMs: minCycleMs ?? simulated.minCycleMs,
    timeCode: timeCode ?? simulated.timeCode,
  }));
}

function withoutUndefined(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** The secret that determines the games without FLOOR_SEED: made once, stored in the data folder, readable by the agent alone. */
export async function keptSeed(folder: string, fresh: () => string): Promise<string> {
  const path = join(folder, "seed");
  try {
    await writeFile(path, fresh(), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const seed = await readFile(path, "utf8");
  if (seed.length < 32) throw new Error(`The seed in ${path} is incomplete. Remove the file; a new one is made.`);
  return seed;
}

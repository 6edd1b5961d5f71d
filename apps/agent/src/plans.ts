import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config/config.ts";
import { machineFolder } from "./config/config.ts";
import type { MachineConfig } from "./config/entry.ts";
import { isCamera } from "./config/source-delay.ts";
import { driverOf } from "./drivers/registry.ts";
import type { MachineView } from "./machine/wire.ts";
import type { MediaMachine } from "./media-process/messages.ts";
import type { Clock } from "./ports/clock.ts";
import type { MachinePlan } from "./supervisor/driver.ts";

export interface PlanDeps {
  readonly clock: Clock;
  /** Determines the games of machines that have no seed of their own. */
  readonly seed: string;
  /** A sentence for the log. */
  readonly problem: (machineId: string, sentence: string) => void;
}

/** Makes plans of the configured machines, each set up by its driver. */
export function machinePlans(config: Config, { clock, seed, problem }: PlanDeps): MachinePlan[] {
  const floor = { ...config.simulated, seed };
  return config.machines.map((machine) => {
    const { id, returnPercent, rules } = machine;
    const setUp = driverOf(machine).setUp(machine, {
      ...{ clock, floor, folder: machineFolder(config, machine) },
      problem: (sentence) => problem(id, sentence),
    });
    return { ...setUp, id, view: viewOf(machine), states: { returnPercent, rules } };
  });
}

/** What the page learns about a machine's video, and whether it is simulated. */
export function viewOf(machine: MachineConfig): MachineView {
  const { picture, roomCamera, videoType, cutScreen } = machine;
  const { paint, simulated } = driverOf(machine);
  const screen = picture === undefined || picture.kind === "x11" || picture.kind === "test";
  const painted = paint !== undefined;
  return {
    videoType: videoType ?? (screen ? "screen" : "camera"),
    ...(cutScreen === undefined ? {} : { cutScreen }),
    sourceDelayMs: isCamera(picture) ? picture.delayMs : 0,
    webcam: roomCamera === undefined ? painted : roomCamera.kind !== "none",
    ...((simulated || machine.demonstration === true) && { simulated: true }),
  };
}

/** The same machines as the media process needs them: without what determines their games. */
export function mediaMachines({ machines, simulated: { minCycleMs, timeCode } }: Config): MediaMachine[] {
  return machines.map((machine) => {
    const { id, driver, picture, sound, roomCamera } = machine;
    return {
      id,
      driver,
      picture,
      sound,
      roomCamera,
      paint: driverOf(machine).paint?.(machine, { minCycleMs, timeCode }),
    };
  });
}

/**
 * A secret that is made once and stored in the data folder, readable by the agent alone: `seed` determines the games without FLOOR_SEED, `record-key` encrypts
 * records without RECORD_KEY.
 */
export async function keptSecret(folder: string, name: "seed" | "record-key", fresh: () => string): Promise<string> {
  const path = join(folder, name);
  try {
    await writeFile(path, fresh(), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const secret = await readFile(path, "utf8");
  if (secret.length < 32) throw new Error(`The secret in ${path} is incomplete. Remove the file; a new one is made.`);
  return secret;
}

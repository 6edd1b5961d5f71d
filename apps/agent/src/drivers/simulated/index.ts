import { access, constants, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PositiveMinor } from "@longarm/contract/money";
import type { FloorMachine } from "@longarm/reels/brands";
import { LOOKS, lookOf, simulatedFloor } from "@longarm/reels/brands";
import { randomOf } from "@longarm/reels/game/random";
import * as z from "zod/mini";
import type { StepResult } from "../../doctor/commissioning/commissioning.ts";
import { failed, noted } from "../../doctor/commissioning/commissioning.ts";
import { messageOf } from "../../doctor/finding.ts";
import type { DriverKind, Painter } from "../../ports/driver.ts";
import type { Machine, MachineOptions } from "./machine.ts";
import { powerUp } from "./machine.ts";
import type { PaintedMachine } from "./painter.ts";
import { pretending } from "./pretend/pretending.ts";

/** Who paints a machine may run in another process than the machine: neither loads what only the other one needs. */
export const loadPainter = () => import("./painter.ts");

/** A complete stand-in for a real machine. `glass`: what its painter must know. */
export type SimulatedMachine = Pick<Machine, "egm" | "faults" | "state" | "wish"> & {
  glass: Pick<Machine, "view" | "onChange" | "onPress">;
  close(): Promise<void>;
};

/** Powers a machine up. Rejects with `MemoryFault` when its folder is damaged or out of reach. */
export async function createSimulatedMachine(options: MachineOptions): Promise<SimulatedMachine> {
  const { egm, faults, state, wish, ...glass } = await powerUp(options);
  return { egm, faults, state, wish, glass, close: () => egm.close() };
}

async function memoryIn(folder: string): Promise<StepResult> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.R_OK | constants.W_OK);
    return noted("It is simulated: there is no real machine.");
  } catch (error) {
    return failed("folder.unwritable", `Its memory in ${folder} cannot be kept: ${messageOf(error)}.`);
  }
}

export type FloorOptions = Omit<MachineOptions, "id" | "name" | "brand" | "folder"> & {
  folder: string;
  machines?: readonly FloorMachine[];
};

/** Powers a whole floor up: one folder and one seed for each machine below those given. */
export async function createSimulatedFloor({
  folder,
  seed,
  machines = simulatedFloor(),
  ...rest
}: FloorOptions): Promise<SimulatedMachine[]> {
  const floor: SimulatedMachine[] = [];
  for (const machine of machines) {
    const own = `${seed}/${machine.id}/${randomOf(seed, machine.id).whole(2 ** 48)}`;
    floor.push(await createSimulatedMachine({ ...rest, ...machine, folder: join(folder, machine.id), seed: own }));
  }
  return floor;
}

/** Options of a simulated machine in the operator's list. */
const Options = z.object({
  /** Art and reels. Absent: those of the brand, where it is one of the four. */
  look: z.optional(z.enum(LOOKS)),
  /** Determines its games. Absent: made of FLOOR_SEED and the id. */
  seed: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
  /** Draws the time into the video, for measurements. Absent: FLOOR_TIME_CODE. */
  timeCode: z.optional(z.boolean()),
  /** Minor units. */
  creditMax: z.optional(PositiveMinor),
  handPayFrom: z.optional(PositiveMinor),
});

const FLOOR_MAX = 1_000;

/** Machines in place of real ones: reels, games, meters, faults, picture and sound are ours. */
export const simulated: DriverKind<z.infer<typeof Options>> = {
  name: "simulated",
  simulated: true,
  options: Options,
  group: {
    key: "floor",
    value: z.int().check(z.gte(1), z.lte(FLOOR_MAX)),
    entries: (count) => simulatedFloor(Number(count)).map((machine) => ({ driver: "simulated", ...machine })),
  },
  setUp: (machine, { clock, folder, floor }) => {
    const {
      id,
      name,
      brand,
      minCycleMs = floor.minCycleMs,
      minTransfer,
      maxTransfer,
      maxStake,
      autoplay,
      own,
    } = machine;
    const limits = defined({ minTransfer, maxTransfer, maxStake, autoplay });
    const { look, seed = `${floor.seed}/${id}`, creditMax, handPayFrom } = own;
    const options = { id, name, brand, minCycleMs, seed, folder, clock, ...limits };
    return pretending(() => createSimulatedMachine({ ...options, ...defined({ look, creditMax, handPayFrom }) }));
  },
  examine: async (_machine, { folder }) => ({
    steps: [{ id: "memory", title: "Simulated machine", needs: [], run: () => memoryIn(folder) }],
    opensAfter: ["memory"],
    pressesAfter: [],
    end: async () => undefined,
  }),
  paint: ({ brand, minCycleMs, own }, floor): PaintedMachine => ({
    brand: lookOf({ brand, look: own.look }),
    minCycleMs: minCycleMs ?? floor.minCycleMs,
    timeCode: own.timeCode ?? floor.timeCode,
  }),
  loadPainter: async (): Promise<Painter> => {
    const { prepare, mirrorGlass, paintedPictures } = await loadPainter();
    return {
      // Made by `paint`, of the same sources.
      prepare: (paint) => prepare((paint as PaintedMachine).brand),
      open: (paint, view, clock) => {
        const glass = mirrorGlass(view);
        return { ...paintedPictures(paint as PaintedMachine, glass, clock), show: glass.show };
      },
    };
  },
};

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The fields that are given; defaults replace the others. */
function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

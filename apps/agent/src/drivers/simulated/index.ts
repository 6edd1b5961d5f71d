import { join } from "node:path";
import { FLOOR_BRANDS } from "@longarm/reels/brands";
import { randomOf } from "@longarm/reels/game/random";
import type { Machine, MachineOptions } from "./machine.ts";
import { powerUp } from "./machine.ts";

export { FLOOR_BRANDS } from "@longarm/reels/brands";
export { pretending } from "./pretend/pretending.ts";

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

/** Machines of a floor unless told otherwise. */
export const FLOOR_MACHINES = 12;

export type FloorMachine = { id: string; name: string; brand: string };

/** Names and ids of a floor: `nar-01` is "Nar 01"; the brands share the number evenly. */
export function simulatedFloor(count: number = FLOOR_MACHINES): FloorMachine[] {
  return Array.from({ length: count }, (_, index) => {
    const brand = FLOOR_BRANDS[Math.floor((index * FLOOR_BRANDS.length) / count)] ?? FLOOR_BRANDS[0];
    const first = Math.ceil((FLOOR_BRANDS.indexOf(brand) * count) / FLOOR_BRANDS.length);
    const number = String(index - first + 1).padStart(2, "0");
    return { id: `${brand.id}-${number}`, name: `${brand.name} ${number}`, brand: brand.id };
  });
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

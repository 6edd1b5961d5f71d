import { join } from "node:path";
import type { Source } from "../../ports/source.ts";
import { FLOOR_BRANDS } from "./brands.ts";
import { randomOf } from "./game/random.ts";
import { stripsOf } from "./game/strips.ts";
import type { Machine, MachineOptions } from "./machine.ts";
import { powerUp } from "./machine.ts";
import { paceOf } from "./reveal.ts";
import { roomCameraSource } from "./room/room-camera.ts";
import { paintedSource } from "./source.ts";

export { FLOOR_BRANDS } from "./brands.ts";
export type { Faults } from "./machine.ts";
export { pretending } from "./pretend/pretending.ts";
export { prepare as prepareBrand } from "./source.ts";

export type SimulatedMachineOptions = MachineOptions & {
  /** Paints capture time and press marker into the picture, for measurements and tests. */
  timeCode?: boolean;
};

/** A complete stand-in for a real machine with its camera. */
export type SimulatedMachine = Pick<Machine, "egm" | "faults" | "wish"> & {
  source: Source;
  roomCamera: Source;
  close(): Promise<void>;
};

/** Powers a machine up. Rejects with `MemoryFault` when its folder is damaged or out of reach. */
export async function createSimulatedMachine(options: SimulatedMachineOptions): Promise<SimulatedMachine> {
  const { brand, clock, timeCode = false } = options;
  const machine = await powerUp(options);
  const pace = paceOf(machine.egm.description.limits.minCycleMs);
  const source = paintedSource({
    brand,
    strips: stripsOf(brand),
    pace,
    timeCode,
    clock,
    view: machine.view,
    onPress: machine.onPress,
  });
  const roomCamera = roomCameraSource(brand, clock);
  const { egm, faults, wish } = machine;
  return { egm, faults, wish, source, roomCamera, close: () => egm.close() };
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

export type FloorOptions = Omit<SimulatedMachineOptions, "id" | "name" | "brand" | "folder"> & {
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

import { OwnId } from "@longarm/contract/ids";
import { PositiveMinor } from "@longarm/contract/money";
import * as z from "zod/mini";
import { FLOOR_BRANDS, simulatedFloor } from "../drivers/simulated/index.ts";

/** Machines of one agent: more would not fit the one frame of `hello`. */
export const MACHINES_MAX = 32;

const MinCycleMs = z.int().check(z.gte(10, "must be 10 to 60000 ms"), z.lte(60_000, "must be 10 to 60000 ms"));
const brandIds = FLOOR_BRANDS.map(({ id }) => id);

/** One machine of the simulator. */
const SimulatedMachine = z.strictObject({
  driver: z.literal("simulated"),
  /** Unique among all agents of the platform. */
  id: OwnId,
  /** As players read it. */
  name: z.string().check(z.minLength(1), z.maxLength(64)),
  brand: z.enum(brandIds),
  /** Absent: made of FLOOR_SEED and the id. */
  seed: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
  minCycleMs: z.optional(MinCycleMs),
  timeCode: z.optional(z.boolean()),
  /** Minor units. */
  minTransfer: z.optional(PositiveMinor),
  maxTransfer: z.optional(PositiveMinor),
  creditMax: z.optional(PositiveMinor),
  handPayFrom: z.optional(PositiveMinor),
  maxStake: z.optional(PositiveMinor),
  autoplay: z.optional(z.boolean()),
});

/** A floor of simulated machines, evenly over the brands. */
const SimulatedFloor = z.strictObject({
  driver: z.literal("simulated"),
  floor: z.int().check(z.gte(1), z.lte(MACHINES_MAX)),
});

const MachineList = z.array(z.union([SimulatedMachine, SimulatedFloor])).check(z.minLength(1));

export type MachineConfig = z.infer<typeof SimulatedMachine>;

/** Reads the list of machines. Complaints are sentences that name the place in the list. */
export function readMachines(json: string): { machines: MachineConfig[]; complaints: string[] } {
  const parsed = z.safeParse(MachineList, parseJson(json));
  if (!parsed.success) {
    const complaints = parsed.error.issues.map(({ path, message }) => `at ${path.join(".") || "the list"}: ${message}`);
    return { machines: [], complaints };
  }
  const machines = parsed.data.flatMap((entry) => ("floor" in entry ? floorOf(entry.floor) : [entry]));
  return { machines, complaints: contradictions(machines) };
}

export function floorOf(count: number): MachineConfig[] {
  return simulatedFloor(count).map((machine) => ({
    driver: "simulated" as const,
    ...machine,
    brand: brandIds.find((id) => id === machine.brand) ?? "nar",
  }));
}

function contradictions(machines: readonly MachineConfig[]): string[] {
  const complaints: string[] = [];
  const ids = machines.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) complaints.push(`names the machine "${twice}" twice`);
  if (machines.length > MACHINES_MAX) complaints.push(`names more than ${MACHINES_MAX} machines; use another agent`);
  return complaints;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

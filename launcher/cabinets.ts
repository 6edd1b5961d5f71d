import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Random } from "@longarm/platform/random";
import type { FloorMachine } from "@longarm/reels/brands";
import { brandName, simulatedFloor } from "@longarm/reels/brands";
import type { Ready } from "./child.ts";
import type { Keeper } from "./keeper.ts";
import { keepRunning } from "./keeper.ts";

const PROGRAM = fileURLToPath(new URL("../apps/cabinet/src/main.ts", import.meta.url));
/** The asset number of the first cabinet; the others follow it. */
const FIRST_ASSET = 1_001;
const SEED_BYTES = 16;

export type CabinetsOptions = {
  /** Machines of the floor. */
  readonly machines: number;
  /** So many of them run as cabinets. */
  readonly cabinets: number;
  /** Repeats the same games; absent: the games are not predictable. */
  readonly seed: string | undefined;
  readonly random: Random;
  readonly timeCode: boolean;
  /** From one game's start to the next one's, ms; absent: the machine's own. */
  readonly minCycleMs: number | undefined;
  readonly dataFolder: string;
  /** Logs on standard error instead of in the data folder. */
  readonly verbose: boolean;
  /** Starts a cabinet again when it ends unasked. */
  readonly revive: boolean;
  readonly say: (line: string) => void;
};

/** A machine of the floor that runs as a cabinet: a program of its own that speaks SAS. */
export type VenueCabinet = {
  readonly machineId: string;
  readonly keeper: Keeper;
  /** Its control: GET reports the machine, POST orders one thing (docs/hardware.md). */
  readonly controlHref: string;
};

export type Cabinets = {
  readonly cabinets: readonly VenueCabinet[];
  /** The list of all machines of the floor for the agent; undefined: no machine is a cabinet, and the agent makes its own. */
  readonly machinesList: string | undefined;
  stop(): Promise<unknown>;
};

/** Starts the cabinets of the floor. What was started is stopped again when one of them does not start. */
export async function startCabinets(options: CabinetsOptions): Promise<Cabinets> {
  const floor = simulatedFloor(options.machines);
  const chosen = firstOfEachBrand(floor).slice(0, options.cabinets);
  const keepers = new Map(chosen.map((machine, index) => [machine, startCabinet(machine, index, options)]));
  const stop = (): Promise<unknown> => Promise.all([...keepers.values()].map((keeper) => keeper.stop()));
  try {
    const cabinets: VenueCabinet[] = [];
    const entries = new Map<FloorMachine, object>();
    for (const [machine, keeper] of keepers) {
      const ports = portsOf(await keeper.ready());
      cabinets.push({ machineId: idOf(machine), keeper, controlHref: `http://127.0.0.1:${ports.control}/` });
      entries.set(machine, entryOf(machine, ports, options));
    }
    const list = floor.map((machine) => entries.get(machine) ?? { driver: "simulated", ...machine });
    return { cabinets, machinesList: cabinets.length === 0 ? undefined : JSON.stringify(list), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** One of each brand, then the second of each, so that a few cabinets differ. */
function firstOfEachBrand(floor: readonly FloorMachine[]): FloorMachine[] {
  const place = (machine: FloorMachine): number =>
    floor.filter(({ brand }) => brand === machine.brand).indexOf(machine);
  return floor.toSorted((one, other) => place(one) - place(other));
}

/** Its own id: a machine of the same floor without cabinets is another one, with other meters. */
const idOf = ({ id }: FloorMachine): string => `${id}-sas`;

type Ports = { readonly sas: number; readonly buttons: number; readonly control: number; readonly screen: number };

function startCabinet(machine: FloorMachine, index: number, options: CabinetsOptions): Keeper {
  const { seed, random, timeCode, minCycleMs, dataFolder, verbose, revive, say } = options;
  const id = idOf(machine);
  const args = [
    ...["--data", join(dataFolder, "cabinets", id), "--brand", machine.brand, "--asset", String(FIRST_ASSET + index)],
    ...["--seed", seed === undefined ? random.bytes(SEED_BYTES).toString("hex") : `${seed}/${id}`],
    ...(minCycleMs === undefined ? [] : ["--cycle", String(minCycleMs)]),
    ...(timeCode ? ["--time-code"] : []),
  ];
  const withPorts = (ports: Ports): string[] => [
    ...args,
    ...Object.entries(ports).flatMap(([name, port]) => [`--${name}`, String(port)]),
  ];
  return keepRunning({
    name: `cabinet of ${id}`,
    main: PROGRAM,
    args: withPorts({ sas: 0, buttons: 0, control: 0, screen: 0 }),
    env: {},
    // The agent knows its ports by then.
    keep: (ready) => ({ args: withPorts(portsOf(ready)) }),
    logFile: verbose ? null : join(dataFolder, "logs", `cabinet-${id}.log`),
    ...{ revive, say },
  });
}

function portsOf({ ports }: Ready): Ports {
  const { sas, buttons, control, screen } = ports ?? {};
  if (sas === undefined || buttons === undefined || control === undefined || screen === undefined)
    throw new Error("A cabinet did not report its ports.");
  return { sas, buttons, control, screen };
}

/** Outputs of the cabinet's relay board. Its own cash-out key is not wired: credits leave by transfer alone. */
const PANEL = [
  { id: "spin", label: "SPIN", kind: "wager", minGapMs: 250, output: 1 },
  { id: "betDown", label: "BET −", kind: "select", minGapMs: 250, output: 2 },
  { id: "betUp", label: "BET +", kind: "select", minGapMs: 250, output: 3 },
  { id: "maxBet", label: "MAX BET", kind: "select", minGapMs: 250, output: 4 },
  { id: "denomination", label: "DENOM", kind: "select", minGapMs: 250, output: 6 },
  { id: "attendant", label: "ATTENDANT", kind: "service", minGapMs: 500, output: 7 },
] as const;
const KEY_SWITCH_INPUT = 1;

/** The machine in the agent's list, as an operator would write it for a real one; only the mark that it is a demonstration differs. */
function entryOf(machine: FloorMachine, ports: Ports, { minCycleMs }: CabinetsOptions): object {
  const { name, brand } = machine;
  const host = "127.0.0.1";
  return {
    driver: "sas",
    ...{ id: idOf(machine), name: `${name} SAS`, brand: brandName(brand), demonstration: true },
    ...(minCycleMs !== undefined && { minCycleMs }),
    line: { kind: "tcp", host, port: ports.sas },
    panel: PANEL.map(({ output: _, ...button }) => button),
    buttons: {
      carrier: { kind: "modbus-tcp", host, port: ports.buttons },
      board: { kind: "waveshare" },
      buttons: Object.fromEntries(PANEL.map(({ id: button, output }) => [button, { output }])),
      keySwitch: { input: KEY_SWITCH_INPUT },
    },
    picture: { kind: "rtsp", url: `rtsp://${host}:${ports.screen}/screen` },
    videoType: "screen",
  };
}

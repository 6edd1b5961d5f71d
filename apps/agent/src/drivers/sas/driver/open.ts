import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withKeySwitch } from "../../../buttons/key-switch.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Driver, LineFigures } from "../../../ports/driver.ts";
import type { EgmButton, EgmDescription, EgmEventId, EgmLimits } from "../../../ports/egm.ts";
import type { PressPort } from "../../../ports/press.ts";
import { epochOf } from "../../../system-clock.ts";
import { systemFiles } from "../../../system-files.ts";
import type { CarrierConfig } from "../carriers/carriers.ts";
import type { LineCounters, LineState } from "../line/line.ts";
import { TRACE_FOLDER } from "../line/trace-file.ts";
import { WorkerLine } from "../line/worker-line.ts";
import { register, TRANSFER_ID_MAX } from "../protocol/aft.ts";
import type { SasEvent } from "../protocol/events.ts";
import type { MachineFacts } from "./facts.ts";
import { pollIfKnown, probe } from "./facts.ts";
import { DriverMemory } from "./memory.ts";
import type { ProfileName, TimingSettings, VendorProfile } from "./profiles.ts";
import { PROFILES, timingOf } from "./profiles.ts";
import { SasEgm } from "./sas-egm.ts";
import { readSnapshot } from "./snapshot.ts";

/** A machine that has not answered within this time is not opened, ms; a broken loop takes 5 s to be synchronised. */
const ANSWER_MS_MAX = 12_000;
/** Hand pays that a machine may have waiting, as the protocol demands of it. */
const HAND_PAYS_QUEUED = 5;

export type SasSetup = {
  readonly id: string;
  readonly name: string;
  readonly brand: string;
  readonly line: CarrierConfig;
  /** 1 to 127. */
  readonly address: number;
  /** Undefined: the one that the machine has. */
  readonly assetNumber: number | undefined;
  readonly profile: ProfileName;
  readonly panel: readonly EgmButton[];
  readonly limits: EgmLimits;
  readonly settleMs: number;
  readonly confirmMs: number;
  readonly trace: boolean;
  /** Times of the line that differ from the protocol's and the profile's. */
  readonly timing?: TimingSettings | undefined;
  /** The machine's own folder. */
  readonly folder: string;
  readonly clock: Clock;
  readonly problem: (sentence: string) => void;
  /** Undefined: no button is wired. Closed with the machine; whoever opened them closes them when the machine cannot be opened. */
  readonly presses: PressPort | undefined;
  /** The newest event of this machine in the agent's journal. */
  readonly lastEvent: EgmEventId | undefined;
};

/** Opens a machine behind a SAS line. Rejects with a sentence when it does not answer, or is not what the list says. */
export async function openSas(setup: SasSetup): Promise<Driver> {
  const memory = await DriverMemory.open(systemFiles, setup.folder);
  try {
    await memory.countOnFrom(setup.lastEvent?.seq ?? 0);
    return await openLine(setup, memory);
  } catch (error) {
    await memory.close();
    throw error;
  }
}

async function openLine(setup: SasSetup, memory: DriverMemory): Promise<Driver> {
  const { folder, clock } = setup;
  let egm: SasEgm | undefined;
  const waiting = upWithin(clock);
  const profile: VendorProfile = PROFILES[setup.profile];
  const line = new WorkerLine({
    carrier: setup.line,
    address: setup.address,
    timing: timingOf(setup.profile, setup.timing),
    epochMs: epochOf(clock),
    traceFolder: setup.trace ? join(folder, TRACE_FOLDER) : undefined,
    unacknowledged: memory.unacknowledged(),
    accept: async (event) => {
      const exception = await storeAtLast(memory, event, setup);
      egm?.take(exception);
    },
    acknowledged: () => {
      memory
        .acknowledged()
        .catch((error: Error) => setup.problem(`An acknowledgement cannot be stored: ${error.message}`));
    },
    changed: (state) => {
      waiting.changed(state);
      egm?.linkChanged(state);
    },
    awaitsPlayer: (awaits) => egm?.playerAwaited(awaits),
  });
  try {
    await waiting.up;
    const facts = await probe(line);
    const assetNumber = await assetOf(line, facts, setup.assetNumber);
    await recordFacts(folder, facts, setup.profile);
    const description = descriptionOf(setup, facts, profile);
    const options = { ...setup, line, facts, memory, profile, description, assetNumber };
    egm = new SasEgm(options, await readSnapshot(line, facts));
    await egm.begin();
    const opened = egm;
    const { presses } = setup;
    const close = () => opened.close();
    const driver = { egm: opened, line: () => figuresOf(line.counters()), close };
    if (presses === undefined) return driver;
    return {
      ...driver,
      egm: withKeySwitch(opened, presses),
      pressLonger: (button) => presses.pressLonger(button),
    };
  } catch (error) {
    await line.close();
    throw error;
  }
}

const figuresOf = ({ polls, late, garbled, silent }: LineCounters): LineFigures => ({
  ...{ polls, late, failed: garbled + silent },
});

const STORE_AGAIN_MS = 1_000;

/** A disk that is full may have room again; until then the machine is not polled, and keeps the exception. */
async function storeAtLast(memory: DriverMemory, event: SasEvent, { clock, problem }: SasSetup) {
  for (;;) {
    try {
      return await memory.store(event, clock.now());
    } catch (error) {
      problem(`An exception cannot be stored, so the machine is not polled: ${(error as Error).message}`);
      await new Promise<void>((passed) => clock.after(STORE_AGAIN_MS, passed));
    }
  }
}

function upWithin(clock: Clock): { up: Promise<void>; changed(state: LineState): void } {
  let why = `The machine has not answered within ${ANSWER_MS_MAX / 1_000} s.`;
  let come: () => void = () => undefined;
  const up = new Promise<void>((resolve, reject) => {
    const stop = clock.after(ANSWER_MS_MAX, () => reject(new Error(why)));
    come = () => {
      stop();
      resolve();
    };
  });
  // A line that fails before anybody waits for it has its own error.
  up.catch(() => undefined);
  return {
    up,
    changed: (state) => {
      why = state.why;
      if (state.up) come();
    },
  };
}

/** The machine's asset number, which every transfer names. One without is given the operator's. */
async function assetOf(line: WorkerLine, { aft }: MachineFacts, wanted: number | undefined): Promise<number> {
  if (aft === undefined) throw new Error("The machine has no advanced funds transfer, so no money can be moved.");
  if (wanted === undefined || aft.assetNumber === wanted) {
    if (aft.assetNumber === 0)
      throw new Error("The machine has no asset number: set one at the machine, or write assetNumber into the list.");
    return aft.assetNumber;
  }
  if (aft.assetNumber !== 0)
    throw new Error(`The machine has the asset number ${aft.assetNumber}, and the list says ${wanted}.`);
  await pollIfKnown(line, register("initialise", { assetNumber: wanted }));
  const answer = await pollIfKnown(line, register("register", { assetNumber: wanted }));
  if (answer?.assetNumber !== wanted)
    throw new Error("The machine does not take the asset number; set it at the machine.");
  return wanted;
}

/** For people and the doctor: what the machine answered, and the profile that drives it. */
async function recordFacts(folder: string, facts: MachineFacts, profile: ProfileName): Promise<void> {
  await mkdir(folder, { recursive: true });
  const text = JSON.stringify({ profile, about: PROFILES[profile].about, ...facts }, null, 2);
  await writeFile(join(folder, "machine.json"), `${text}\n`);
}

function descriptionOf(setup: SasSetup, facts: MachineFacts, profile: VendorProfile): EgmDescription {
  const { id, name, brand, panel, limits } = setup;
  return {
    ...{ id, name, brand, serial: facts.version.serial, denominationMinor: facts.denominationMinor },
    ...{ bands: [], buttons: panel, limits, card: {} },
    capabilities: {
      transfersKept: Math.max(1, facts.aft?.historyPlaces ?? 1),
      transferIdChars: TRANSFER_ID_MAX,
      keepsRefusals: false,
      partialTransfers: true,
      eventClock: false,
      nextStake: false,
      handPaysQueued: HAND_PAYS_QUEUED,
      resetsHandPays: profile.resetsHandPays,
      denominations: facts.denominations,
      disables: true,
      locks: profile.locks,
    },
  };
}

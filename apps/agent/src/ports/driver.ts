import type { SimulatedEvent } from "@longarm/contract/machine";
import type { z } from "zod/mini";
import type { WiredMachine } from "../buttons/config.ts";
import type { MachineConfig } from "../config/entry.ts";
import type { Step } from "../doctor/commissioning/commissioning.ts";
import type { Clock } from "./clock.ts";
import type { Egm, EgmEventId } from "./egm.ts";
import type { Source } from "./source.ts";

/** The screen of a painted machine, for its painter in another process. */
export interface Glass {
  /** Everything that the painter must know, as plain JSON. */
  view(): unknown;
  /** Calls back when `view` would return something else. One listener at a time. Returns the function that stops it. */
  onChange(changed: () => void): () => void;
}

/** Counts of a machine's line since it was opened. */
export interface LineFigures {
  /** Polls of the machine, repeats included. */
  readonly polls: number;
  /** Sent more than 10 ms after their plan. */
  readonly late: number;
  /** Without an answer that could be read. */
  readonly failed: number;
}

/** One machine's hardware, open. The media process opens its video. */
export interface Driver {
  readonly egm: Egm;
  /** Absent: nothing of the machine is painted. */
  readonly glass?: Glass;
  /** See `PressPort.pressLonger`. Absent: no button is wired. */
  readonly pressLonger?: ((button: string) => Promise<number | undefined>) | undefined;
  /** Absent: the machine is not on a line that is polled. */
  readonly line?: (() => LineFigures) | undefined;
  /** Releases everything; what the machine stores stays in it. */
  close(): Promise<void>;
}

/** How one machine of the list is opened. */
export interface DriverSetup {
  /**
   * Rejects with a sentence when the hardware cannot be opened; the caller tries again. `lastEvent`: the newest event of this machine in the
   * agent's journal; a driver that numbers the events itself counts on from there.
   */
  open(lastEvent?: EgmEventId): Promise<Driver>;
  /**
   * Only for simulated machines: makes something happen, and resolves to a sentence on what will be seen. Works while the driver is closed, because
   * a cut connection must be repairable. Rejects with a sentence when it cannot happen now.
   */
  simulate?(what: SimulatedEvent): Promise<string>;
}

/** What the doctor gives a driver for one machine. */
export interface ExaminationContext extends Pick<DriverContext, "clock" | "folder"> {
  readonly wallNow: () => number;
  /**
   * False: the steps only read, and whatever the machine had to report before, it still has to report behind them. True: they may also order
   * a transfer of nothing, disable and enable the machine, and press a button while it is disabled.
   */
  readonly acts: boolean;
  /** Polls that measure the errors of a line. */
  readonly polls: number;
}

/** The steps of a driver's own doctor. */
export interface Examination {
  readonly steps: readonly Step[];
  /** Ids of the steps without which the agent cannot open the machine. */
  readonly opensAfter: readonly string[];
  /** Ids of the steps without which no button can be pressed. */
  readonly pressesAfter: readonly string[];
  /** Lets go of what the steps have opened. */
  end(): Promise<void>;
}

/** What the agent gives a driver for one machine. */
export interface DriverContext {
  readonly clock: Clock;
  /** The machine's own folder, for what the driver must keep. It may not exist yet. */
  readonly folder: string;
  /** A sentence for the log. */
  readonly problem: (sentence: string) => void;
  /** The agent's settings of simulated machines (FLOOR_SEED, FLOOR_MIN_CYCLE_MS, FLOOR_TIME_CODE). */
  readonly floor: FloorSettings;
}

export interface FloorSettings {
  readonly seed: string;
  readonly minCycleMs: number;
  readonly timeCode: boolean;
}

/** Paints machines that have no picture of their own; runs in the media process. `paint`: what `DriverKind.paint` said of the machine. */
export interface Painter {
  /** Prepares what the first frame needs. */
  prepare(paint: unknown): Promise<unknown>;
  /** `view`: what the machine's glass says; `show` gives what it says later. */
  open(paint: unknown, view: unknown, clock: Clock): PaintedPictures & { show(view: unknown): void };
}

export type PaintedPictures = { readonly source: Source; readonly roomCamera: Source };

/**
 * One kind of machine. A driver is one folder below `drivers/`: its `index.ts` exports this, its `conformance.test.ts` runs the conformance suite
 * of the port, and `drivers/registry.ts` lists it; nothing else outside the folder knows it. The door is loaded by every agent and by its
 * media process: import what is heavy (a native library, a codec) in `open`.
 */
export interface DriverKind<Own = unknown> {
  /** The folder's name, and `driver` in the operator's list. */
  readonly name: string;
  /** There is no real machine; pages and lists say so. */
  readonly simulated: boolean;
  /** The options of its own in an entry of the list. Names of `MachineEntry` are taken. */
  readonly options: z.ZodMiniObject;
  /** An entry that means several machines: it has this one key instead of an id. */
  readonly group?: { readonly key: string; readonly value: z.ZodMiniType; entries(value: unknown): readonly object[] };
  /** The wired buttons of a machine; machines of several drivers may share a board. Undefined: none is wired. */
  wired?(machine: MachineConfig<Own>): Omit<WiredMachine, "id"> | undefined;
  setUp(machine: MachineConfig<Own>, context: DriverContext): DriverSetup;
  /** Prepares the doctor's steps that look at one machine before the agent opens it. Nothing is opened before the first step runs. */
  examine(machine: MachineConfig<Own>, context: ExaminationContext): Promise<Examination>;
  /** Prints what a machine and its driver said to each other, as recorded in the machine's folder. Rejects with a sentence when there is nothing. */
  printLog?(folder: string, write: (text: string) => void): Promise<void>;
  /** What the painter must know of a machine: plain JSON, without what determines its games. Absent: the driver paints nothing. */
  paint?(machine: MachineConfig<Own>, floor: Omit<FloorSettings, "seed">): unknown;
  loadPainter?(): Promise<Painter>;
}

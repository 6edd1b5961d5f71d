import type { SimulatedEvent } from "@longarm/contract/machine";
import type { MachineView, OperatorStates } from "../machine/wire.ts";
import type { Egm } from "../ports/egm.ts";

/** The screen of a painted machine, for its painter in another process. */
export interface Glass {
  /** Everything that the painter must know, as plain JSON. */
  view(): unknown;
  /** Calls back when `view` would return something else. One listener at a time. Returns the function that stops it. */
  onChange(changed: () => void): () => void;
}

/** One machine's hardware, open. The media process opens its video. */
export interface Driver {
  readonly egm: Egm;
  /** Absent: nothing of the machine is painted. */
  readonly glass?: Glass;
  /** Releases everything; what the machine stores stays in it. */
  close(): Promise<void>;
}

/** A machine of the configuration, and how to open it. */
export interface MachinePlan {
  readonly id: string;
  readonly view: MachineView;
  /** For players to read. */
  readonly states?: OperatorStates;
  /** Rejects with a sentence when the hardware cannot be opened; the caller tries again. */
  open(): Promise<Driver>;
  /**
   * Only for simulated machines: makes something happen, and resolves to a sentence on what will be seen. Works while the driver is closed, because
   * a cut connection must be repairable. Rejects with a sentence when it cannot happen now.
   */
  simulate?(what: SimulatedEvent): Promise<string>;
}

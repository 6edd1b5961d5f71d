import type { SimulatedEvent } from "@longarm/contract/machine";
import type { MachineView, OperatorStates } from "../machine/wire.ts";
import type { Egm } from "../ports/egm.ts";

/** What the glass of a painted machine shows, for its painter in another process. */
export interface Glass {
  /** Everything that the painter must know, as JSON carries it. */
  view(): unknown;
  /** Rings when `view` would answer otherwise. One listener at a time. Answers how to stop. */
  onChange(changed: () => void): () => void;
}

/** One machine's hardware, open. Its pictures are opened elsewhere: by the media process. */
export interface Driver {
  readonly egm: Egm;
  /** Absent: nothing about the machine is painted. */
  readonly glass?: Glass;
  /** Lets go of everything; what the machine keeps stays with it. */
  close(): Promise<void>;
}

/** A machine of the configuration and how it is opened. */
export interface MachinePlan {
  readonly id: string;
  readonly view: MachineView;
  /** For players to read. */
  readonly states?: OperatorStates;
  /** Rejects with a sentence when the hardware cannot be opened; it is tried again. */
  open(): Promise<Driver>;
  /**
   * Only for machines that can pretend: makes something happen, and says what will be seen. Works while the driver is closed, because a line
   * that was cut must be mended. Rejects with a sentence when it cannot happen now.
   */
  simulate?(what: SimulatedEvent): Promise<string>;
}

import type { SimulatedEvent } from "@longarm/contract/machine";
import type { MachineView } from "../machine/wire.ts";
import type { Egm } from "../ports/egm.ts";
import type { Source } from "../ports/source.ts";

/** One machine's hardware, open. */
export interface Driver {
  readonly egm: Egm;
  readonly source: Source;
  /** A camera of the room, where there is one. */
  readonly roomCamera?: Source | undefined;
  /** Lets go of everything; what the machine keeps stays with it. */
  close(): Promise<void>;
}

/** A machine of the configuration and how it is opened. */
export interface MachinePlan {
  readonly id: string;
  readonly view: MachineView;
  /** Rejects with a sentence when the hardware cannot be opened; it is tried again. */
  open(): Promise<Driver>;
  /**
   * Only for machines that can pretend: makes something happen, and says what will be seen. Works while the driver is closed, because a line
   * that was cut must be mended. Rejects with a sentence when it cannot happen now.
   */
  simulate?(what: SimulatedEvent): Promise<string>;
}

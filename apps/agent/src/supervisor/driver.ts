import type { MachineView } from "../machine/wire.ts";
import type { Egm } from "../ports/egm.ts";
import type { Source } from "../ports/source.ts";

/** One machine's hardware, open. */
export interface Driver {
  readonly egm: Egm;
  readonly source: Source;
  /** Lets go of everything; what the machine keeps stays with it. */
  close(): Promise<void>;
}

/** A machine of the configuration and how it is opened. */
export interface MachinePlan {
  readonly id: string;
  readonly view: MachineView;
  /** Rejects with a sentence when the hardware cannot be opened; it is tried again. */
  open(): Promise<Driver>;
}

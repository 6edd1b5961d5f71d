import type { MachineView, OperatorStates } from "../machine/wire.ts";
import type { DriverSetup } from "../ports/driver.ts";

/** A machine of the configuration, and how to open it. */
export interface MachinePlan extends DriverSetup {
  readonly id: string;
  readonly view: MachineView;
  /** For players to read. */
  readonly states?: OperatorStates;
}

export { type CarriedOut, type ControlParts, Enforcer } from "./enforce.ts";
export {
  type By,
  type ControlTables,
  changeMode,
  endReservation,
  groupOf,
  MACHINE_MODES,
  type MachineMode,
  MODE_CHANGES,
  type ModeChange,
  modeKept,
  type Reservation,
  readWish,
  type Wish,
  wishMode,
  wishReservation,
} from "./wishes.ts";

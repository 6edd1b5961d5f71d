export { type CarriedOut, type ControlParts, Enforcer } from "./enforce.ts";
export {
  type By,
  type ControlTables,
  endReservation,
  MACHINE_MODES,
  type MachineMode,
  type Reservation,
  readWish,
  type Wish,
  wishMode,
  wishReservation,
} from "./wishes.ts";

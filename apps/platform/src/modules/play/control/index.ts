export { type CarriedOut, type ControlParts, Enforcer } from "./enforce.ts";
export { type ControlTables, MACHINE_MODES, type MachineMode } from "./tables.ts";
export { type By, endReservation, type Reservation, readWish, type Wish, wishMode, wishReservation } from "./wishes.ts";

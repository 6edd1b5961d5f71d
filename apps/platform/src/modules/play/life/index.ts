export { isQuietAtRest } from "./at-rest.ts";
export type { Admitted, Life, LifeAnswer, LifeState, Move } from "./life.ts";
export {
  admits,
  beginService,
  enrolMachine,
  lifeOf,
  listLife,
  moveMachine,
  moveToGroup,
  retireMachine,
  returnMachine,
} from "./life.ts";
export type { RamClearRow } from "./ram-clear.ts";
export {
  awaitsRamClear,
  beginBaseline,
  cancelRamClear,
  lastReadingOf,
  listRamClears,
  orderRamClear,
} from "./ram-clear.ts";
export type { LifeTables } from "./tables.ts";

export type { RestoreRun, Settled } from "./after-restore.ts";
export { settleRestored } from "./after-restore.ts";
export { isFirstSinceRestore, uncompared } from "./machines.ts";
export type { RestoresTables } from "./tables.ts";
export { checkBooks, tellBooks } from "./told.ts";

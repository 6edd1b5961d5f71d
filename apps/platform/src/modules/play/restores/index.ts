export type { RestoreRun, Settled } from "./after-restore.ts";
export { checkBooks, readBooks, settleRestored } from "./after-restore.ts";
export type { RestoresTables } from "./machines.ts";
export { isFirstSinceRestore, noteCompared, uncompared } from "./machines.ts";

/* The only entry of `backup/`. */
export type { BackupHead } from "./backup/format.ts";
export { BackupProblem } from "./backup/format.ts";
export { loadBackup } from "./backup/load-backup.ts";
export type { ReadBackup } from "./backup/read-backup.ts";
export { readBackup } from "./backup/read-backup.ts";
export type { Query } from "./backup/transaction.ts";
export { writeBackup } from "./backup/write-backup.ts";

import type { MigrationSet } from "@longarm/database/migrations";

/** The ledger's tables and functions, all in the schema `ledger`. Apply before sets that build on them. */
export const ledgerMigrations: MigrationSet = { name: "ledger", folder: new URL("../migrations/", import.meta.url) };

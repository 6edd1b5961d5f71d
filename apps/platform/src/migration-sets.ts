import type { MigrationSet } from "@longarm/database/migrations";
import { ledgerMigrations } from "@longarm/ledger/migrations";
import { playMigrations } from "./play-migrations.ts";

/** All migrations of a platform's database, in the order in which they are applied. */
export const platformMigrations: readonly MigrationSet[] = [
  ledgerMigrations,
  { name: "platform", folder: new URL("../migrations/platform/", import.meta.url) },
  playMigrations,
  // Rows that players read, made of the ledger's postings and the play sessions.
  { name: "history", folder: new URL("../migrations/history/", import.meta.url) },
];

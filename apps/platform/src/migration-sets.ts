import type { MigrationSet } from "@longarm/database/migrations";
import { ledgerMigrations } from "@longarm/ledger/migrations";

/** All migrations of a platform's database, in the order in which they are applied. */
export const platformMigrations: readonly MigrationSet[] = [
  ledgerMigrations,
  { name: "platform", folder: new URL("../migrations/platform/", import.meta.url) },
  // Agents, machines, seats, play sessions and the money between wallet and machine.
  { name: "play", folder: new URL("../migrations/play/", import.meta.url) },
  // What several platform processes share.
  { name: "nodes", folder: new URL("../migrations/nodes/", import.meta.url) },
  // What has happened, and the rows that tell it by themselves.
  { name: "audit", folder: new URL("../migrations/audit/", import.meta.url) },
  // What machines count beside what was booked of them, and who looks after what is open.
  { name: "reconciliation", folder: new URL("../migrations/reconciliation/", import.meta.url) },
  // What a restored backup leaves to be looked at.
  { name: "restores", folder: new URL("../migrations/restores/", import.meta.url) },
  // What staff wants of machines, and the limits of players.
  { name: "control", folder: new URL("../migrations/control/", import.meta.url) },
  // Rows that players read, made of the ledger's postings and the play sessions.
  { name: "history", folder: new URL("../migrations/history/", import.meta.url) },
  // What players keep with their accounts.
  { name: "accounts", folder: new URL("../migrations/accounts/", import.meta.url) },
  // What players say to each other, and what staff tells them, in the panels of the page.
  { name: "panels", folder: new URL("../migrations/panels/", import.meta.url) },
  // Players who call an attendant, and what staff made of it.
  { name: "calls", folder: new URL("../migrations/calls/", import.meta.url) },
];

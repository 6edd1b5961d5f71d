import type { MigrationSet } from "@longarm/database/migrations";

/** Tables of agents, machines, seats, play sessions and the money between wallet and machine. */
export const playMigrations: MigrationSet = { name: "play", folder: new URL("../migrations/play/", import.meta.url) };

import type { Tool } from "./tool.ts";

/** PostgreSQL's own load tool, the measure for moves of money. Debian has it in the server's package. */
export const pgbench: Tool = {
  title: "pgbench",
  setting: "LONGARM_PGBENCH",
  programs: ["pgbench"],
  debianPackages: ["postgresql"],
  unpackedProgram: "usr/lib/postgresql/*/bin/pgbench",
  isService: true,
  args: [],
  trial: { args: ["--version"], shows: "pgbench (PostgreSQL)" },
};

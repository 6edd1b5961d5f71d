import { writeFileSync } from "node:fs";
import { commandsPage } from "./commands.ts";

/* Writes the command reference; part of `npm run generate`. */

writeFileSync(new URL("../../../docs/operating/commands.md", import.meta.url), await commandsPage());
// The proofs' modules may hold the process open.
process.exit(0);

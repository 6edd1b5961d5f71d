import { readFileSync, writeFileSync } from "node:fs";
import { COMMANDS } from "@longarm/platform/cli/commands";
import { commandTable, withTable } from "./commands.ts";

/* Renews the table of commands in the operating guide; part of `npm run generate`. */

const page = new URL("../../../docs/operating/staff.md", import.meta.url);
writeFileSync(page, withTable(readFileSync(page, "utf8"), commandTable(COMMANDS)));

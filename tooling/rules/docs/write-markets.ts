import { writeFileSync } from "node:fs";
import { marketsPage } from "./markets.ts";

/* Writes the rules of each market; part of `npm run generate`. */

writeFileSync(new URL("../../../docs/markets.md", import.meta.url), marketsPage());

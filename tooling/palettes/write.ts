import { writeFileSync } from "node:fs";
import { PALETTE_FILE, paletteStyle } from "./style.ts";

writeFileSync(PALETTE_FILE, paletteStyle());

import { writeFileSync } from "node:fs";
import { DAYLIGHT_FILE, daylightStyle, PALETTE_FILE, paletteStyle } from "./style.ts";

writeFileSync(PALETTE_FILE, paletteStyle());
writeFileSync(DAYLIGHT_FILE, daylightStyle());

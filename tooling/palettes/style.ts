import { REGIONS } from "@longarm/contract/template/appearance";
import type { PaletteId } from "../../apps/web/src/features/theme/palettes.ts";
import { PALETTE_IDS, PALETTES } from "../../apps/web/src/features/theme/palettes.ts";
import { tokensOf } from "./grow.ts";

/** What is no plain colour goes with the kind of a palette: see-through colours, and how quiet the sign beside an amount is. */
const KINDS = {
  dark: {
    ...{ "color-scheme": "dark", "--money-dim": "0.78", "--scrim": "rgb(6 5 4 / 0.72)" },
    ...{ "--gloss": "rgb(255 245 230 / 0.09)", "--shade": "rgb(0 0 0 / 0.55)" },
  },
  light: {
    ...{ "color-scheme": "light", "--money-dim": "1", "--scrim": "rgb(40 30 20 / 0.45)" },
    ...{ "--gloss": "rgb(255 255 255 / 0.8)", "--shade": "rgb(80 60 40 / 0.28)" },
  },
} as const;

const HEAD = `/*
 * Made by \`npm run generate\` from tooling/palettes: every palette as one block of the colour tokens of packages/ui/src/tokens.css.
 * \`<html>\` names the palette of each region (app/appearance.ts); \`data-palette\` shows one anywhere, as a preview.
 * At a machine the page is night whatever the main palette: machines glow only in a dark room.
 */
`;

function selectors(id: PaletteId): string[] {
  const bars = REGIONS.filter((region) => region !== "main");
  return [
    `:root[data-main="${id}"]:not([data-room="dark"])`,
    ...bars.map((bar) => `:root[data-${bar}="${id}"] [data-region="${bar}"]`),
    `[data-palette="${id}"]`,
  ];
}

function block(id: PaletteId, names = selectors(id)): string {
  const kind = PALETTES[id].dark ? KINDS.dark : KINDS.light;
  const colours = Object.entries(tokensOf(id)).map(([token, hex]) => [`--${token}`, hex]);
  const lines = [...Object.entries(kind), ...colours].map(([name, value]) => `  ${name}: ${value};`);
  return `${names.join(",\n")} {\n${lines.join("\n")}\n}\n`;
}

/** The style sheet of all palettes. */
export const paletteStyle = (): string => [HEAD, ...PALETTE_IDS.map((id) => block(id))].join("\n");
export const PALETTE_FILE = new URL("../../apps/web/src/features/theme/palettes.css", import.meta.url);

/** Daylight alone, for a page that knows no other palette beside night: the console. */
export const daylightStyle = (): string =>
  `/* Made by \`npm run generate\` from tooling/palettes. */\n${block("daylight", [':root[data-palette="daylight"]'])}`;
export const DAYLIGHT_FILE = new URL("../../packages/ui/src/daylight.css", import.meta.url);

import { readFileSync } from "node:fs";
import { contrast, TOKENS, tooNear } from "@longarm/contract/palette";
import { expect, test } from "vitest";
import type { PaletteId } from "../../apps/web/src/features/theme/palettes.ts";
import { PALETTE_IDS, PALETTES } from "../../apps/web/src/features/theme/palettes.ts";
import { tokensOf } from "./grow.ts";
import { DAYLIGHT_FILE, daylightStyle, PALETTE_FILE, paletteStyle } from "./style.ts";

test("R-2.10-57: there are more than twenty palettes, dark and light ones, each with one of the other kind beside it", () => {
  expect(PALETTE_IDS.length).toBeGreaterThanOrEqual(20);
  const light = PALETTE_IDS.filter((id) => !PALETTES[id].dark);
  expect(light.length).toBeGreaterThanOrEqual(PALETTE_IDS.length / 3);
  for (const id of PALETTE_IDS) expect(PALETTES[PALETTES[id].pair].dark, id).toBe(!PALETTES[id].dark);
});

test.each(PALETTE_IDS)("in %s every pair of the contrast table is far enough apart", (id) => {
  expect(tooNear(tokensOf(id))).toEqual([]);
});

// The figures of design.md 3.2: the formula is the one that they were measured by.
test.each([
  ["night", "ink", "room", 16.9],
  ["velvet", "ink-3", "raised-2", 5.7],
  ["pine", "led-off", "raised", 4.7],
  ["harbour", "line-strong", "raised", 4.0],
  ["daylight", "money", "surface", 6.5],
  ["daylight", "focus", "room", 14.8],
] as const)("contrast is measured as in the design: %s, %s on %s is %d", (id, over, under, ratio) => {
  const tokens = tokensOf(id);
  expect(contrast(tokens[over], tokens[under])).toBeCloseTo(ratio, 1);
});

test("no two palettes look alike: their walls differ", () => {
  const walls = PALETTE_IDS.map((id: PaletteId) => tokensOf(id).room + tokensOf(id).surface + tokensOf(id).raised);
  expect(new Set(walls).size).toBe(PALETTE_IDS.length);
});

test("the style sheet is that of the palettes, and night is what the page begins with; else run `npm run generate`", () => {
  expect(readFileSync(PALETTE_FILE, "utf8")).toBe(paletteStyle());
  expect(readFileSync(DAYLIGHT_FILE, "utf8")).toBe(daylightStyle());
  const first = readFileSync(new URL("../../packages/ui/src/tokens.css", import.meta.url), "utf8");
  const night = tokensOf("night");
  for (const token of TOKENS) expect(first).toContain(`--${token}: ${night[token]};`);
});

import type { Tokens } from "@longarm/contract/palette";
import { DAYLIGHT, NIGHT } from "@longarm/contract/palette";
import type { PaletteId } from "../../apps/web/src/features/theme/palettes.ts";

/** What a generated palette is grown from. */
export type Seed = {
  /** Hue of walls and text, degrees of OKLCH. */
  readonly hue: number;
  /** How much of the hue the surfaces show, OKLCH chroma. */
  readonly chroma: number;
  /** Lightness added to every surface of a dark palette, or taken from one of a light palette. */
  readonly lift?: number;
  /** What its keys and its money are made of. */
  readonly metal?: "brass" | "copper";
  /** Text and edges as far from the surfaces as they go. */
  readonly sharp?: true;
};

/** The palettes that are grown; the other five were chosen by eye (design.md 3.3). */
export const SEEDS: Readonly<Record<Exclude<PaletteId, keyof typeof CHOSEN>, Seed>> = {
  ember: { hue: 38, chroma: 0.03, metal: "copper" },
  plum: { hue: 328, chroma: 0.034 },
  midnight: { hue: 275, chroma: 0.042 },
  lagoon: { hue: 200, chroma: 0.03 },
  olive: { hue: 112, chroma: 0.026 },
  tobacco: { hue: 65, chroma: 0.034, lift: 0.025 },
  basalt: { hue: 70, chroma: 0 },
  storm: { hue: 240, chroma: 0.022, lift: 0.035 },
  dusk: { hue: 300, chroma: 0.036, lift: 0.055, metal: "copper" },
  slate: { hue: 220, chroma: 0.014, lift: 0.07 },
  obsidian: { hue: 0, chroma: 0, lift: -0.1, sharp: true },
  linen: { hue: 80, chroma: 0.004 },
  sand: { hue: 88, chroma: 0.034, lift: 0.015 },
  rose: { hue: 12, chroma: 0.022, metal: "copper" },
  lilac: { hue: 305, chroma: 0.022 },
  mist: { hue: 240, chroma: 0.014, lift: 0.01 },
  sage: { hue: 145, chroma: 0.022, lift: 0.01 },
  frost: { hue: 210, chroma: 0.012 },
  chalk: { hue: 0, chroma: 0, lift: -0.06, sharp: true },
};

/** Brass and lamps of night hold in the other dark ones. */
export const CHOSEN = {
  night: NIGHT,
  velvet: {
    ...NIGHT,
    ...{ room: "#140a0d", surface: "#1d0f13", raised: "#2a171c", "raised-2": "#391f27", sunken: "#0c0507" },
    ...{ line: "#42262e", "line-strong": "#937680", ink: "#f8ecea", "ink-2": "#dbc3c2", "ink-3": "#b39a9a" },
  },
  pine: {
    ...NIGHT,
    ...{ room: "#0a100d", surface: "#101814", raised: "#19241e", "raised-2": "#23322a", sunken: "#060a08" },
    ...{ line: "#293a31", "line-strong": "#71857a", ink: "#edf3ec", "ink-2": "#c3cfc5", "ink-3": "#99a89d" },
  },
  harbour: {
    ...NIGHT,
    ...{ room: "#0a0d12", surface: "#10151c", raised: "#1a212b", "raised-2": "#252e3b", sunken: "#06080c" },
    ...{ line: "#2b3542", "line-strong": "#75808f", ink: "#eef1f5", "ink-2": "#c4cbd5", "ink-3": "#9aa4b1" },
  },
  daylight: DAYLIGHT,
} as const satisfies Partial<Record<PaletteId, Tokens>>;

import type { PaletteId } from "../../apps/web/src/features/theme/palettes.ts";
import type { Tokens } from "./tokens.ts";

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

const NIGHT: Tokens = {
  ...{ room: "#100d0b", surface: "#181411", raised: "#231e1a", "raised-2": "#302923", sunken: "#0a0807" },
  ...{ line: "#372f28", "line-strong": "#85796b", ink: "#f5efe6", "ink-2": "#cfc5b7", "ink-3": "#a89d8f" },
  ...{ "brass-hi": "#fbe7b8", brass: "#e3b962", "brass-lo": "#a3742a", "brass-deep": "#573a10" },
  ...{ "on-brass": "#1d1404", money: "#ecc87d" },
  ...{ "led-available": "#58e08c", "led-playing": "#78c3ff", "led-waiting": "#ffab52" },
  ...{ "led-reserved": "#cda5ff", "led-off": "#958a7e", "led-fault": "#ff7d70" },
  ...{ danger: "#ff8f83", "danger-fill": "#b3261b", "on-danger": "#ffffff", focus: "#fff3d6" },
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
  daylight: {
    ...{ room: "#f1ebe1", surface: "#fbf7f0", raised: "#ffffff", "raised-2": "#efe6d8", sunken: "#e9e1d4" },
    ...{ line: "#ddd2c1", "line-strong": "#857763", ink: "#1e1813", "ink-2": "#4b4138", "ink-3": "#665b4f" },
    ...{ "brass-hi": "#f7dda0", brass: "#d9a84a", "brass-lo": "#93671f", "brass-deep": "#5e4010" },
    ...{ "on-brass": "#1d1404", money: "#7a5208" },
    ...{ "led-available": "#0f7a3c", "led-playing": "#0b62a8", "led-waiting": "#9a5200" },
    ...{ "led-reserved": "#6e3fb0", "led-off": "#6b6156", "led-fault": "#b3261b" },
    ...{ danger: "#a51f15", "danger-fill": "#b3261b", "on-danger": "#ffffff", focus: "#1e1813" },
  },
} as const satisfies Partial<Record<PaletteId, Tokens>>;

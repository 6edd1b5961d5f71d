/** A palette's kind, and the palette that replaces it where the other kind is wanted. */
export type PaletteFacts = { readonly dark: boolean; readonly pair: PaletteId };

/** Every palette, in the order in which they are offered. Their colours are made by tooling/palettes. */
export const PALETTE_IDS = [
  ...(["night", "velvet", "pine", "harbour", "ember", "plum", "midnight", "lagoon"] as const),
  ...(["olive", "tobacco", "basalt", "storm", "dusk", "slate", "obsidian"] as const),
  ...(["daylight", "linen", "sand", "rose", "lilac", "mist", "sage", "frost", "chalk"] as const),
] as const;
export type PaletteId = (typeof PALETTE_IDS)[number];

const dark = (pair: PaletteId): PaletteFacts => ({ dark: true, pair });
const light = (pair: PaletteId): PaletteFacts => ({ dark: false, pair });

export const PALETTES: Readonly<Record<PaletteId, PaletteFacts>> = {
  night: dark("daylight"),
  velvet: dark("rose"),
  pine: dark("sage"),
  harbour: dark("mist"),
  ember: dark("sand"),
  plum: dark("lilac"),
  midnight: dark("frost"),
  lagoon: dark("frost"),
  olive: dark("sage"),
  tobacco: dark("linen"),
  basalt: dark("linen"),
  storm: dark("mist"),
  dusk: dark("lilac"),
  slate: dark("mist"),
  obsidian: dark("chalk"),
  daylight: light("night"),
  linen: light("tobacco"),
  sand: light("ember"),
  rose: light("velvet"),
  lilac: light("plum"),
  mist: light("harbour"),
  sage: light("pine"),
  frost: light("lagoon"),
  chalk: light("obsidian"),
};

/** What a bar may follow instead of a palette of its own: the dark or the light kind of the main palette. */
export const FOLLOWING = ["mainDark", "mainLight"] as const;

/** The palette that is drawn for an id; night for an unknown one. */
export function paletteOf(id: string, main: PaletteId = "night"): PaletteId {
  if (id === "mainDark") return PALETTES[main].dark ? main : PALETTES[main].pair;
  if (id === "mainLight") return PALETTES[main].dark ? PALETTES[main].pair : main;
  return PALETTE_IDS.find((known) => known === id) ?? "night";
}

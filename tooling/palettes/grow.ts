import type { Token, Tokens } from "@longarm/contract/palette";
import { contrast, LIMITS } from "@longarm/contract/palette";
import type { PaletteId } from "../../apps/web/src/features/theme/palettes.ts";
import { PALETTES } from "../../apps/web/src/features/theme/palettes.ts";
import type { Seed } from "./seeds.ts";
import { CHOSEN, SEEDS } from "./seeds.ts";

type Colours = Readonly<Record<Token, Oklch>>;
const colour = (l: number, c: number, h: number): Oklch => ({ l, c, h });
/** Degrees by which copper is redder than brass. */
const COPPER = -24;

/** The tokens of a palette: chosen, or grown from its seed. */
export function tokensOf(id: PaletteId): Tokens {
  if (id in CHOSEN) return CHOSEN[id as keyof typeof CHOSEN];
  const seed = SEEDS[id as keyof typeof SEEDS];
  const { dark } = PALETTES[id];
  return settle(dark ? inTheDark(seed) : inTheLight(seed), dark ? 1 : -1);
}

/** The lightnesses of night, in another hue. */
function inTheDark({ hue, chroma, lift = 0, metal, sharp }: Seed): Colours {
  const wall = (l: number) => colour(Math.max(0, l + lift), chroma * (0.6 + l), hue);
  const text = (l: number) => colour(sharp ? Math.min(1, l + 0.06) : l, Math.min(chroma, 0.014), hue);
  const turn = metal === "copper" ? COPPER : 0;
  return {
    ...{ room: wall(0.165), surface: wall(0.197), raised: wall(0.242), "raised-2": wall(0.287), sunken: wall(0.135) },
    ...{ line: wall(sharp ? 0.42 : 0.313), "line-strong": colour(sharp ? 0.7 : 0.58, chroma * 0.8, hue) },
    ...{ ink: text(0.952), "ink-2": text(0.832), "ink-3": text(0.702) },
    ...{ "brass-hi": colour(0.93, 0.07, 88 + turn), brass: colour(0.805, 0.118, 83 + turn) },
    ...{ "brass-lo": colour(0.6, 0.108, 74 + turn), "brass-deep": colour(0.37, 0.07, 72 + turn) },
    ...{ "on-brass": colour(0.2, 0.03, 85 + turn), money: colour(0.85, 0.1, 85 + turn) },
    ...{ "led-available": colour(0.81, 0.17, 153), "led-playing": colour(0.79, 0.115, 245) },
    ...{ "led-waiting": colour(0.81, 0.14, 66), "led-reserved": colour(0.79, 0.13, 304) },
    ...{ "led-off": colour(0.64, 0.02, 70), "led-fault": colour(0.735, 0.16, 27), danger: colour(0.77, 0.13, 26) },
    ...{ "danger-fill": colour(0.5, 0.18, 29), "on-danger": colour(1, 0, 0), focus: colour(0.965, 0.04, 88) },
  };
}

/** The lightnesses of daylight, in another hue. */
function inTheLight({ hue, chroma, lift = 0, metal, sharp }: Seed): Colours {
  const wall = (l: number, more = 1) => colour(Math.min(1, l - lift), chroma * more, hue);
  const text = (l: number) => colour(sharp ? l * 0.6 : l, Math.min(chroma * 1.5, 0.03), hue);
  const turn = metal === "copper" ? COPPER : 0;
  return {
    ...{ room: wall(0.943), surface: wall(0.976, 0.6), raised: wall(0.995, 0.3), "raised-2": wall(0.928, 1.4) },
    ...{ sunken: wall(0.914, 1.3), line: wall(sharp ? 0.78 : 0.868, 1.6) },
    ...{ "line-strong": colour(sharp ? 0.45 : 0.575, Math.min(chroma * 2, 0.04), hue) },
    ...{ ink: text(0.215), "ink-2": text(0.382), "ink-3": text(0.478) },
    ...{ "brass-hi": colour(0.905, 0.085, 88 + turn), brass: colour(0.765, 0.122, 82 + turn) },
    ...{ "brass-lo": colour(0.545, 0.1, 74 + turn), "brass-deep": colour(0.39, 0.075, 74 + turn) },
    ...{ "on-brass": colour(0.2, 0.03, 85 + turn), money: colour(0.47, 0.095, 74 + turn) },
    ...{ "led-available": colour(0.51, 0.13, 152), "led-playing": colour(0.49, 0.135, 250) },
    ...{ "led-waiting": colour(0.525, 0.125, 56), "led-reserved": colour(0.49, 0.175, 300) },
    ...{ "led-off": colour(0.5, 0.02, 70), "led-fault": colour(0.5, 0.18, 29), danger: colour(0.465, 0.17, 29) },
    ...{ "danger-fill": colour(0.5, 0.18, 29), "on-danger": colour(1, 0, 0), focus: text(0.215) },
  };
}

/** Steps of lightness with which a colour that is too near its ground moves away. */
const STEP = 0.005;
/** A little more than the limit, for rounding to bytes. */
const MORE = 1.02;

/** Moves what lies over the surfaces away from them until every limit is kept. `away`: 1 lighter, -1 darker. */
function settle(colours: Colours, away: 1 | -1): Tokens {
  const hex = new Map<Token, string>();
  for (const [token, wanted] of Object.entries(colours) as [Token, Oklch][]) {
    const limits = LIMITS.filter(([over]) => over === token);
    const isNear = (l: number) =>
      limits.some(([, under, least]) => contrast(toHex({ ...wanted, l }), toHex(colours[under])) < least * MORE);
    let { l } = wanted;
    // Text on brass is dark everywhere.
    const way = token === "on-brass" ? -1 : away;
    while (isNear(l) && l > 0 && l < 1) l = Math.min(1, Math.max(0, l + way * STEP));
    hex.set(token, toHex({ ...wanted, l }));
  }
  return Object.fromEntries(hex) as Tokens;
}

/** A colour by lightness (0 to 1), chroma (0 to some 0.3) and hue (degrees) of OKLCH. */
type Oklch = { readonly l: number; readonly c: number; readonly h: number };
type Triple = readonly [number, number, number];

/** Linear light of red, green and blue, 0 to 1 within what a screen shows (Björn Ottosson's matrices). */
function toLinear({ l, c, h }: Oklch): Triple {
  const a = c * Math.cos((h * Math.PI) / 180);
  const b = c * Math.sin((h * Math.PI) / 180);
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
  ];
}

const encode = (light: number): number => (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);
const isShown = (light: Triple): boolean => light.every((part) => part >= -0.0001 && part <= 1.0001);

/** As `#rrggbb`. A colour that no screen shows loses chroma until one does. */
function toHex(colour: Oklch): string {
  const light = toLinear(colour);
  if (!isShown(light) && colour.c > 0.001) return toHex({ ...colour, c: colour.c - 0.001 });
  const bytes = light.map((part) => Math.round(Math.min(1, Math.max(0, encode(part))) * 255));
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

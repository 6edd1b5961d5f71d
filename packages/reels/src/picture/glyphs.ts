import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createCanvas, GlobalFonts } from "@napi-rs/canvas";
import type { Planes } from "./planes.ts";
import type { Sprite } from "./sprites.ts";
import { lay, spriteOf } from "./sprites.ts";

const FAMILY = "Longarm Archivo";
const require = createRequire(import.meta.url);

/** Registers the design's typeface once for the process. */
export function registerTypeface(): void {
  if (GlobalFonts.has(FAMILY)) return;
  const file = require.resolve("@fontsource-variable/archivo/files/archivo-latin-standard-normal.woff2");
  if (GlobalFonts.register(readFileSync(file), FAMILY) === null)
    throw new Error(`The typeface ${file} cannot be read.`);
}

/** `stretch` 62 to 125, `weight` 100 to 900, `size` and `spacing` in pixels. `glow` softens a light of that colour around. */
export type Lettering = {
  size: number;
  stretch: number;
  weight: number;
  colour: string;
  spacing?: number;
  glow?: string;
};

export type Letters = {
  sprites: Map<string, { sprite: Sprite; advance: number }>;
  baseline: number;
  pad: number;
  spacing: number;
};

const PAD = 6;

/** Draws each character once. */
export function letters(text: string, style: Lettering): Letters {
  registerTypeface();
  const height = 2 * Math.ceil((style.size * 1.3 + 2 * PAD) / 2);
  const baseline = Math.round(style.size + PAD);
  const probe = createCanvas(8, 8).getContext("2d");
  const dress = (context: typeof probe): void => {
    context.font = `${style.weight} ${style.size}px "${FAMILY}"`;
    context.fontVariationSettings = `"wdth" ${style.stretch}, "wght" ${style.weight}`;
    context.fillStyle = style.colour;
    if (style.glow !== undefined) {
      context.shadowColor = style.glow;
      context.shadowBlur = PAD;
    }
  };
  dress(probe);
  const sprites: Letters["sprites"] = new Map();
  for (const character of new Set(text)) {
    const advance = probe.measureText(character).width;
    const width = 2 * Math.ceil((advance + 2 * PAD) / 2);
    const canvas = createCanvas(width, height);
    const context = canvas.getContext("2d");
    dress(context);
    context.fillText(character, PAD, baseline);
    const sprite = spriteOf(context.getImageData(0, 0, width, height).data, width, height);
    sprites.set(character, { sprite, advance });
  }
  return { sprites, baseline, pad: PAD, spacing: style.spacing ?? 0 };
}

export function textWidth(font: Letters, text: string): number {
  let width = -font.spacing;
  for (const character of text) width += (font.sprites.get(character)?.advance ?? 0) + font.spacing;
  return width;
}

const even = (value: number): number => 2 * Math.round(value / 2);

/** Writes one character with its left edge and baseline there; at even places, so that colour and light stay together. */
export function writeCharacter(to: Planes, font: Letters, character: string, x: number, baseline: number): void {
  const glyph = font.sprites.get(character);
  if (glyph === undefined) return;
  lay(to, glyph.sprite, even(x - font.pad), even(baseline - font.baseline), { top: 0, bottom: to.height });
}

/** Writes a line around its middle. */
export function writeCentred(to: Planes, font: Letters, text: string, middle: number, baseline: number): void {
  let x = middle - textWidth(font, text) / 2;
  for (const character of text) {
    writeCharacter(to, font, character, x, baseline);
    x += (font.sprites.get(character)?.advance ?? 0) + font.spacing;
  }
}

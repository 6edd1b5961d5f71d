import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Canvas, Image } from "@napi-rs/canvas";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import * as z from "zod/mini";
import type { Role } from "../game/rules.ts";
import { ROLES } from "../game/rules.ts";
import type { Letters } from "./glyphs.ts";
import { letters } from "./glyphs.ts";
import { CELL_HEIGHT, CELL_WIDTH, SPIN_LAMP, SYMBOL, TITLE_BAND } from "./places.ts";
import type { Planes } from "./planes.ts";
import { fromRgba } from "./planes.ts";
import { PICTURE_HEIGHT, PICTURE_WIDTH } from "./reading/layout.ts";
import type { Sprite } from "./sprites.ts";
import { spriteOf } from "./sprites.ts";

/** Plates, symbols and geometry of every brand; ends with a slash. */
export const ASSETS = fileURLToPath(new URL("../../assets/", import.meta.url));

const Geometry = z.object({
  brands: z.record(
    z.string(),
    z.object({ trim: z.string(), accent: z.string(), lightReels: z.boolean(), symbols: z.array(z.string()) }),
  ),
});

/** Which of a brand's symbols plays which role. */
const CAST: Readonly<Record<string, readonly [string, string, string, string, string, string, string]>> = {
  nar: ["nar", "seven", "grapes", "fig", "lemon", "star", "bell"],
  kuzey: ["polar", "peak", "flake", "a", "k", "moon", "lantern"],
  pera: ["fan", "tulip", "a", "k", "q", "clock", "tram"],
  mercan: ["fish", "shell", "starfish", "j", "q", "pearl", "reef"],
};

/** The brands that can be simulated. */
export const BRANDS: readonly string[] = Object.keys(CAST);

/** A brand's picture, prepared once and shared by all its machines. */
export type BrandArt = {
  lit: Planes;
  /** The same without the game's title, for messages in its place. */
  bare: Planes;
  dark: Planes;
  symbols: ReadonlyMap<Role, { sharp: Sprite; blurred: Sprite }>;
  bright: Sprite;
  spinUnlit: Sprite;
  fonts: { meter: Letters; win: Letters; faint: Letters; title: Letters; jackpot: Letters; pick: Letters };
};

/** Lettering of the meters; the reader's templates are made from it (tools/digit-templates.ts). */
export const METER_LETTERING = { size: 25, stretch: 112, weight: 780 } as const;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:/-+";
const AMOUNT = "0123456789.,";

function pixels(canvas: Canvas): Uint8ClampedArray {
  return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
}

async function plate(name: string): Promise<Canvas> {
  const canvas = createCanvas(PICTURE_WIDTH, PICTURE_HEIGHT);
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(await image(`plates/${name}.webp`), 0, 0, PICTURE_WIDTH, PICTURE_HEIGHT);
  return canvas;
}

async function image(path: string): Promise<Image> {
  return loadImage(await readFile(`${ASSETS}${path}`));
}

/** Where the rays of the ground meet: the middle of the screen. */
const RAYS = { x: 640, y: 367 };

/** Takes the title out: where its letters (and their light) are, each ray of the ground runs on from above them to below them. */
function withoutTitle(from: Canvas): Canvas {
  const canvas = createCanvas(from.width, from.height);
  const context = canvas.getContext("2d");
  context.drawImage(from, 0, 0);
  const { x, y, width, height } = TITLE_BAND;
  const part = context.getImageData(x, y, width, height);
  const source = Uint8ClampedArray.from(part.data);
  const at = (row: number, column: number): number => (row * width + column) * 4;
  /** The column in which the ray through a place meets another row of the band. */
  const along = (row: number, column: number, other: number): number => {
    const reach = (y + other - RAYS.y) / (y + row - RAYS.y);
    return Math.min(Math.max(Math.round(RAYS.x + (x + column - RAYS.x) * reach) - x, 0), width - 1);
  };
  const ground = (row: number, column: number, channel: number): number => {
    const last = height - 1;
    const above = source[at(0, along(row, column, 0)) + channel] ?? 0;
    const below = source[at(last, along(row, column, last)) + channel] ?? 0;
    return above + ((below - above) * row) / last;
  };
  const isLetter = (row: number, column: number): boolean =>
    [0, 1, 2].some((channel) => (source[at(row, column) + channel] ?? 0) - ground(row, column, channel) > 34);
  const isNear = nearTo(
    Uint8Array.from({ length: width * height }, (_, n) => Number(isLetter(Math.floor(n / width), n % width))),
    width,
  );
  for (let row = 1; row < height - 1; row += 1) {
    for (let column = 0; column < width; column += 1) {
      if (isNear[row * width + column] === 0) continue;
      for (let channel = 0; channel < 3; channel += 1)
        part.data[at(row, column) + channel] = ground(row, column, channel);
    }
  }
  context.putImageData(part, x, y);
  return canvas;
}

/** How far the light of a letter reaches, px. */
const REACH = 7;

/** 1 where a marked place is near: first along the rows, then along the columns. */
function nearTo(marked: Uint8Array, width: number): Uint8Array {
  const spread = (from: Uint8Array, place: (at: number) => number, length: number, step: number): Uint8Array =>
    from.map((_, at) => {
      const first = Math.max(-REACH, -place(at));
      const last = Math.min(REACH, length - 1 - place(at));
      for (let away = first; away <= last; away += 1) if (from[at + away * step] === 1) return 1;
      return 0;
    });
  const inRows = spread(marked, (at) => at % width, width, 1);
  return spread(inRows, (at) => Math.floor(at / width), marked.length / width, width);
}

function symbolSprites(picture: Image): { sharp: Sprite; blurred: Sprite } {
  const sharp = createCanvas(SYMBOL, SYMBOL);
  const context = sharp.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, SYMBOL, SYMBOL);
  const reach = 18;
  const blurred = createCanvas(SYMBOL, SYMBOL + 2 * reach);
  const soft = blurred.getContext("2d");
  soft.globalCompositeOperation = "lighter";
  const copies = 13;
  soft.globalAlpha = 1 / copies;
  for (let n = 0; n < copies; n += 1) soft.drawImage(sharp, 0, (n * 2 * reach) / (copies - 1));
  return {
    sharp: spriteOf(pixels(sharp), SYMBOL, SYMBOL),
    blurred: spriteOf(pixels(blurred), blurred.width, blurred.height),
  };
}

/** The ground of a winning cell: bright, with a golden (or the brand's) light from its edges. */
function brightCell(light: boolean, accent: string): Sprite {
  const canvas = createCanvas(CELL_WIDTH, CELL_HEIGHT);
  const context = canvas.getContext("2d");
  const ground = context.createRadialGradient(
    CELL_WIDTH / 2,
    CELL_HEIGHT / 2,
    8,
    CELL_WIDTH / 2,
    CELL_HEIGHT / 2,
    CELL_WIDTH * 0.62,
  );
  ground.addColorStop(0, light ? "#fffdf4" : "#3a7f9a66");
  ground.addColorStop(1, light ? "#ffedc9" : `${accent}30`);
  context.fillStyle = ground;
  context.fillRect(0, 0, CELL_WIDTH, CELL_HEIGHT);
  context.strokeStyle = light ? "#ffc877" : accent;
  context.shadowColor = light ? "#ff9d2e" : accent;
  context.shadowBlur = 12;
  context.lineWidth = 7;
  context.strokeRect(1, 1, CELL_WIDTH - 2, CELL_HEIGHT - 2);
  context.strokeRect(1, 1, CELL_WIDTH - 2, CELL_HEIGHT - 2);
  return spriteOf(pixels(canvas), CELL_WIDTH, CELL_HEIGHT);
}

/** A shade over the SPIN key's glass: its lamp is off. */
function unlitKey(): Sprite {
  const { width, height } = SPIN_LAMP;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  context.translate(width / 2, height / 2);
  context.scale(1, 0.44);
  const shade = context.createRadialGradient(0, 0, 0, 0, 0, width / 2);
  shade.addColorStop(0, "rgba(8,6,6,.56)");
  shade.addColorStop(0.88, "rgba(8,6,6,.56)");
  shade.addColorStop(1, "rgba(8,6,6,0)");
  context.fillStyle = shade;
  context.fillRect(-width / 2, -width / 2, width, width);
  return spriteOf(pixels(canvas), width, height);
}

/** Loads and prepares a brand; about 200 ms, once per process and brand. */
export async function prepareArt(brand: string): Promise<BrandArt> {
  const geometry = Geometry.parse(JSON.parse(await readFile(`${ASSETS}geometry.json`, "utf8")));
  const look = geometry.brands[brand];
  const cast = CAST[brand];
  if (look === undefined || cast === undefined)
    throw new Error(`There is no art for the brand "${brand}"; known are ${BRANDS.join(", ")}.`);
  const lit = await plate(brand);
  const bare = withoutTitle(lit);
  const symbols = new Map<Role, { sharp: Sprite; blurred: Sprite }>();
  for (const [index, role] of ROLES.entries())
    symbols.set(role, symbolSprites(await image(`symbols/${brand}/${cast[index]}.webp`)));
  const planesOf = (canvas: Canvas): Planes => fromRgba(pixels(canvas), canvas.width, canvas.height);
  return {
    lit: planesOf(lit),
    bare: planesOf(bare),
    dark: planesOf(await plate(`${brand}-off`)),
    symbols,
    bright: brightCell(look.lightReels, look.accent),
    spinUnlit: unlitKey(),
    fonts: {
      meter: letters(AMOUNT, { ...METER_LETTERING, colour: "#fffdf7" }),
      win: letters(AMOUNT, { ...METER_LETTERING, colour: look.lightReels ? "#ffe08f" : look.accent }),
      faint: letters(AMOUNT, { ...METER_LETTERING, colour: "#b9aeb0" }),
      title: letters(ALPHABET, {
        size: 22,
        stretch: 125,
        weight: 820,
        colour: "#fffdf7",
        spacing: 2.5,
        glow: "rgba(0,0,0,.8)",
      }),
      jackpot: letters(AMOUNT, { size: 15, stretch: 104, weight: 760, colour: "#fffaf0" }),
      pick: letters(AMOUNT, { size: 21, stretch: 106, weight: 820, colour: look.lightReels ? "#5a1020" : "#ffffff" }),
    },
  };
}

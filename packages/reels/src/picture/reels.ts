import type { Role } from "../game/rules.ts";
import { LINES, ROWS } from "../game/rules.ts";
import type { Strip } from "../game/strips.ts";
import type { BrandArt } from "./art.ts";
import { textWidth, writeCharacter } from "./glyphs.ts";
import type { Turn } from "./motion.ts";
import { moves, smears, symbolsLeft, symbolsPassed } from "./motion.ts";
import { moneyText } from "./numbers.ts";
import {
  CELL_HEIGHT,
  CELL_WIDTH,
  cellLeft,
  cellTop,
  PITCH,
  REEL_CLIP,
  REELS,
  SYMBOL,
  symbolColumn,
  symbolLeft,
  symbolTop,
} from "./places.ts";
import type { Planes } from "./planes.ts";
import { copyRect, dimRect } from "./planes.ts";
import { lay } from "./sprites.ts";
import type { GlassView } from "./view.ts";

/** The drum turns away from the light at its upper and lower edge. */
const LIGHT = Uint16Array.from({ length: 720 }, (_, row) => {
  const edge = Math.min(row - REEL_CLIP.top, REEL_CLIP.bottom - row);
  return Math.round(256 * Math.min(1, 0.52 + (0.48 * Math.max(edge, 0)) / 84));
});

/** Which bonus cells the picks open, in order. */
const PICK_CELLS = [2, 0, 4];
const even = (value: number): number => 2 * Math.round(value / 2);

/** Symbol `ahead` places above the window's top row when the turn ends; before the turn the old symbols are there. */
function symbolAt(strip: Strip, from: number, to: number, total: number, ahead: number): Role {
  const at = ahead >= total ? from - (ahead - total) : to - ahead;
  return strip[((at % strip.length) + strip.length) % strip.length] as Role;
}

/** Repaints the symbols of one reel at this time of the turn; around them its ground is expected. */
export function paintReel(
  to: Planes,
  art: BrandArt,
  strip: Strip,
  view: GlassView,
  turn: Turn,
  elapsedMs: number,
): void {
  const { reel } = turn;
  copyRect(to, art.lit, symbolColumn(reel));
  const spinning = moves(turn, elapsedMs);
  const left = spinning ? symbolsLeft(turn, elapsedMs) : 0;
  const smeared = spinning && smears(turn, elapsedMs);
  const total = symbolsPassed(turn);
  const [from, target] = [view.fromStops[reel] ?? 0, view.stops[reel] ?? 0];
  const whole = Math.floor(left);
  const shift = even((left - whole) * PITCH);
  for (let row = -1; row <= ROWS; row += 1) {
    const picture = art.symbols.get(symbolAt(strip, from, target, total, whole - row));
    if (picture === undefined) continue;
    const top = symbolTop(row) - shift;
    if (smeared) lay(to, picture.blurred, symbolLeft(reel), top - 18, REEL_CLIP, LIGHT);
    else lay(to, picture.sharp, symbolLeft(reel), top, REEL_CLIP, LIGHT);
  }
}

/** Whether any reel moves at this time of the turn. */
export function anyMoves(spinMs: number, elapsedMs: number): boolean {
  return [0, 1, 2, 3, 4].some((reel) => moves({ spinMs, reel }, elapsedMs));
}

/** Repaints the five reels in rest, with all that belongs to them. */
export function paintReels(to: Planes, art: BrandArt, strips: readonly Strip[], view: GlassView): void {
  copyRect(to, art.lit, REELS);
  for (const [reel, strip] of strips.entries())
    paintReel(to, art, strip, view, { spinMs: 0, reel }, Number.POSITIVE_INFINITY);
}

/** Cells that won, as `reel * 3 + row`: those of the paying lines, and the scatters when they paid. */
export function winningCells(view: GlassView, strips: readonly Strip[]): Set<number> {
  const cells = new Set<number>();
  const { spin } = view;
  if (spin === null || spin.win === 0) return cells;
  for (const { line, count } of spin.lines) {
    for (let reel = 0; reel < count; reel += 1) cells.add(reel * ROWS + (LINES[line]?.[reel] ?? 0));
  }
  if (spin.scatters < 3) return cells;
  for (const [reel, strip] of strips.entries()) {
    for (let row = 0; row < ROWS; row += 1) {
      if (strip[((spin.stops[reel] ?? 0) + row) % strip.length] === "scatter") cells.add(reel * ROWS + row);
    }
  }
  return cells;
}

function layBright(to: Planes, art: BrandArt, reel: number, row: number): void {
  const top = cellTop(row);
  copyRect(to, art.lit, {
    x: cellLeft(reel),
    y: top,
    width: CELL_WIDTH,
    height: Math.min(CELL_HEIGHT, REEL_CLIP.bottom - top),
  });
  lay(to, art.bright, cellLeft(reel), top, REEL_CLIP);
}

/** Darkens the reels and lights the winning cells. Expects the reels in rest. */
export function lightWins(
  to: Planes,
  art: BrandArt,
  strips: readonly Strip[],
  view: GlassView,
  cells: ReadonlySet<number>,
): void {
  for (let reel = 0; reel < strips.length; reel += 1) {
    dimRect(
      to,
      { x: cellLeft(reel), y: REEL_CLIP.top, width: CELL_WIDTH, height: REEL_CLIP.bottom - REEL_CLIP.top },
      150,
    );
  }
  for (const cell of cells) {
    const [reel, row] = [Math.floor(cell / ROWS), cell % ROWS];
    layBright(to, art, reel, row);
    const strip = strips[reel] ?? [];
    const role = strip[((view.stops[reel] ?? 0) + row) % strip.length];
    const picture = role === undefined ? undefined : art.symbols.get(role);
    if (picture !== undefined) lay(to, picture.sharp, symbolLeft(reel), symbolTop(row), REEL_CLIP);
  }
}

/** The bonus: five covers in the middle row, opened pick by pick. */
export function paintBonus(to: Planes, art: BrandArt, view: GlassView): void {
  for (let reel = 0; reel < PICK_CELLS.length + 2; reel += 1) {
    dimRect(
      to,
      { x: cellLeft(reel), y: REEL_CLIP.top, width: CELL_WIDTH, height: REEL_CLIP.bottom - REEL_CLIP.top },
      84,
    );
    layBright(to, art, reel, 1);
    const pick = view.picks[PICK_CELLS.indexOf(reel)];
    if (pick === undefined) {
      const cover = art.symbols.get("bonus");
      if (cover !== undefined) lay(to, cover.sharp, symbolLeft(reel), symbolTop(1), REEL_CLIP);
      continue;
    }
    const text = moneyText(pick);
    let x = symbolLeft(reel) + SYMBOL / 2 - textWidth(art.fonts.pick, text) / 2;
    for (const character of text) {
      writeCharacter(to, art.fonts.pick, character, x, cellTop(1) + CELL_HEIGHT / 2 + 8);
      x += art.fonts.pick.sprites.get(character)?.advance ?? 0;
    }
  }
}

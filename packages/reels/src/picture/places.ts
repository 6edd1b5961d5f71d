import type { Rect } from "./planes.ts";
import { METER_LINES } from "./reading/layout.ts";

/** Positions, in pixels of the 1280 x 720 picture (the plate's geometry.json times 0.8, on even pixels). */

/** Edge of a symbol. */
export const SYMBOL = 90;
/** From row to row. */
export const PITCH = 108;
export const CELL_WIDTH = 138;
export const CELL_HEIGHT = 108;

/** All five reels inside their frames. */
export const REELS: Rect = { x: 276, y: 184, width: 730, height: 326 };
/** Rows in which symbols show: inside the frames' edges. */
export const REEL_CLIP = { top: 186, bottom: 508 };

const REEL_LEFT = [276, 424, 570, 718, 864];

/** Left edge of a reel's cells. */
export const cellLeft = (reel: number): number => REEL_LEFT[reel] ?? 0;
/** Upper edge of a row's cell. */
export const cellTop = (row: number): number => 186 + row * PITCH;
export const symbolLeft = (reel: number): number => cellLeft(reel) + (CELL_WIDTH - SYMBOL) / 2;
/** All that is ever painted of one reel. */
export const reelColumn = (reel: number): Rect => ({ ...REELS, x: cellLeft(reel), width: CELL_WIDTH });
/** Where its symbols run; what is beside them does not change meanwhile. */
export const symbolColumn = (reel: number): Rect => ({ ...REELS, x: symbolLeft(reel), width: SYMBOL });
/** Upper edge of a symbol in rest. */
export const symbolTop = (row: number): number => cellTop(row) + 8;

/** The title of the game, replaced by messages. */
export const TITLE_BAND: Rect = { x: 360, y: 152, width: 560, height: 28 };
/** A message may be wider than the title. */
export const MESSAGE_BAND: Rect = { x: 300, y: 148, width: 680, height: 36 };
export const MESSAGE_MIDDLE = 640;
export const MESSAGE_BASELINE = 172;

export const JACKPOT_BASELINE = 117;
/** Letters may be wider than the box that is made empty for them, by their light. */
const LETTERS_BEYOND = 8;
export const withLight = ({ x, y, width, height }: Rect): Rect => ({
  x: x - LETTERS_BEYOND,
  y: y - LETTERS_BEYOND,
  width: width + 2 * LETTERS_BEYOND,
  height: height + 2 * LETTERS_BEYOND,
});

const JACKPOT_LEFT = [376, 514, 654, 792];
export const jackpotBox = (index: number): Rect => ({
  x: (JACKPOT_LEFT[index] ?? 0) + 6,
  y: 104,
  width: 118,
  height: 16,
});
export const jackpotMiddle = (index: number): number => 440 + index * 139.2;

export const meterBox = (name: keyof typeof METER_LINES): Rect => {
  const { right, top } = METER_LINES[name];
  const left = { credit: 284, bet: 560, win: 748 }[name];
  return { x: left, y: top - 6, width: right + 8 - left, height: 32 };
};

export const SPIN_LAMP: Rect = { x: 884, y: 648, width: 128, height: 58 };

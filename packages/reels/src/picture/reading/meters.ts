import { DIGIT_TEMPLATES, TEMPLATE_HEIGHT, TEMPLATE_WIDTH } from "./digits.ts";
import type { NumberLine } from "./layout.ts";
import { digitPlaces, METER_LINES } from "./layout.ts";
import type { Pixels } from "./pixels.ts";
import { brightness } from "./pixels.ts";

/** Minor units; null where no amount can be read with certainty. */
export type ReadMeters = { credit: number | null; bet: number | null; win: number | null };

/** Most digits an amount on the glass may have: 250.000.000,00. */
const DIGITS_MAX = 11;
/** Spread of brightness below which a place is empty. */
const EMPTY_SPREAD = 18;
/** Least likeness (correlation) of a digit, and its least lead over the next one. */
const LIKENESS_MIN = 0.72;
const LEAD_MIN = 0.03;

const templates = DIGIT_TEMPLATES.map((hex) => normal([...hex].map((level) => Number.parseInt(level, 16))).values);

/** Values with mean 0 and length 1, so that brightness and contrast do not matter. */
function normal(values: number[]): { values: number[]; spread: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const length = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0));
  return {
    values: values.map((value) => (length === 0 ? 0 : (value - mean) / length)),
    spread: length / Math.sqrt(values.length),
  };
}

/** The digit with its left edge at `x`; null: empty; "unsure": something that is no digit. */
function digitAt(pixels: Pixels, x: number, top: number): number | null | "unsure" {
  const values: number[] = [];
  for (let dy = 0; dy < TEMPLATE_HEIGHT; dy += 1) {
    for (let dx = 0; dx < TEMPLATE_WIDTH; dx += 1) values.push(brightness(pixels, x + dx, top + dy));
  }
  const { values: seen, spread } = normal(values);
  if (spread < EMPTY_SPREAD) return null;
  const likeness = templates.map((template) => template.reduce((sum, value, n) => sum + value * (seen[n] ?? 0), 0));
  const order = likeness.map((like, digit) => ({ like, digit })).sort((a, b) => b.like - a.like);
  const [best, next] = order;
  if (best === undefined || next === undefined || best.like < LIKENESS_MIN || best.like - next.like < LEAD_MIN)
    return "unsure";
  return best.digit;
}

/** Reads one line of digits. */
export function readAmount(pixels: Pixels, line: NumberLine): number | null {
  const digits: number[] = [];
  for (const x of digitPlaces(line, DIGITS_MAX)) {
    const digit = digitAt(pixels, x, line.top);
    if (digit === null) break;
    if (digit === "unsure") return null;
    digits.push(digit);
  }
  return digits.length < 3 ? null : digits.reduceRight((amount, digit) => amount * 10 + digit, 0);
}

/** Reads CREDIT, BET and WIN from a picture of the simulated machine, as painted or after its way through a video codec. */
export function readMeters(pixels: Pixels): ReadMeters {
  const { credit, bet, win } = METER_LINES;
  return { credit: readAmount(pixels, credit), bet: readAmount(pixels, bet), win: readAmount(pixels, win) };
}

import { MINOR_PER_UNIT } from "@longarm/contract/money";
import type { Language } from "@longarm/contract/settings";
import { decimalText, LOCALES } from "./format.ts";

/**
 * What a player typed. `unclear`: it can be read in two ways, minor units each, and is refused with both of them. `none`: it is not an
 * amount above zero.
 */
export type TypedAmount =
  | { readonly is: "amount"; readonly minor: number }
  | { readonly is: "unclear"; readonly readings: readonly [number, number] }
  | { readonly is: "none" };

/** The longest text that is read. A field that is this full may have cut what was pasted into it, so it is refused. */
export const AMOUNT_LENGTH_MAX = 32;
/** Whole units of an amount, at most: ninety billion. */
const WHOLE_DIGITS_MAX = 11;

const NONE: TypedAmount = { is: "none" };
const ARABIC_DECIMAL = "٫";
const ARABIC_GROUP = "٬";
/** Marks that turn the text around them or take no room: money of an Arabic page is copied with them. */
const INVISIBLE = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const SPACE = /[\s\u00a0\u2009\u202f]/g;

/**
 * Reads an amount of two decimal places, in the same way in every language (player 2): a keypad offers the marks of the phone's language,
 * so "5.000" is five thousand and "5.00" is five on every page. A single mark before exactly three digits is a group mark, since no
 * amount has three decimal places. The figures of the text are never dropped: what is not certain is refused. `symbol` of the page's
 * currency may come before or after the figures.
 */
export function readAmount(text: string, symbol = ""): TypedAmount {
  if (text.length >= AMOUNT_LENGTH_MAX) return NONE;
  const figures = withoutSymbol(text.replaceAll(INVISIBLE, "").replaceAll(SPACE, " ").trim(), symbol);
  const plain = figures.replaceAll(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf));
  if (!/^[\d.,٫٬ ]*\d[\d.,٫٬ ]*$/.test(plain)) return NONE;
  const chunks = plain.split(/[.,٫٬ ]/);
  const marks = Array.from(plain.matchAll(/[.,٫٬ ]/g), ([mark]) => mark);
  const last = marks.at(-1);
  if (last === undefined) return amountOf(chunks, "");
  const [first = "", tail = ""] = [chunks[0], chunks.at(-1)];
  const single = marks.length === 1 && (last === "." || last === ",");
  if (single && tail.length === 3 && /^0*$/.test(first)) return unclear(tail);
  if (!isDecimalMark(last, marks, tail)) return oneGroupMark(marks) ? amountOf(chunks, "") : NONE;
  return oneGroupMark(marks.slice(0, -1)) ? amountOf(chunks.slice(0, -1), tail) : NONE;
}

function withoutSymbol(text: string, symbol: string): string {
  if (symbol === "") return text;
  if (text.startsWith(symbol)) return text.slice(symbol.length).trimStart();
  return text.endsWith(symbol) ? text.slice(0, -symbol.length).trimEnd() : text;
}

/** Whether the last mark parts whole units from the fraction. */
function isDecimalMark(last: string, marks: readonly string[], tail: string): boolean {
  if (last === ARABIC_DECIMAL) return true;
  if (last === ARABIC_GROUP || last === " ") return false;
  if (marks.filter((mark) => mark === last).length > 1) return false;
  return marks.length > 1 || tail.length !== 3;
}

const oneGroupMark = (marks: readonly string[]): boolean => new Set(marks).size <= 1 && !marks.includes(ARABIC_DECIMAL);

function amountOf(groups: readonly string[], fraction: string): TypedAmount {
  const grouped = groups.length > 1;
  if (grouped && !groups.every((group, place) => (place === 0 ? /^[1-9]\d{0,2}$/ : /^\d{3}$/).test(group))) return NONE;
  const whole = groups.join("").replace(/^0+/, "");
  if (whole.length > WHOLE_DIGITS_MAX || fraction.length > 2) return NONE;
  const minor = Number(whole || "0") * MINOR_PER_UNIT + Number(fraction.padEnd(2, "0"));
  return minor > 0 ? { is: "amount", minor } : NONE;
}

/** "0.500": half a unit with a needless nought, or five hundred behind a needless one. */
function unclear(digits: string): TypedAmount {
  const [small, large] = [Number(digits.slice(0, 2)), Number(digits) * MINOR_PER_UNIT];
  return digits.endsWith("0") && small > 0 ? { is: "unclear", readings: [small, large] } : NONE;
}

/** A number as people write one: whole, or with one or two places; groups of three or none. */
const WRITTEN_NUMBER = /^(?:\d+|\d{1,3}(?:\.\d{3})+|\d{1,3}(?:,\d{3})+)(?:[.,]\d{1,2})?$/;

/**
 * A label of the operator's settings or of a machine ("5.000", "0,10") with the marks of the page's language: beside ₺5,000.00 it would
 * read as five (player 2). Anything but a plain number stays as it is.
 */
export function labelText(label: string, language: Language): string {
  const read = WRITTEN_NUMBER.test(label) ? readAmount(label) : undefined;
  if (read?.is !== "amount") return label;
  const places = /^\d+$|[.,]\d{3}$/.test(label) ? 0 : (/\d*$/.exec(label)?.[0].length ?? 0);
  return new Intl.NumberFormat(LOCALES[language], {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
    useGrouping: /[.,]\d{3}/.test(label),
  }).format(decimalText(read.minor) as Intl.StringNumericLiteral);
}

/** A font file of the page: where it comes from and what of it is used. */
export interface FontCut {
  /** Its name in the page, without ending. */
  name: string;
  /** File and licence as installed. */
  from: string;
  licence: string;
  /** The characters that are kept. */
  text: string;
  /** The part of each axis that our styles use (design.md section 4). */
  axes: Record<string, { min: number; max: number }>;
}

/** The characters from `first` to `last`. */
const span = (first: number, last: number): string =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, index) => first + index));

/** What texts in our languages are written with, as far as Archivo's first file has it: the only font that nearly every page needs. */
const COMMON = `${span(0x20, 0x7e)}\u00a0£©«°±·»ÂÇÎÖ×ÛÜâçîö÷ûüı\u2009\u202f–—‘’“”„•…‹›€™−`;
/** What Turkish needs of its second file. */
const TURKISH = "ĞğİŞş₺";
/** `text` without the characters of `others`. */
const without = (text: string, others: string): string => [...text].filter((char) => !others.includes(char)).join("");

const archivo = {
  licence: import.meta.resolve("@fontsource-variable/archivo/LICENSE"),
  axes: { wdth: { min: 88, max: 125 }, wght: { min: 450, max: 780 } },
};

const LATIN = import.meta.resolve("@fontsource-variable/archivo/files/archivo-latin-wdth-normal.woff2");
const LATIN_EXT = import.meta.resolve("@fontsource-variable/archivo/files/archivo-latin-ext-wdth-normal.woff2");

/** What a language of the page or a name in it may need; other characters fall back to the system's own fonts. */
export const fontCuts: readonly FontCut[] = [
  { ...archivo, name: "archivo-latin", from: LATIN, text: COMMON },
  { ...archivo, name: "archivo-turkish", from: LATIN_EXT, text: TURKISH },
  // Fetched only by a page that shows such a character: names in other languages.
  { ...archivo, name: "archivo-latin-1", from: LATIN, text: `${without(span(0xa1, 0xff), COMMON)}Œœ` },
  {
    ...archivo,
    name: "archivo-latin-ext",
    from: LATIN_EXT,
    text: without(`${span(0x100, 0x17f)}ȘșȚțẞ${span(0x20a0, 0x20ab)}${span(0x20ad, 0x20bf)}`, `${TURKISH}ıŒœ`),
  },
  {
    name: "readex-arabic",
    licence: import.meta.resolve("@fontsource-variable/readex-pro/LICENSE"),
    from: import.meta.resolve("@fontsource-variable/readex-pro/files/readex-pro-arabic-wght-normal.woff2"),
    text: `${span(0x600, 0x6ff)}${span(0x200c, 0x200f)}`,
    axes: { wght: { min: 400, max: 700 } },
  },
];

/** Layout features that our texts use: shaping, kerning, marks, and the tabular figures of money. */
export const FONT_FEATURES = "kern liga calt ccmp locl mark mkmk tnum lnum rlig init medi fina isol".split(" ");

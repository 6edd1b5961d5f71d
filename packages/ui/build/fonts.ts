import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import subsetFont from "subset-font";
import type { Plugin } from "vite";

/** Cut fonts are kept here between builds, named after what they were cut from and how. */
const CACHE = join(import.meta.dirname, "../../../node_modules/.cache/longarm-fonts");
/** The fonts that nearly every text needs. */
const PRELOADED = /archivo-(?:latin|turkish)-[\w-]{8}\.woff2$/;

/**
 * Cuts the fonts to the characters, widths and weights in use (less than half of the packages' files) and gives them to style sheets as
 * `@fonts/<name>.woff2`. Writes their licences beside the build, as the OFL asks; a font without its licence stops the build.
 */
export function fonts(licenceFile: string): Plugin {
  let base = "/";
  return {
    name: "longarm-fonts",
    async config() {
      const folder = await cutAll();
      return { resolve: { alias: { "@fonts": folder } } };
    },
    configResolved(config) {
      base = config.base;
    },
    async generateBundle() {
      const files = [...new Set(fontCuts.map(({ licence }) => fileURLToPath(licence)))];
      const texts = await Promise.all(files.map(async (file) => (await readFile(file, "utf8")).trim()));
      const source = `${texts.join(`\n\n${"=".repeat(80)}\n\n`)}\n`;
      this.emitFile({ type: "asset", fileName: licenceFile, source });
    },
    transformIndexHtml(_, { path, bundle = {} }) {
      // The page draws nothing without its script: they are fetched after it (app/main.tsx).
      if (path === "/index.html") return [];
      const files = Object.keys(bundle).filter((file) => PRELOADED.test(file));
      return files.map((file) => ({
        tag: "link",
        injectTo: "head" as const,
        attrs: {
          rel: "preload",
          as: "font",
          type: "font/woff2",
          crossorigin: "",
          fetchpriority: "low",
          href: `${base}${file}`,
        },
      }));
    },
  };
}

async function cutAll(): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([fontCuts, FONT_FEATURES]));
  for (const { from } of fontCuts) hash.update(await readFile(fileURLToPath(from)));
  const folder = join(CACHE, hash.digest("hex").slice(0, 16));
  await mkdir(folder, { recursive: true });
  await Promise.all(fontCuts.map((cut) => cutOne(cut, join(folder, `${cut.name}.woff2`))));
  return folder;
}

async function cutOne({ from, text, axes }: FontCut, to: string): Promise<void> {
  if (existsSync(to)) return;
  const whole = await readFile(fileURLToPath(from));
  const cut = await subsetFont(whole, text, {
    targetFormat: "woff2",
    variationAxes: axes,
    noHinting: true,
    keepFeatures: FONT_FEATURES,
  });
  // Several builds may cut at once, also two of one process; each file appears whole.
  const own = await mkdtemp(`${to}.`);
  await writeFile(join(own, "cut"), cut);
  await rename(join(own, "cut"), to);
  await rmdir(own);
}

/** A font file of the page: where it comes from and what of it is used. */
interface FontCut {
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
const COMMON = `${span(0x20, 0x7e)}\u00a0£«·»ÂÇÎÖ×ÛÜâçîöûüı\u2009\u202f–—’“”•…€−`;
/** No text of ours has them: without them the first file is 5 % smaller. */
const SELDOM = "©°±÷‘„‹›™";
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
const fontCuts: readonly FontCut[] = [
  { ...archivo, name: "archivo-latin", from: LATIN, text: COMMON },
  { ...archivo, name: "archivo-turkish", from: LATIN_EXT, text: TURKISH },
  // Fetched only by a page that shows such a character: names in other languages.
  { ...archivo, name: "archivo-latin-1", from: LATIN, text: `${without(span(0xa1, 0xff), COMMON)}${SELDOM}Œœ` },
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
const FONT_FEATURES = "kern liga calt ccmp locl mark mkmk tnum lnum rlig init medi fina isol".split(" ");

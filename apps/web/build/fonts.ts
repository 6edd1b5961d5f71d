import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import subsetFont from "subset-font";
import type { Plugin } from "vite";
import type { FontCut } from "./font-cuts.ts";
import { FONT_FEATURES, fontCuts } from "./font-cuts.ts";

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
  // Several builds may cut at once; each file appears whole.
  const own = `${to}.${process.pid}`;
  await writeFile(own, cut);
  await rename(own, to);
}

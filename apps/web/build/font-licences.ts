import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

/** The folder of the package that a font's style sheet comes from. */
const FONT_PACKAGE = /^(.*[\\/]node_modules[\\/]@fontsource[^\\/]*[\\/][^\\/]+)[\\/]/;

/**
 * Writes the licence of every font of the build beside it, as the OFL asks. The build's own list of licences leaves out fonts of chunks
 * that hold nothing but a style sheet. A font without its licence stops the build.
 */
export function fontLicences(fileName: string): Plugin {
  return {
    name: "longarm-font-licences",
    apply: "build",
    generateBundle() {
      const folders = new Set<string>();
      for (const id of this.getModuleIds()) {
        const folder = FONT_PACKAGE.exec(id)?.[1];
        if (folder !== undefined) folders.add(folder);
      }
      const texts = [...folders].sort().map((folder) => readFileSync(`${folder}/LICENSE`, "utf8").trim());
      this.emitFile({ type: "asset", fileName, source: `${texts.join(`\n\n${"=".repeat(80)}\n\n`)}\n` });
    },
  };
}

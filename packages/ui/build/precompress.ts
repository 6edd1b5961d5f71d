import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** What shrinks; pictures and fonts are packed already. */
const SHRINKS = /\.(?:js|css|html|svg|json|txt|webmanifest)$/;
/** Below this a packed copy saves nothing, bytes. */
const WORTH_BYTES = 1_024;

/** Writes a `.br` and a `.gz` beside every file of the build that shrinks, so that the server packs nothing at run time. */
export function precompress(): Plugin {
  let folder = "dist";
  return {
    name: "longarm-precompress",
    apply: "build",
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && SHRINKS.test(entry.name));
      await Promise.all(files.map((entry) => pack(join(entry.parentPath, entry.name))));
    },
  };
}

async function pack(path: string): Promise<void> {
  const plain = await readFile(path);
  if (plain.byteLength < WORTH_BYTES) return;
  const small = await brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } });
  if (small.byteLength < plain.byteLength) await writeFile(`${path}.br`, small);
  const zipped = await zip(plain, { level: constants.Z_BEST_COMPRESSION });
  if (zipped.byteLength < plain.byteLength) await writeFile(`${path}.gz`, zipped);
}

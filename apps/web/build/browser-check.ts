import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin, Rolldown } from "vite";

const SOURCE = join(import.meta.dirname, "../browser-check.js");
/** After what the page says of its referrer: the script's own request must not tell a token that stands in the address. */
const PLACE = "<!-- browser-check -->";
/** In the script: what each guess needs. */
const PARTS = "/* parts */ {}";

/** Sources by the screen that needs their files, and by language; by the end of their path. Scripts bring what they import and their style sheets. */
export type Parts = Readonly<Record<string, readonly string[]>>;

/**
 * Puts `browser-check.js` before the page's own script, under a name that browsers may keep for ever: scripts run in their order, so
 * one that has to be asked for anew holds up the page that is already there. Tells it which files a screen needs beside those that the
 * page names itself. The info pages go without it.
 */
export function browserCheck(parts: Parts): Plugin {
  let base = "/";
  let file = "";
  return {
    name: "longarm-browser-check",
    apply: "build",
    configResolved(config) {
      base = config.base;
    },
    generateBundle: {
      order: "pre",
      async handler(_, bundle) {
        const files = Object.entries(parts).map(([name, sources]) => [name, filesOf(bundle, sources, base)]);
        const script = await readFile(SOURCE, "utf8");
        const source = script.replace(PARTS, () => JSON.stringify(Object.fromEntries(files)));
        if (source === script) this.error(`browser-check.js has no place for its parts: ${PARTS}`);
        file = `assets/browser-check-${createHash("sha256").update(source).digest("base64url").slice(0, 8)}.js`;
        this.emitFile({ type: "asset", fileName: file, source });
      },
    },
    transformIndexHtml: (html) =>
      html.replace(PLACE, () => `<script src="${base}${file}" defer fetchpriority="high"></script>`),
  };
}

/** Addresses of the files that hold these sources, with what they import and their style sheets, but for those of the page itself. */
function filesOf(bundle: Rolldown.OutputBundle, sources: readonly string[], base: string): string[] {
  const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
  const own = new Set<string>();
  const wanted = new Set<string>();
  const need = (chunk: Rolldown.OutputChunk | undefined, into: Set<string>): void => {
    if (chunk === undefined || into.has(chunk.fileName)) return;
    into.add(chunk.fileName);
    for (const file of chunk.imports)
      need(
        chunks.find(({ fileName }) => fileName === file),
        into,
      );
    for (const file of chunk.viteMetadata?.importedCss ?? []) into.add(file);
  };
  need(
    chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith("/index.html")),
    own,
  );
  const assets = Object.values(bundle).filter((output) => output.type === "asset");
  for (const source of sources) {
    const asset = assets.find(({ originalFileNames }) => originalFileNames.some((name) => name.endsWith(source)));
    // A style sheet is named after its script.
    if (asset !== undefined && !asset.fileName.endsWith(".css")) {
      wanted.add(asset.fileName);
      continue;
    }
    const holder = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(source)));
    if (holder === undefined) throw new Error(`No file of the build holds ${source}.`);
    need(holder, wanted);
  }
  return [...wanted].filter((name) => !own.has(name)).map((name) => base + name);
}

import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Plugin, Rolldown } from "vite";

/** What opening one route for the first time may load. */
export interface LoadBudget {
  /** What it is called in the message. */
  name: string;
  /** Sources whose chunks are loaded for it, by the end of their path; the page's own start always counts. */
  modules: readonly string[];
  /** KiB, gzipped. */
  scriptMax: number;
  styleMax: number;
}

const KIB = 1_024;
/** Sizes of one file, KiB. The gzipped one is what the budget is about; browsers over TLS get the other. */
type Packed = { readonly gzip: number; readonly brotli: number };
const packed = (text: string | Uint8Array): Packed => ({
  gzip: gzipSync(text, { level: 9 }).byteLength / KIB,
  brotli: brotliCompressSync(text).byteLength / KIB,
});
/** What was measured, beside the build: for `npm run bench`. The server gives out no file whose name begins with a dot. */
const MEASURED = ".first-loads.json";

/** Stops the build when the first load of a route is over its budget, with the largest chunks of it. */
export function loadBudgets(budgets: readonly LoadBudget[]): Plugin {
  return {
    name: "longarm-load-budgets",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const sizes = new Map<string, Packed>();
        const loads = budgets.map((budget) => ({ budget, load: measureLoad(bundle, budget.modules, sizes) }));
        for (const { budget, load } of loads) {
          const sentence = loadSentence(budget, load);
          this.info(sentence);
          const over = load.script.gzip > budget.scriptMax || load.style.gzip > budget.styleMax;
          if (over) this.error(`Over its budget: ${sentence}`);
        }
        this.emitFile({ type: "asset", fileName: MEASURED, source: JSON.stringify(loads.map(writtenLoad)) });
      },
    },
  };
}

interface Load {
  /** All files together. */
  script: Packed;
  style: Packed;
  /** Script by chunk, KiB gzipped. */
  chunks: Map<string, number>;
}

/** `sizes`: what was packed before, by file. */
function measureLoad(bundle: Rolldown.OutputBundle, modules: readonly string[], sizes: Map<string, Packed>): Load {
  const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
  const needed = new Set<Rolldown.OutputChunk>();
  const need = (chunk: Rolldown.OutputChunk | undefined): void => {
    if (chunk === undefined || needed.has(chunk)) return;
    needed.add(chunk);
    for (const file of chunk.imports) need(chunks.find(({ fileName }) => fileName === file));
  };
  for (const chunk of chunks) if (chunk.isEntry) need(chunk);
  for (const module of modules) {
    const holder = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module)));
    if (holder === undefined) throw new Error(`The load budget names ${module}, which is in no chunk.`);
    need(holder);
  }
  const sizeOf = (file: string): Packed => {
    const output = bundle[file];
    const size = sizes.get(file) ?? packed((output?.type === "chunk" ? output.code : output?.source) ?? "");
    sizes.set(file, size);
    return size;
  };
  const styles = new Set([...needed].flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])]));
  const scripts = [...needed].map(({ fileName }) => fileName);
  return {
    script: sumOf(scripts.map(sizeOf)),
    style: sumOf([...styles].map(sizeOf)),
    chunks: new Map(scripts.map((file) => [file, sizeOf(file).gzip])),
  };
}

const sumOf = (sizes: readonly Packed[]): Packed => ({
  gzip: sizes.reduce((sum, { gzip }) => sum + gzip, 0),
  brotli: sizes.reduce((sum, { brotli }) => sum + brotli, 0),
});

const writtenLoad = ({ budget, load }: { budget: LoadBudget; load: Load }) => ({
  name: budget.name,
  script: { ...load.script, max: budget.scriptMax },
  style: { ...load.style, max: budget.styleMax },
});

function loadSentence({ name, scriptMax, styleMax }: LoadBudget, { script, style, chunks }: Load): string {
  const largest = [...chunks].sort(([, a], [, b]) => b - a).slice(0, 6);
  const listed = largest.map(([file, size]) => `${file.replace("assets/", "")} ${size.toFixed(1)}`).join(", ");
  return `${name} loads ${script.gzip.toFixed(1)} of ${scriptMax} KiB of script and ${style.gzip.toFixed(1)} of ${styleMax} KiB of style (${listed})`;
}

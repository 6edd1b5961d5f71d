import { gzipSync } from "node:zlib";
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
const packed = (text: string | Uint8Array): number => gzipSync(text, { level: 9 }).byteLength / KIB;

/** Stops the build when the first load of a route is over its budget, with the largest chunks of it. */
export function loadBudgets(budgets: readonly LoadBudget[]): Plugin {
  return {
    name: "longarm-load-budgets",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        for (const budget of budgets) {
          const load = measureLoad(bundle, budget.modules);
          const told = tellLoad(budget, load);
          this.info(told);
          const over = load.script > budget.scriptMax || load.style > budget.styleMax;
          if (over) this.error(`Over its budget: ${told}`);
        }
      },
    },
  };
}

interface Load {
  /** KiB, gzipped. */
  script: number;
  style: number;
  /** Script by chunk. */
  chunks: Map<string, number>;
}

function measureLoad(bundle: Rolldown.OutputBundle, modules: readonly string[]): Load {
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
  const styles = new Set([...needed].flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])]));
  const sizes = new Map([...needed].map(({ fileName, code }) => [fileName, packed(code)]));
  return {
    script: [...sizes.values()].reduce((sum, size) => sum + size, 0),
    style: [...styles].reduce((sum, file) => sum + sizeOf(bundle[file]), 0),
    chunks: sizes,
  };
}

const sizeOf = (output: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined): number =>
  output?.type === "asset" ? packed(output.source) : 0;

function tellLoad({ name, scriptMax, styleMax }: LoadBudget, { script, style, chunks }: Load): string {
  const largest = [...chunks].sort(([, a], [, b]) => b - a).slice(0, 6);
  const listed = largest.map(([file, size]) => `${file.replace("assets/", "")} ${size.toFixed(1)}`).join(", ");
  return `${name} loads ${script.toFixed(1)} of ${scriptMax} KiB of script and ${style.toFixed(1)} of ${styleMax} KiB of style (${listed})`;
}

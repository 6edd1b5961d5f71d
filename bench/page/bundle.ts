import { join } from "node:path";
import { build } from "vite";

/** The probe as one script for the page, made of the same sources that the agent's own tests read pictures with. */
export async function bundleProbe(): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: "error",
    publicDir: false,
    build: {
      write: false,
      lib: { entry: join(import.meta.dirname, "probe.ts"), formats: ["iife"], name: "longarmBench" },
    },
  });
  const [first] = Array.isArray(made) ? made : [made];
  const chunk = first !== undefined && "output" in first ? first.output[0] : undefined;
  if (chunk === undefined) throw new Error("The probe could not be bundled.");
  return chunk.code;
}

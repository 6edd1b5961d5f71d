import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";

/* Writes the page inside each export as one file; part of `npm run generate`. */

const here = (name: string): string => fileURLToPath(new URL(`../../apps/console/evidence/${name}`, import.meta.url));

/** The page with its script inside: it needs no other file, and no network. */
export async function viewerPage(): Promise<string> {
  const built = await build({
    ...{ configFile: false, logLevel: "error", root: here(".") },
    build: { ...{ write: false, target: "es2023" }, lib: { entry: here("viewer.ts"), formats: ["es"] } },
  });
  const [bundle] = Array.isArray(built) ? built : [];
  const script = bundle?.output[0].code.replaceAll("</script", "<\\/script") ?? "";
  return readFileSync(here("page.html"), "utf8").replace("/*script*/", () => `\n${script}`);
}

export const VIEWER_FILE = fileURLToPath(
  new URL("../../apps/platform/src/modules/records/evidence/viewer.html", import.meta.url),
);
if (process.argv.includes("--write")) writeFileSync(VIEWER_FILE, await viewerPage());

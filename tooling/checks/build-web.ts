// Web and console as people get them, built once for everything that shows them. Nothing to do when they are built from these sources.
import { join } from "node:path";
import { buildPage } from "../../launcher/web-build.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);
for (const page of ["web", "console"] as const) await buildPage(join(import.meta.dirname, "../.."), page, say);

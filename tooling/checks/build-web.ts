// The web as players get it, built once for everything that shows it. Nothing to do when it is built from these sources.
import { join } from "node:path";
import { buildWeb } from "../../launcher/web-build.ts";

await buildWeb(join(import.meta.dirname, "../.."), (line) => void process.stdout.write(`${line}\n`));

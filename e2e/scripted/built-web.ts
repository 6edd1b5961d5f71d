import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { ROOT } from "../../launcher/house.ts";
import { buildInto, webDigest } from "../../launcher/web-build.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the built web under test. */
    builtWeb: string;
  }
}

/** Builds the web once for all screens tests, into a folder named after its sources, so that runs side by side do not meet. */
export default async function setup({ provide }: TestProject): Promise<void> {
  const folder = join(ROOT, "node_modules/.cache/longarm-web", await webDigest(ROOT));
  const building = `${folder}.${process.pid}`;
  const isThere = await mkdir(folder, { recursive: true }).then((made) => made === undefined);
  if (!isThere) {
    await buildInto(ROOT, building);
    await rm(folder, { recursive: true });
    await rename(building, folder);
  }
  provide("builtWeb", folder);
}

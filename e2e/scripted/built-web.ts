import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TestProject } from "vitest/node";
import { ROOT } from "../../launcher/venue.ts";
import { copyOrBuildInto, pageDigest } from "../../launcher/web-build.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the built web under test. */
    builtWeb: string;
  }
}

/** Builds the web once for all screens tests, into a folder named after its sources, so that runs side by side do not meet. */
export default async function setup({ provide }: TestProject): Promise<void> {
  provide("builtWeb", await builtWeb());
}

/** The folder of the web as its sources are now. */
export async function builtWeb(): Promise<string> {
  const digest = await pageDigest(ROOT, "web");
  const folder = join(ROOT, "node_modules/.cache/longarm-web", digest);
  if (!existsSync(folder)) await buildWhole(folder, digest);
  return folder;
}

/** The folder appears whole or not at all. */
async function buildWhole(folder: string, digest: string): Promise<void> {
  const building = `${folder}.${process.pid}`;
  await mkdir(dirname(folder), { recursive: true });
  try {
    await copyOrBuildInto(ROOT, "web", building, digest);
    await rename(building, folder);
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    // Somebody else was first with the same sources.
    if (!existsSync(folder)) throw error;
  }
}

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import type { Rolldown } from "vite";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDER = join(ROOT, "node_modules/.cache/longarm-compiled");
/** More are those of many versions ago. */
const KEPT_MAX = 5_000;

/** Runs in tests alone, once each. */
const FOR_TESTS = /\.test\.tsx?$/;

/**
 * Keeps what a compiler made of a file, so that the build, the tests of the web and those of the console compile each file once: the React Compiler
 * takes three quarters of a build. A file that changed, or another version of the compiler, is another entry.
 */
export async function compileOnce(compiler: Promise<Rolldown.Plugin>): Promise<Rolldown.Plugin> {
  const plugin = await compiler;
  const { transform } = plugin;
  if (typeof transform !== "object") throw new Error(`${plugin.name} has no transform with a filter.`);
  const { handler } = transform;
  await sweep();
  const version = versionOf("babel-plugin-react-compiler") + versionOf("@babel/core");
  transform.handler = async function keep(this: ThisParameterType<typeof handler>, code, id, options) {
    if (FOR_TESTS.test(id)) return;
    const name = relative(ROOT, id);
    const key = createHash("sha256").update(`${version}\0${name}\0${code}`).digest("hex");
    const path = join(FOLDER, `${key}.json`);
    const known = await readFile(path, "utf8").catch(() => undefined);
    if (known !== undefined) return JSON.parse(known) as Rolldown.TransformResult;
    const made = await handler.call(this, code, id, options);
    await writeWhole(path, JSON.stringify(made ?? null));
    return made;
  };
  return plugin;
}

function versionOf(name: string): string {
  const { version } = createRequire(import.meta.url)(`${name}/package.json`) as { version: string };
  return `${name}@${version} `;
}

/** The file appears whole: others read it at the same time. A folder that cannot be written is no harm. */
async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  try {
    await mkdir(FOLDER, { recursive: true });
    await writeFile(draft, text);
    await rename(draft, path);
  } catch {
    await rm(draft, { force: true }).catch(() => {});
  }
}

async function sweep(): Promise<void> {
  const kept = await readdir(FOLDER).catch(() => []);
  if (kept.length > KEPT_MAX) await rm(FOLDER, { recursive: true, force: true }).catch(() => {});
}

// Node 24 in node_modules/.bin, where every npm script finds it first.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { Advice } from "./advice.mjs";
import { withoutLocalBin } from "./environment.mjs";

/** The first major version that runs our TypeScript directly and that our packages ask for. */
const wantedMajor = 24;
const windows = process.platform === "win32";

/** @param {string} root */
export const localNode = (root) => join(root, "node_modules", ".bin", windows ? "node.cmd" : "node");

/**
 * Makes sure of Node 24 and returns its version; throws Advice when there is none for this computer.
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 */
export function ensureNode24(root, env) {
  const installed = versionOf(localNode(root));
  if (isRightNode(installed)) return installed;
  const found = nodesElsewhere(root, env).find((path) => isRightNode(versionOf(path)));
  if (found === undefined) {
    throw new Advice(
      `Longarm runs on Node ${wantedMajor}, and no ready build of it exists for ${process.platform}/${process.arch}: install Node ${wantedMajor} from nodejs.org so that \`node -v\` shows it, and run the command again.`,
    );
  }
  link(root, found);
  return versionOf(found);
}

/**
 * The package from the lock file first (npm 8 installs it and forgets its link), then the person's own.
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 */
function nodesElsewhere(root, env) {
  const program = windows ? "node.exe" : "node";
  const system = windows ? "win" : process.platform;
  const locked = join(root, "node_modules", `node-${system}-${process.arch}`, "bin", program);
  const folders = withoutLocalBin(env["PATH"] ?? env["Path"] ?? "", root).split(delimiter);
  const own = [process.execPath, ...folders.map((folder) => join(folder, program))];
  return [locked, ...own.filter((path) => !path.startsWith(join(root, "node_modules")))].filter((path) =>
    existsSync(path),
  );
}

/** Empty when it cannot run here (say, a glibc build on musl). @param {string} path */
function versionOf(path) {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const asked = spawnSync(path, ["-p", "process.versions.node"], { encoding: "utf8", env, shell: windows });
  return asked.status === 0 ? asked.stdout.trim() : "";
}

/** @param {string} version */
const isRightNode = (version) => Number.parseInt(version, 10) >= wantedMajor;

/**
 * @param {string} root
 * @param {string} target
 */
function link(root, target) {
  const path = localNode(root);
  mkdirSync(join(root, "node_modules", ".bin"), { recursive: true });
  rmSync(path, { force: true });
  if (windows) writeFileSync(path, `@"${target}" %*\r\n`);
  else symlinkSync(target.startsWith(root) ? relative(dirname(path), target) : target, path);
}

// One `npm ci`, quiet, with a progress of our own.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Advice, adviseOnNpm } from "./advice.mjs";
import { innerEnvironment } from "./environment.mjs";
import { wantedPackages } from "./stamp.mjs";

/** Install scripts stay off: nothing we use needs one, and a package's script is the easiest way into a computer. */
const npmArguments = [
  ...["ci", "--include=dev", "--include=optional", "--include=peer", "--ignore-scripts", "--no-audit", "--no-fund"],
  ...["--no-progress", "--loglevel=error", "--no-update-notifier"],
  ...["--fetch-retries=4", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=8000"],
];

/**
 * @param {{ root: string, env: NodeJS.ProcessEnv, say: (line: string) => void }} deps
 * @param {(pid: number) => void} onStart told npm's process id, so that the lock outlives us while npm works
 */
export async function install({ root, env, say }, onStart) {
  const progress = watch(root, say);
  try {
    const { output, status, stopped } = await runNpm(root, env, onStart);
    if (stopped) throw new Advice("Stopped before the install was finished. Run the same command again to go on.");
    if (status !== 0) throw adviseOnNpm(output, status);
  } finally {
    progress.stop();
  }
}

/**
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 * @param {(pid: number) => void} onStart
 * @returns {Promise<{ output: string, status: number | string, stopped: boolean }>}
 */
function runNpm(root, env, onStart) {
  const { command, args } = npmCommand(env);
  const child = spawn(command, [...args, ...npmArguments], {
    cwd: root,
    env: innerEnvironment(env, root),
    stdio: ["ignore", "pipe", "pipe"],
    shell: command === "npm" && process.platform === "win32",
  });
  if (child.pid !== undefined) onStart(child.pid);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output = (output + text).slice(-20_000);
    });
  }
  // Ctrl-C reaches npm by the terminal; a plain `kill` of us must not leave npm working on alone.
  let stopped = false;
  const stop = () => {
    stopped = true;
    child.kill("SIGKILL"); // a half-finished install is started again from nothing, so there is nothing to be gentle with
  };
  process.once("SIGTERM", stop).once("SIGINT", stop);
  return new Promise((resolve) => {
    const end = (/** @type {number | string} */ status) => {
      process.off("SIGTERM", stop).off("SIGINT", stop);
      resolve({ output, status, stopped });
    };
    child.on("error", (error) => {
      output += `\n${error.message}`;
      end("an error");
    });
    child.on("close", (code, signal) => end(code ?? signal ?? "no answer"));
  });
}

/**
 * The npm that started us, run by the Node that runs it; else the npm on the PATH (`node tooling/bootstrap.mjs` by hand).
 * @param {NodeJS.ProcessEnv} env
 */
function npmCommand(env) {
  const script = env["npm_execpath"];
  if (script?.endsWith("npm-cli.js")) return { command: env["npm_node_execpath"] ?? process.execPath, args: [script] };
  return { command: "npm", args: [] };
}

/**
 * Tells how many packages have arrived: on a terminal in one line that changes, else now and then.
 * @param {string} root
 * @param {(line: string) => void} say
 */
function watch(root, say) {
  const wanted = [...wantedPackages(root).keys()];
  const started = process.hrtime.bigint();
  const terminal = process.stderr.isTTY === true;
  const report = () => {
    const here = wanted.filter((path) => existsSync(join(root, path, "package.json"))).length;
    const seconds = Number((process.hrtime.bigint() - started) / 1_000_000_000n);
    const line = `  ${here} of ${wanted.length} packages, ${seconds} s`;
    if (terminal) process.stderr.write(`\r${line} `);
    else say(line);
  };
  const timer = setInterval(report, terminal ? 500 : 10_000);
  return {
    stop() {
      clearInterval(timer);
      if (terminal) process.stderr.write("\r\u001b[K");
    },
  };
}

import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export interface Ran {
  ok: boolean;
  /** What it printed, both streams in order. */
  output: string;
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Killed after this. */
  limitMs: number;
}

/** Runs a program to its end; a program that cannot be started is not ok. */
export function run(command: string, args: readonly string[], { env, cwd, limitMs }: RunOptions): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env,
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: limitMs,
      killSignal: "SIGKILL",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.on("error", (error) => resolve({ ok: false, output: output + error.message }));
    child.on("close", (code) => resolve({ ok: code === 0, output }));
  });
}

/** Absolute paths of these programs on the PATH, in the order of the names. */
export function onPath(programs: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return programs.flatMap((program) => folders.map((folder) => join(folder, program)).filter(isProgram));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

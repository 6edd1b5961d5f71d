// Programs started in groups of their own, so that whatever they start can be ended with them, by id.
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";

const running = new Set<ChildProcess>();

export interface Ended {
  /** Exit code zero, in time. */
  well: boolean;
  timedOut: boolean;
}

export interface Program {
  path: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** File that gets all it prints; a pipe would stay open as long as any left-over child holds it. */
  outputPath: string;
  limitMs: number;
}

export function runToEnd({ path, args, cwd, env, outputPath, limitMs }: Program): Promise<Ended> {
  const output = openSync(outputPath, "w");
  const child = spawn(path, args, { cwd, env, stdio: ["ignore", output, output], detached: true });
  running.add(child);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    endGroup(child);
  }, limitMs);
  return new Promise((resolve) => {
    const end = (well: boolean): void => {
      clearTimeout(timer);
      endGroup(child);
      running.delete(child);
      closeSync(output);
      resolve({ well: well && !timedOut, timedOut });
    };
    child.once("error", () => end(false));
    child.once("exit", (code) => end(code === 0));
  });
}

/** For the end of everything, also by Ctrl-C: the groups do not hear the terminal. */
export function endAll(): void {
  for (const child of running) endGroup(child);
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    return; // the whole group has ended
  }
}

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import type { ServerUser } from "./server-user.ts";

/** How a program of PostgreSQL is run: as the server's user, away from our terminal, with nothing of our environment. */
export function spawnProgram(
  program: string,
  args: readonly string[],
  as: { user: ServerUser | undefined; home: string; outputFd: number | "pipe" },
): ChildProcess {
  return spawn(program, args, {
    cwd: as.home,
    // PG… variables of the caller would reach into our cluster; a broken LC_ALL would stop it.
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC", ...windowsEssentials() },
    // A Ctrl-C in the terminal is for us: we stop the server in order, after our own work.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["ignore", as.outputFd, as.outputFd],
    ...(as.user ? { uid: as.user.uid, gid: as.user.gid } : {}),
  });
}

function windowsEssentials(): Record<string, string> {
  const root = process.env["SystemRoot"];
  return root === undefined ? {} : { SystemRoot: root };
}

/** Runs a short program to its end. A program that cannot be started at all answers with code -1 and the reason. */
export async function runProgram(
  program: string,
  args: readonly string[],
  as: { user: ServerUser | undefined; home: string },
): Promise<{ code: number; output: string }> {
  const child = spawnProgram(program, args, { ...as, outputFd: "pipe" });
  let output = "";
  const collect = (chunk: Buffer) => {
    output = `${output}${chunk.toString()}`.slice(-OUTPUT_CHARS_MAX);
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  return await new Promise((done) => {
    child.once("error", (error) => done({ code: -1, output: error.message }));
    child.once("close", (code) => done({ code: code ?? -1, output }));
  });
}

const OUTPUT_CHARS_MAX = 20_000;

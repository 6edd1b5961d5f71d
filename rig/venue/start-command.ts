import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ROOT } from "../../launcher/venue.ts";
import { parentsOfProcesses } from "../../tooling/checks/parents.ts";

/** What `npm start` runs, as a process of its own with everything that it starts. */
export type StartCommand = {
  /** Where the venue is open. Rejects with what was printed when it ends before. */
  readonly href: Promise<string>;
  printed(): string;
  /** Ctrl+C. Answers the exit code. */
  close(): Promise<number | null>;
  /** kill -9 of the command and of every process below it, at once. Answers how many there were. */
  killAll(): Promise<number>;
};

export function runStart(dataFolder: string, more: readonly string[] = []): StartCommand {
  const args = ["--port", "0", "--no-build", "--machines", "1", "--data", dataFolder, ...more];
  const child = spawn(process.execPath, [join(ROOT, "launcher/main.ts"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let printed = "";
  const href = new Promise<string>((open, failed) => {
    const read = (part: Buffer): void => {
      printed += part.toString("utf8");
      const [, address] = /Longarm is open: {2}(\S+)/.exec(printed) ?? [];
      if (address !== undefined) open(address);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void exited.then(() => failed(new Error(`npm start ended: ${printed}`)));
  });
  href.catch(() => {});
  return {
    href,
    printed: () => printed,
    async close() {
      child.kill("SIGINT");
      await exited;
      return child.exitCode;
    },
    async killAll() {
      const pids = [child.pid ?? 0, ...descendants(child)];
      for (const pid of pids) killHard(pid);
      await exited;
      return pids.length;
    },
  };
}

/** A process below may have ended since the table was read. */
function killHard(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Every process below this one, by the table of processes. */
function descendants({ pid = 0 }: ChildProcess): number[] {
  const rows = [...parentsOfProcesses()];
  const below = (parent: number): number[] =>
    rows.filter(([, of]) => of === parent).flatMap(([one]) => [one, ...below(one)]);
  return below(pid);
}

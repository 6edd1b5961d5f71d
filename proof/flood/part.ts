import { cpus } from "node:os";
import { parseArgs } from "node:util";
import type { Part } from "../part.ts";
import { KINDS } from "./attacker.ts";
import type { FloodRun } from "./run.ts";
import { runFlood } from "./run.ts";

const CONNECTIONS = 10_000;

/** Ten thousand connections are opened and left, and a player plays on. */
export const flood: Part = {
  proves:
    "10,000 connections opened and left, slow-loris among them: the platform serves a player meanwhile and ends them",
  options: [
    "--connections N   how many (10000); each needs a file of this process and one of the platform",
    `--kinds a,b       which of ${KINDS.join(", ")} (all)`,
  ],
  async run(words, say) {
    const { values } = parseArgs({
      args: [...words],
      options: { connections: { type: "string" }, kinds: { type: "string" } },
    });
    const connections = Number(values.connections ?? CONNECTIONS);
    if (!Number.isInteger(connections) || connections < 1)
      throw new Error("--connections must be a whole number above 0");
    const named = values.kinds?.split(",") ?? KINDS;
    const kinds = KINDS.filter((kind) => named.includes(kind));
    if (kinds.length !== named.length) throw new Error(`--kinds must be some of ${KINDS.join(", ")}`);
    say(`${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.version}`);
    const run = await runFlood({ connections, kinds, say, begins: (end) => endWhenAsked(end, say) });
    for (const line of report(run)) say(line);
    const held = run.faults.length === 0;
    say(held ? "HELD: the player played on, and what was left was ended." : `BROKEN: ${run.faults.length} faults.`);
    return held;
  },
};

/** Ctrl+C ends every program that was started, and then the run. */
function endWhenAsked(end: () => Promise<void>, say: (line: string) => void): void {
  const stop = (): void => {
    say("interrupted: every program is being stopped");
    void end().finally(() => process.exit(130));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
}

function report({ seen, counts, most, memory, descriptors, endedInMs, faults }: FloodRun): string[] {
  const at = (share: number): string =>
    `${(seen.tookMs[Math.floor((seen.tookMs.length - 1) * share)] ?? 0).toFixed(0)} ms`;
  const mebibytes = memory.map((bytes) => `${(bytes / 1_048_576).toFixed(0)} MiB`);
  return [
    "",
    `connections  ${most} open at once`,
    ...KINDS.filter((kind) => counts[kind].opened > 0).map(
      (kind) =>
        `  ${kind.padEnd(10)} ${counts[kind].opened} opened, ${counts[kind].open} left open; the platform ended the last after ${(counts[kind].endedAfterMs / 1_000).toFixed(1)} s`,
    ),
    `the player   ${seen.asked} calls and messages, ${seen.failures.length} failed, ${seen.reopened} sockets opened again; p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)}`,
    `memory       ${mebibytes[0]} before, ${mebibytes[1]} at the most, ${mebibytes[2]} after`,
    `descriptors  ${descriptors[0]} before, ${descriptors[1]} at the most, ${descriptors[2]} after`,
    `SIGTERM      ended in ${(endedInMs / 1_000).toFixed(1)} s beside callers that stay`,
    ...faults.slice(0, 20).map((fault) => `FAULT ${fault}`),
    "",
  ];
}

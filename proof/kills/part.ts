import { randomBytes } from "node:crypto";
import { cpus } from "node:os";
import type { Part } from "../part.ts";
import { OPTIONS, readKills } from "./asked.ts";
import type { Counts } from "./counts.ts";
import type { KillRun } from "./run.ts";
import { runKills } from "./run.ts";
import { TARGETS } from "./targets.ts";

/** Real processes die under load, and no credit is lost, doubled or left behind. */
export const kills: Part = {
  proves: "kill -9 of platform, agents and database under load: nothing is lost, doubled or left behind",
  options: OPTIONS,
  async run(words, say) {
    const asked = readKills(words, () => randomBytes(4).toString("hex"));
    say(
      `seed ${asked.seed}, ${asked.times} kills; ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.version}`,
    );
    const done = await runKills(asked, { say, begins: (end) => endWhenAsked(end, say) });
    for (const line of report(done)) say(line);
    const held = done.faults.length === 0 && done.counts.of("kills") === asked.times;
    say(verdict(done, asked.times, held));
    if (!held) say(`again: npm run proof -- kills --times ${asked.times} --seed ${asked.seed}`);
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

function verdict({ faults, counts }: KillRun, times: number, held: boolean): string {
  if (held) return `HELD: ${times} kills, nothing lost, nothing doubled, nothing left behind.`;
  return `BROKEN: ${faults.length} faults after ${counts.of("kills")} of ${times} kills.`;
}

function report({ counts, faults, tookMs }: KillRun): string[] {
  const list = (prefix: string): string =>
    counts
      .under(prefix)
      .map(([what, count]) => `${what} ${count}`)
      .join(", ") || "none";
  return [
    "",
    `kills        ${counts.of("kills")} in ${(tookMs / 1_000).toFixed(0)} s: ${list("killed: ")}`,
    `together     ${list("together: ")} (so many kills before the first of them was mended, how often)`,
    `play         ${counts.of("games")} games in ${counts.of("play sessions")} play sessions, ${counts.of("hand pays")} hand pays`,
    `transfers    ${list("transfers: ")}`,
    `requests     ${counts.of("requests")}; without an answer: ${list("failed: ")}`,
    `refused      ${list("refused: ")}`,
    ...[...TARGETS, "several"].map((target) => timesOf(counts, target)),
    `sum of all accounts ${counts.of("sum of all accounts")}`,
    ...faults.map((fault) => `FAULT ${fault}`),
    "",
  ];
}

function timesOf(counts: Counts, target: string): string {
  const told = (prefix: string): string => {
    const spread = counts.spread(`${prefix}: ${target}`);
    if (spread === null) return "-";
    const seconds = [spread.p50, spread.p95, spread.max].map((ms) => (ms / 1_000).toFixed(2));
    return `p50 ${seconds[0]} s, p95 ${seconds[1]} s, max ${seconds[2]} s`;
  };
  return `back after ${target === "several" ? "the last of several" : target}: serves ${told("serves")}; all decided ${told("decided")}`;
}

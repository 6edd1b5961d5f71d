import { fork } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@longarm/database/clock";
import { startEmbeddedPostgres } from "@longarm/database/embedded-server";
import { silentLog } from "@longarm/database/log";
import type { Part } from "../part.ts";
import type { AskedMoney } from "./run/asked.ts";
import { MONEY_OPTIONS, readMoney } from "./run/asked.ts";
import type { StoryFailed } from "./run/check-story.ts";
import type { Figures } from "./run/figures.ts";
import { add, figuresTable, TRANSFERS } from "./run/figures.ts";
import type { WorkerStart, WorkerWord } from "./run/worker-main.ts";
import { makeTemplate } from "./world/database.ts";

type Say = (line: string) => void;

const WORKER = fileURLToPath(new URL("./run/worker-main.ts", import.meta.url));
const PROGRESS_MS = 10_000;
const ENOUGH = "enough";
/** The young part of the heap: most of what a story makes is gone with the next step. */
const WORKER_FLAGS = ["--max-semi-space-size=32"];

/**
 * `npm run proof -- money`: stories of money and faults, in virtual time, against the real platform, agent, machine and PostgreSQL. The
 * database process itself is not killed here (`kills` does that), so it runs without fsync.
 */
export const money: Part = {
  proves: "however everything breaks, each transfer moves money once or not at all, and all of it comes home",
  options: MONEY_OPTIONS,
  async run(words, say) {
    const asked = readMoney(words, Date.now());
    const folder = await mkdtemp(join(tmpdir(), "longarm-proof-"));
    // As root the server runs as another user, who must be able to walk in.
    await chmod(folder, 0o711);
    const server = await startEmbeddedPostgres({ folder, log: silentLog, clock: systemClock, fast: true });
    const end = async (): Promise<void> => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    };
    // Its workers end with it.
    const stopped = (): void => void end().finally(() => process.exit(130));
    process.once("SIGINT", stopped).once("SIGTERM", stopped);
    try {
      const template = await makeTemplate(server.url, "proof_template");
      return await prove(asked, { server: server.url, template }, say);
    } finally {
      process.off("SIGINT", stopped).off("SIGTERM", stopped);
      await end();
    }
  },
};

async function prove(
  asked: AskedMoney,
  { server, template }: { readonly server: string; readonly template: string },
  say: Say,
): Promise<boolean> {
  const { seed, workers, lanes, deeds, faults, transfers, stories, minutes } = asked;
  say(
    `seed ${seed}, ${workers} workers of ${lanes} lanes, stories of up to ${deeds} deeds, until ${transfers.toLocaleString("en-US")} transfers`,
  );
  const figures: Figures = {};
  const failures: StoryFailed[] = [];
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1_000;
  let next = seed;
  const another = (): number | null => {
    const enough = (figures[TRANSFERS] ?? 0) >= transfers || next - seed >= stories || seconds() > minutes * 60;
    if (enough || failures.length > 0) return null;
    next += 1;
    return next - 1;
  };
  const progress = setInterval(() => say(rate(figures, seconds())), PROGRESS_MS);
  const heard = (word: StoryFailed | { figures: Figures }): void => {
    if ("figures" in word) add(figures, word.figures);
    else {
      failures.push(word);
      tellFailure(word, asked, say);
    }
  };
  const start = { server, template, deedsMax: deeds, faults, checkEvery: 20, path: asked.path };
  const names = Array.from({ length: Math.min(workers, stories) }, (_, at) => `proof_${at}`);
  const width = Math.min(lanes, stories);
  await Promise.all(names.map((name) => runWorker({ ...start, name, lanes: width }, another, heard)));
  clearInterval(progress);
  for (const line of [rate(figures, seconds()), "", ...figuresTable(figures)]) say(line);
  say(failures.length === 0 ? "\nEverything held." : "\nSomething did NOT hold: see above.");
  return failures.length === 0;
}

function rate(figures: Figures, seconds: number): string {
  const count = figures[TRANSFERS] ?? 0;
  const faults = figures["faults"] ?? 0;
  return `${seconds.toFixed(0).padStart(6)} s  ${count.toLocaleString("en-US").padStart(10)} transfers, ${(count / seconds).toFixed(0)} a second, ${faults.toLocaleString("en-US")} faults`;
}

const DEEDS_SHOWN = 60;

function tellFailure({ seed, path, sentence, deeds }: StoryFailed, asked: AskedMoney, say: Say): void {
  say(`\nA story failed: ${sentence}`);
  for (const deed of deeds.slice(0, DEEDS_SHOWN)) say(`  ${JSON.stringify(deed)}`);
  if (deeds.length > DEEDS_SHOWN) say(`  … and ${deeds.length - DEEDS_SHOWN} more`);
  say(
    `Replay it: npm run proof -- money --seed ${seed} --deeds ${asked.deeds} --faults ${asked.faults} --stories 1 --path ${path}\n`,
  );
}

/** Runs one worker to its end; it is given a seed for each story that it has ended. */
async function runWorker(
  start: WorkerStart,
  another: () => number | null,
  heard: (word: StoryFailed | { figures: Figures }) => void,
): Promise<void> {
  const child = fork(WORKER, { execArgv: WORKER_FLAGS, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ended = new Promise<number | null>((end) => child.once("exit", end));
  let toldWhy = false;
  child.on("message", (word: WorkerWord) => {
    if (word.is !== "ready") heard(word);
    toldWhy ||= word.is === "failed";
    if (word.is !== "failed") child.send(another() ?? ENOUGH);
  });
  child.send(start);
  const code = await ended;
  if (code !== 0 && !toldWhy) throw new Error(`a worker ended with ${code}, and nothing was proved by it`);
}

import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Part } from "../part.ts";
import { withServer } from "../with-server.ts";
import { makeTemplate } from "./database.ts";
import type { Figures } from "./figures.ts";
import { add, figuresTable, TRANSFERS } from "./figures.ts";
import type { WalletKind } from "./operator-side.ts";
import { WALLET_KINDS } from "./operator-side.ts";
import type { MachineKind } from "./sas-machine.ts";
import { MACHINE_KINDS } from "./sas-machine.ts";
import type { StoryFailed } from "./story.ts";
import type { WorkerStart, WorkerWord } from "./worker-main.ts";

type Say = (line: string) => void;

const WORKER = fileURLToPath(new URL("./worker-main.ts", import.meta.url));
const PROGRESS_MS = 10_000;
const ENOUGH = "enough";
/** The young part of the heap: most of what a story makes is gone with the next step. */
const WORKER_FLAGS = ["--max-semi-space-size=32"];

/** Options of a run of the money proof. */
type MoneyOptions = {
  /** Ends once so many transfers are decided. */
  readonly transfers: number;
  /** Ends after so many stories, too. */
  readonly stories: number;
  readonly seed: number;
  readonly workers: number;
  readonly lanes: number;
  readonly minutes: number;
  /** Deeds of a story at most. */
  readonly deeds: number;
  /** Multiplies crashes and other faults; 1: as usual. */
  readonly faults: number;
  readonly machines: MachineKind;
  readonly wallet: WalletKind;
  readonly path: string | undefined;
};

const MONEY_OPTIONS: readonly string[] = [
  "--transfers 1000000   ends once so many transfers are decided (default 20000)",
  "--seed 1              the first story's seed; each further story has the next one (default: by the clock, and printed)",
  "--workers 4           processes (default: one for each core)",
  "--lanes 3             stories side by side in each process, each with a database of its own (default 3)",
  "--minutes 30          ends after so long in any case (default 60)",
  "--deeds 600           most deeds of a story; a seed means another story with another number (default 600)",
  "--faults 1            multiplies crashes and other faults by this; the same seed with another number gives another story (default 1)",
  "--machine sas         machines that keep the rules of SAS: short records, no refusals in them, late meters (default simulated)",
  "--wallet operator     players' money is in a wallet of the operator's, whose calls and answers are lost and late (default own)",
  "--stories 1           ends after so many stories (default: no limit)",
  "--path 0:3:1          with --seed and --stories 1: the shrunk story that a failure has printed",
];

const numbers: Readonly<Record<string, readonly [least: number, most: number]>> = {
  transfers: [1, 1e9],
  stories: [1, 1e9],
  seed: [0, 2_000_000_000],
  workers: [1, 64],
  lanes: [1, 64],
  minutes: [1, 10_000],
  deeds: [1, 20_000],
  faults: [1, 100],
};

/** Reads the words of the command line. @throws Error with a sentence when they cannot be meant. */
function readMoney(words: readonly string[], nowMs: number): MoneyOptions {
  const names = [...Object.keys(numbers), "path", "machine", "wallet"];
  const { values: given } = parseArgs({
    args: [...words],
    options: Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
  });
  const number = (name: string, otherwise: number): number => {
    const [least = 0, most = 0] = numbers[name] ?? [];
    const value = Number(given[name] ?? otherwise);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new Error(`--${name} is a whole number from ${least} to ${most}.`);
    return value;
  };
  return {
    transfers: number("transfers", 20_000),
    stories: number("stories", 1e9),
    seed: number("seed", Math.floor(nowMs / 1_000) % 1_000_000_000),
    workers: number("workers", availableParallelism()),
    lanes: number("lanes", 3),
    minutes: number("minutes", 60),
    deeds: number("deeds", 600),
    faults: number("faults", 1),
    machines: kindIn("machine", MACHINE_KINDS, given["machine"] as string | undefined),
    wallet: kindIn("wallet", WALLET_KINDS, given["wallet"] as string | undefined),
    path: given["path"] as string | undefined,
  };
}

/** The first kind where no word is given. @throws Error with a sentence for a word that is none of the kinds. */
function kindIn<Kind extends string>(option: string, kinds: readonly [Kind, ...Kind[]], word: string = kinds[0]): Kind {
  const kind = kinds.find((one) => one === word);
  if (kind === undefined) throw new Error(`--${option} is one of ${kinds.join(", ")}.`);
  return kind;
}

/**
 * `npm run proof -- money`: stories of money and faults, in virtual time, against the real platform, agent, machine and PostgreSQL. The
 * database process itself is not killed here (`kills` does that), so it runs without fsync.
 */
export const money: Part = {
  proves: "under injected faults each transfer moves money once or not at all, and every credit returns to its wallet",
  options: MONEY_OPTIONS,
  async run(words, say) {
    const options = readMoney(words, Date.now());
    return await withServer(async (server) => {
      const template = await makeTemplate(server, "proof_template");
      // Its workers end with the server.
      return await prove(options, { server, template }, say);
    });
  },
};

async function prove(
  options: MoneyOptions,
  { server, template }: { readonly server: string; readonly template: string },
  say: Say,
): Promise<boolean> {
  const { seed, workers, lanes, deeds, faults, machines, wallet, transfers, stories, minutes } = options;
  say(
    `${machines} machines, ${wallet} wallet, seed ${seed}, ${workers} workers of ${lanes} lanes, stories of up to ${deeds} deeds, until ${transfers.toLocaleString("en-US")} transfers`,
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
  const report = (word: StoryFailed | { figures: Figures }): void => {
    if ("figures" in word) add(figures, word.figures);
    else {
      failures.push(word);
      printFailure(word, options, say);
    }
  };
  const start = { server, template, deedsMax: deeds, faults, machines, wallet, checkEvery: 20, path: options.path };
  const names = Array.from({ length: Math.min(workers, stories) }, (_, at) => `proof_${at}`);
  const width = Math.min(lanes, stories);
  await Promise.all(names.map((name) => runWorker({ ...start, name, lanes: width }, another, report)));
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

function printFailure({ seed, path, sentence, deeds }: StoryFailed, options: MoneyOptions, say: Say): void {
  say(`\nA story failed: ${sentence}`);
  for (const deed of deeds.slice(0, DEEDS_SHOWN)) say(`  ${JSON.stringify(deed)}`);
  if (deeds.length > DEEDS_SHOWN) say(`  … and ${deeds.length - DEEDS_SHOWN} more`);
  say(
    `Replay it: npm run proof -- money --seed ${seed} --deeds ${options.deeds} --faults ${options.faults} --machine ${options.machines} --wallet ${options.wallet} --stories 1 --path ${path}\n`,
  );
}

/** Runs one worker to its end; it is given a seed for each story that it has ended. */
async function runWorker(
  start: WorkerStart,
  another: () => number | null,
  report: (word: StoryFailed | { figures: Figures }) => void,
): Promise<void> {
  const child = fork(WORKER, { execArgv: WORKER_FLAGS, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ended = new Promise<number | null>((end) => child.once("exit", end));
  let hasReported = false;
  child.on("message", (word: WorkerWord) => {
    if (word.is !== "ready") report(word);
    hasReported ||= word.is === "failed";
    if (word.is !== "failed") child.send(another() ?? ENOUGH);
  });
  child.send(start);
  const code = await ended;
  if (code !== 0 && !hasReported) throw new Error(`a worker ended with ${code}, and nothing was proved by it`);
}

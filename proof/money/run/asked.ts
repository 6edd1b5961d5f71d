import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

/** What a run of the money proof was asked for. */
export type AskedMoney = {
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
  /** So many times as many crashes and troubles as usual. */
  readonly faults: number;
  readonly path: string | undefined;
};

export const MONEY_OPTIONS: readonly string[] = [
  "--transfers 1000000   ends once so many transfers are decided (default 20000)",
  "--seed 1              the first story's seed; each further story has the next one (default: by the clock, and printed)",
  "--workers 4           processes (default: one for each core)",
  "--lanes 3             stories side by side in each process, each with a database of its own (default 3)",
  "--minutes 30          ends after so long in any case (default 60)",
  "--deeds 3000          most deeds of a story; a seed means another story with another number (default 3000)",
  "--faults 1            so many times as many crashes and troubles; another number is another story, too (default 1)",
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
export function readMoney(words: readonly string[], nowMs: number): AskedMoney {
  const names = [...Object.keys(numbers), "path"];
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
    deeds: number("deeds", 3_000),
    faults: number("faults", 1),
    path: given["path"] as string | undefined,
  };
}

import { parseArgs } from "node:util";

/** What was asked of a fault run. */
export type AskedKills = {
  /** How many kills. */
  readonly times: number;
  /** Makes load and kills; what the computer makes of their timing differs from run to run. */
  readonly seed: string;
};

export const OPTIONS: readonly string[] = [
  "--times N   how many kills (200)",
  "--seed S    makes players and kills; without: one of its own, which is printed",
];

const TIMES = 200;
const TIMES_MAX = 100_000;

/** @throws a sentence for words that cannot be meant. */
export function readKills(words: readonly string[], freshSeed: () => string): AskedKills {
  const { values } = parseArgs({ args: [...words], options: { times: { type: "string" }, seed: { type: "string" } } });
  const times = /^\d{1,6}$/.test(values.times ?? String(TIMES)) ? Number(values.times ?? TIMES) : 0;
  if (times < 1 || times > TIMES_MAX) throw new Error(`--times must be a whole number from 1 to ${TIMES_MAX}.`);
  return { times, seed: values.seed ?? freshSeed() };
}

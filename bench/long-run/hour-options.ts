import { parseArgs } from "node:util";

/** What `npm run hour` was asked for. */
export type AskedHour = {
  readonly minutes: number;
  /** Repeats what players and mischief choose; not the moments, which are the computer's. */
  readonly seed: string;
  /** False: nothing is broken on purpose. */
  readonly mischief: boolean;
  /** Where pictures of faults are put; absent: below `.cache/hour`. */
  readonly pictures: string | undefined;
};

export const HOUR_HELP = `npm run hour -- [options]: three browsers play at random while faults are injected; every screen must explain its state, and the money must add up.

  --minutes N           how long (60)
  --seed S              repeat what players and faults choose (1)
  --calm                inject no faults
  --pictures <folder>   where screenshots of findings are put (.cache/hour)
  --help                this text

Exit codes: 0 nothing was found, 1 something was, 2 the command line is wrong.`;

const MINUTES_MAX = 600;

/** Reads the words of the command line. Answers a sentence when they cannot be meant. */
export function readHour(words: readonly string[]): AskedHour | string {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        minutes: { type: "string", default: "60" },
        seed: { type: "string", default: "1" },
        calm: { type: "boolean", default: false },
        pictures: { type: "string" },
      },
    });
    const minutes = Number(values.minutes);
    if (!(minutes > 0 && minutes <= MINUTES_MAX)) return `--minutes is above 0 and at most ${MINUTES_MAX}.`;
    return { minutes, seed: values.seed, mischief: !values.calm, pictures: values.pictures };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `${reason}\nThere are --minutes 60, --seed 1, --calm and --pictures <folder>.`;
  }
}

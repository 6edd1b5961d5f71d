import { parseArgs } from "node:util";

/** What `npm run soak` was asked for. */
export type AskedSoak = {
  readonly minutes: number;
  /** Repeats what people choose; not the moments, which are the computer's. */
  readonly seed: string;
  readonly players: number;
  readonly viewers: number;
  readonly machines: number;
  /** Whether one more plays in a real browser. */
  readonly page: boolean;
  /** Where heap snapshots of platform and agent are put, one of each when they are warm and one at the end; absent: none are made. */
  readonly snapshots: string | undefined;
};

export const SOAK_HELP = `npm run soak -- [options]: simulated players come and go while memory, files and tables are read and the money is proved each minute. Linux only.

  --minutes N            how long (60)
  --seed S               repeat what the players choose (1)
  --players N            players with WebRTC receivers, 1 to 64 (8)
  --viewers N            viewers with WebRTC receivers, 0 to 64 (4)
  --machines N           simulated machines, 2 to 32 (8)
  --no-page              without the player in a real browser
  --snapshots <folder>   write heap snapshots of platform and agent, when they are warm and at the end
  --help                 this text

Exit codes: 0 nothing grew and all money is accounted for, 1 it prints what grew, 2 the command line is wrong.`;

const LIMITS = { minutes: 600, players: 64, viewers: 64, machines: 32 } as const;

/** Reads the words of the command line. Answers a sentence when they cannot be meant. */
export function readSoak(words: readonly string[]): AskedSoak | string {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        minutes: { type: "string", default: "60" },
        seed: { type: "string", default: "1" },
        players: { type: "string", default: "8" },
        viewers: { type: "string", default: "4" },
        machines: { type: "string", default: "8" },
        "no-page": { type: "boolean", default: false },
        snapshots: { type: "string" },
      },
    });
    const minutes = Number(values.minutes);
    if (!(minutes > 0 && minutes <= LIMITS.minutes)) return `--minutes is above 0 and at most ${LIMITS.minutes}.`;
    const [players, viewers, machines] = [values.players, values.viewers, values.machines].map(Number) as [
      number,
      number,
      number,
    ];
    const page = !values["no-page"];
    if (!isWhole(players, 1, LIMITS.players)) return `--players is 1 to ${LIMITS.players}.`;
    if (!isWhole(viewers, 0, LIMITS.viewers)) return `--viewers is 0 to ${LIMITS.viewers}.`;
    if (!isWhole(machines, 2, LIMITS.machines))
      return `--machines is 2 to ${LIMITS.machines}: one of them is the page's own.`;
    return { minutes, seed: values.seed, players, viewers, machines, page, snapshots: values.snapshots };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `${reason}\nThere are --minutes 60, --seed 1, --players 8, --viewers 4, --machines 8, --no-page and --snapshots <folder>.`;
  }
}

const isWhole = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && value >= least && value <= most;

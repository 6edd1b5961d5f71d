import type { Spread } from "../figures/histogram.ts";
import { spreadIn } from "../figures/histogram.ts";
import { FREEZE_MS } from "../figures/picture-log.ts";
import { TIMES } from "../people/tally.ts";
import type { LoadResult } from "./run-load.ts";

const LABELS: Readonly<Record<(typeof TIMES)[number], string>> = {
  "sign-in": "sign-in",
  lobby: "list of the machines",
  seat: "sit until the seat is given",
  "place to watch": "watch until the place is given",
  "first picture": "sit or watch until the first picture",
  "round trip": "round trip to the agent",
  "press answered": "press until the machine's answer",
  "cash in": "cash in",
  "cash out": "leave with all credits",
  "told by notification": "seat told by notification",
  "back after a drop": "back after a drop",
};

/** Figures of a run for people and for `--json`. */
export type LoadFigures = {
  /** Ms, by what. */
  readonly times: Readonly<Record<string, Spread>>;
  readonly pictures: {
    readonly aSecond: number | null;
    readonly keyPictures: number;
    readonly ageMs: Spread | null;
    readonly longestGapMs: number;
    readonly freezes: number;
    /** Freezes of each minute that was watched. */
    readonly freezesAMinute: number | null;
    readonly megabits: number | null;
  };
  /** Of the video's packets, 0 to 1. */
  readonly lostShare: number | null;
  /** Of those that were missed: mended in time, 0 to 1. */
  readonly repairedShare: number | null;
  readonly counts: Readonly<Record<string, number>>;
};

export function figuresOf({ tally }: LoadResult): LoadFigures {
  const { seen, media, times } = tally;
  const watchedS = seen.watchedMs / 1_000;
  return {
    times: Object.fromEntries(
      TIMES.flatMap((name) => {
        const spread = spreadIn(times[name]);
        return spread === null ? [] : [[name, spread]];
      }),
    ),
    pictures: {
      aSecond: watchedS === 0 ? null : seen.pictures / watchedS,
      keyPictures: seen.keyPictures,
      ageMs: spreadIn(seen.ages),
      longestGapMs: seen.gaps.most,
      freezes: seen.freezes,
      freezesAMinute: watchedS === 0 ? null : (seen.freezes * 60) / watchedS,
      megabits: watchedS === 0 ? null : (seen.bytes * 8) / 1e6 / watchedS,
    },
    lostShare: media.packets === 0 ? null : media.missed / (media.packets + media.missed - media.repaired),
    repairedShare: media.missed === 0 ? null : media.repaired / media.missed,
    counts: Object.fromEntries(Object.entries(tally.counts).sort(([one], [other]) => one.localeCompare(other))),
  };
}

/** The lines of a run: times, pictures, what was counted, money. */
export function tableLines(result: LoadResult): string[] {
  const { times, pictures, lostShare, repairedShare, counts } = figuresOf(result);
  const rows = TIMES.flatMap((name) => (times[name] === undefined ? [] : [spreadRow(LABELS[name], times[name])]));
  if (pictures.ageMs !== null) rows.push(spreadRow("age of a picture when it is whole", pictures.ageMs));
  const head = ["ms".padEnd(42), ...["median", "95 %", "most", "times"].map((one) => one.padStart(9))].join("");
  return [
    head,
    ...rows,
    "",
    `pictures a second        ${fixed(pictures.aSecond, 1)}`,
    `longest gap              ${fixed(pictures.longestGapMs, 0)} ms`,
    `gaps over ${FREEZE_MS} ms         ${pictures.freezes} (${fixed(pictures.freezesAMinute, 2)} in a watched minute)`,
    `video                    ${fixed(pictures.megabits, 2)} Mbit/s each`,
    `packets lost             ${percent(lostShare)}, of these mended ${percent(repairedShare)}`,
    "",
    ...Object.entries(counts).map(([what, times]) => `${String(times).padStart(8)}  ${what}`),
    "",
    moneyLine(result),
  ];
}

function spreadRow(label: string, { p50, p95, max, n }: Spread): string {
  const figure = (value: number): string => fixed(value, value < 100 ? 1 : 0).padStart(9);
  return `${label.padEnd(42)}${figure(p50)}${figure(p95)}${figure(max)}${String(n).padStart(9)}`;
}

function moneyLine({ tally: { money } }: LoadResult): string {
  const sum = (key: "before" | "after" | "net" | "away" | "sessions"): number =>
    money.reduce((total, line) => total + line[key], 0);
  if (money.length === 0) return "money: nobody played";
  return `money of ${money.length} players, minor units: ${sum("before")} before, ${sum("net")} by ${sum("sessions")} play sessions, ${sum("after")} after, ${sum("away")} still away`;
}

const fixed = (value: number | null, digits: number): string => (value === null ? "none" : value.toFixed(digits));
const percent = (share: number | null): string => (share === null ? "none" : `${(share * 100).toFixed(2)} %`);

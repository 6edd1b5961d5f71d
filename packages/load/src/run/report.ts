import type { Spread } from "../figures.ts";
import { FREEZE_MS, spreadIn } from "../figures.ts";
import type { MoneyLine } from "../people/tally.ts";
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
  /** Of those that were missed: repaired in time, 0 to 1. */
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
    `packets lost             ${percent(lostShare)}, of these repaired ${percent(repairedShare)}`,
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

/** A process that takes more of its core, or is later with its own events, makes what it measures worse. */
const BUSY_SHARE = 0.85;
const LATE_MS = 60;

/** What is to be said of a run; empty: all is well. */
export type Verdict = {
  /** Money that is not where it should be, and people without a picture. */
  readonly failures: readonly string[];
  /** What makes the figures say less than they seem to. */
  readonly warnings: readonly string[];
};

/** Whether a player has what the play sessions left, and nothing is on its way. */
const isWhole = ({ before, after, away, net }: MoneyLine): boolean => away === 0 && after === before + net;

export function judge(result: LoadResult): Verdict {
  return {
    failures: [...moneyFailures(result), ...pictureFailures(result)],
    warnings: warningsOf(result),
  };
}

function moneyFailures({ tally }: LoadResult): string[] {
  const failures: string[] = [];
  for (const line of tally.money.filter((one) => !isWhole(one))) {
    const { username, before, after, away, net } = line;
    failures.push(
      away > 0
        ? `${username}: ${away} minor units are still on a machine or being checked`
        : `${username}: ${before} and ${net} from play sessions make ${before + net}, but there are ${after} minor units`,
    );
  }
  const unread = tally.counts["wallets that could not be read"] ?? 0;
  if (unread > 0) failures.push(`the money of ${unread} players could not be read`);
  const kept = tally.counts["seats not given back"] ?? 0;
  if (kept > 0) failures.push(`${kept} seats were not given back`);
  return failures;
}

function pictureFailures({ tally, interrupted }: LoadResult): string[] {
  const failures: string[] = [];
  const { counts, seen } = tally;
  const without = counts["visits without a picture"] ?? 0;
  if (without > 0) failures.push(`${without} visits had no picture at all within 10 s`);
  if (seen.dark > 0) failures.push(`${seen.dark} times somebody was without a picture for more than 5 s`);
  const places = (counts["seats taken"] ?? 0) + (counts["places to watch taken"] ?? 0);
  if (places === 0 && !interrupted) failures.push("nobody got a seat or a place to watch");
  for (const role of ["player", "viewer"]) {
    const lost = counts[`${role}s who could not go on`] ?? 0;
    if (lost > 0) failures.push(`${lost} ${role}s could not go on`);
  }
  return failures;
}

/** What stopped people, with the setting of the platform that bounds it. */
const SETTINGS: Readonly<Record<string, string>> = {
  "request.too_many":
    "calls, sign-ins or messages are bounded by CALLS_PER_MINUTE_ADDRESS, LOGINS_PER_MINUTE_ADDRESS and MESSAGES_PER_SECOND_ADDRESS",
  "socket, http 429": "sockets are bounded by SOCKETS_PER_ADDRESS and HANDSHAKES_PER_MINUTE_ADDRESS",
  "spectators.full": "watchers of a machine are bounded by SPECTATORS_MAX",
  "spectators.yours": "machines that one account watches are bounded by WATCHED_MAX",
  "machine.unreachable": "machines could not be reached: look at longarm agents list",
  "pipeline.failed": "an agent could not make a picture: look at its log, and at longarm agents list",
};

function warningsOf({ tally, effort, waitedMs }: LoadResult): string[] {
  const warnings: string[] = [];
  if (effort.processorShare > BUSY_SHARE || effort.lateMs > LATE_MS)
    warnings.push(
      `this tool was late itself (a process of it took ${Math.round(effort.processorShare * 100)} % of a core and was up to ${Math.round(effort.lateMs)} ms late): it or its computer was too busy, and people would feel less than the table says. Ask for fewer, or run it elsewhere.`,
    );
  if (waitedMs > 0)
    warnings.push(
      `the venue let people sign in only after waits of ${Math.round(waitedMs / 1_000)} s in all: LOGINS_PER_MINUTE_ADDRESS`,
    );
  for (const [label, sentence] of Object.entries(SETTINGS)) {
    const times = tally.counts[`refused: ${label}`];
    if (times !== undefined) warnings.push(`refused ${times} times with ${label}: ${sentence}`);
  }
  const real = tally.counts["not played: the machine may be a real one"];
  if (real !== undefined)
    warnings.push(
      `${real} times a machine was left alone because it does not say that it is simulated: --real-money plays it`,
    );
  return warnings;
}

import { markdown } from "../report.ts";
import type { Point } from "./trend.ts";
import { lowerEnvelope, trendOf } from "./trend.ts";

/** What a measure may gain: the larger of both. */
type Bound = {
  /** In the whole judged time, in the measure's own unit: below it a leak cannot be distinguished from the state of pools and caches. */
  readonly most: number;
  /** Of its level, in an hour. */
  readonly shareAnHour: number;
};

type Judged = {
  /** `step`: it rose, and stays there; `short`: too few readings to say anything. */
  readonly is: "steady" | "step" | "grows" | "short";
  /** Median of the judged time. */
  readonly level: number;
  /** What the trend makes over the judged time. */
  readonly rise: number;
  /** What it may be. */
  readonly allowed: number;
  readonly perHour: number;
};

/** Caches fill, compilers compile, pools come to their size, each machine is watched for the first time: the first share of a run is not judged. */
const WARM_UP = 0.2;
/** Nor, of a short one, so much of it; half of it at most, ms. */
const WARM_UP_MS = 180_000;
/** So many windows an hour-long run is cut into: two minutes each. */
const WINDOWS_MAX = 24;
/** Readings of a window, where there are enough. */
const OF_WINDOW = 3;

/** Whether a measure that people move up and down grows below them: by the lower envelope of its readings, once the run is warm. */
export function judgeGrowth(points: readonly Point[], bound: Bound): Judged {
  const [first, last] = [points[0], points.at(-1)];
  const lengthMs = (last?.at ?? 0) - (first?.at ?? 0);
  const warmAt = (first?.at ?? 0) + Math.max(lengthMs * WARM_UP, Math.min(lengthMs / 2, WARM_UP_MS));
  const judged = points.filter(({ at }) => at >= warmAt);
  const windows = Math.min(WINDOWS_MAX, Math.max(8, Math.floor(judged.length / OF_WINDOW)));
  const trend = trendOf(lowerEnvelope(judged, windows));
  if (trend === null) return { is: "short", level: last?.value ?? 0, rise: 0, allowed: bound.most, perHour: 0 };
  const { level, rise, perHour, hours } = trend;
  const allowed = Math.max(bound.most, bound.shareAnHour * level * hours);
  return { is: verdict(trend, allowed), level, rise, allowed, perHour };
}

function verdict(
  { rise, sure, stillRises }: Pick<NonNullable<ReturnType<typeof trendOf>>, "rise" | "sure" | "stillRises">,
  allowed: number,
): Judged["is"] {
  if (rise <= allowed || !sure) return "steady";
  return stillRises ? "grows" : "step";
}

export type Finding = { readonly measure: Measure; readonly judged: Judged; readonly last: number };

/** All readings of a run, by measure. */
export type Records = {
  note(measure: Measure, at: number, value: number): void;
  findings(): Finding[];
  /** The last reading of each. */
  now(): { readonly measure: Measure; readonly value: number; readonly first: number }[];
};

export function createRecords(): Records {
  const kept = new Map<string, { readonly measure: Measure; readonly points: Point[] }>();
  const all = () => [...kept.values()];
  return {
    note(measure, at, value) {
      const one = kept.get(measure.name) ?? { measure, points: [] };
      kept.set(measure.name, one);
      one.points.push({ at, value });
    },
    findings: () =>
      all().map(({ measure, points }) => ({
        measure,
        judged: judgeGrowth(points, measure.bound),
        last: points.at(-1)?.value ?? 0,
      })),
    now: () =>
      all().map(({ measure, points }) => ({
        measure,
        value: points.at(-1)?.value ?? 0,
        first: points[0]?.value ?? 0,
      })),
  };
}

/** Of single tables, only those that changed are printed. */
const isShown = ({ measure, judged }: Finding): boolean =>
  !measure.name.startsWith("table ") || judged.is === "grows" || judged.is === "step";

export function findingsTable(findings: readonly Finding[]): string {
  const rows = findings
    .filter(isShown)
    .map(({ measure, judged, last }) => [
      measure.name,
      figure(judged.level),
      figure(last),
      signed(judged.rise),
      figure(judged.allowed),
      signed(judged.perHour),
      measure.unit,
      WORDS[judged.is],
    ]);
  return markdown([["what", "level", "last", "rise", "may rise", "an hour", "unit", "it"], ...rows]);
}

/** One sentence for each measure that grew. */
export function growthFaults(findings: readonly Finding[]): string[] {
  return findings
    .filter(({ judged }) => judged.is === "grows")
    .map(
      ({ measure, judged }) =>
        `${measure.name} grows: by ${figure(judged.rise)} in the judged time, ${figure(judged.perHour)} an hour, from a level of ${figure(judged.level)}; ${figure(judged.allowed)} may be (${measure.unit})`,
    );
}

const WORDS: Readonly<Record<Judged["is"], string>> = {
  steady: "steady",
  step: "one step",
  grows: "GROWS",
  short: "too short",
};

function figure(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(1).replace(/\.0$/, "");
}

const signed = (value: number): string => (value > 0 ? `+${figure(value)}` : figure(value));

/** What is read again and again of a running venue. */
type Measure = {
  readonly name: string;
  readonly unit: "MB" | "times";
  readonly bound: Bound;
};

/** Of a level that people do not move: what it may gain in an hour. */
const SHARE = 0.05;

const megabytes = (name: string, most: number): Measure => ({ name, unit: "MB", bound: { most, shareAnHour: SHARE } });
const count = (name: string, most: number): Measure => ({ name, unit: "times", bound: { most, shareAnHour: SHARE } });

/**
 * A program's memory as the system sees it moves by some megabytes with the moment's buffers; its heap after a collection, its handles and
 * sockets are exact, except for players who are just coming or going.
 */
export const ofProgram = (name: string) => ({
  resident: megabytes(`${name}: memory (resident)`, 16),
  heap: megabytes(`${name}: heap after collection`, 2),
  external: megabytes(`${name}: memory outside of the heap`, 2),
  resources: count(`${name}: timers, sockets, work under way`, 12),
  files: count(`${name}: open files and sockets`, 8),
  connected: count(`${name}: TCP connections`, 6),
  halfClosed: count(`${name}: TCP connections half closed`, 2),
  udp: count(`${name}: UDP sockets`, 6),
  threads: count(`${name}: threads`, 2),
});

export const OF_DATABASE = {
  own: megabytes("PostgreSQL: memory of its own, all processes", 16),
  connections: count("PostgreSQL: connections", 3),
  beyond: megabytes("tables: what rows do not explain", 4),
  dead: count("tables: dead rows beyond autovacuum's", 4_000),
};

export const OF_PAGE = {
  heap: megabytes("page: memory of scripts", 2),
  nodes: count("page: nodes", 300),
  listeners: count("page: listeners", 100),
};

/** Tables that keep what happened: everybody who plays adds rows to them. All others must stay as they are. */
const HISTORIES: readonly string[] = [
  ...["ledger.holds", "ledger.postings", "ledger.transfers", "wallet_entry", "machine_transfer", "transfer_recovery"],
  ...["play_session", "game", "machine_event", "hand_pay", "meter_reading", "reconciliation", "auth_session"],
  ...["audit.entries", "audit.links", "discount_claim", "bonus_grant", "team_chat_message"],
];

/** Of one table; those of histories have no bound of rows. */
export const ofTable = (name: string) => ({
  beyond: megabytes(`table ${name}: what rows do not explain`, 2),
  dead: count(`table ${name}: dead rows beyond autovacuum's`, 3_000),
  rows: HISTORIES.includes(name) ? undefined : count(`table ${name}: rows`, 25),
});

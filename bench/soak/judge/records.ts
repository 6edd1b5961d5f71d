import { markdown } from "../../figures/table.ts";
import type { Judged } from "./judge.ts";
import { judgeGrowth } from "./judge.ts";
import type { Measure } from "./measures.ts";
import type { Point } from "./trend.ts";

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

/** Of single tables only those that are told which did not stay as they were. */
export const isShown = ({ measure, judged }: Finding): boolean =>
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

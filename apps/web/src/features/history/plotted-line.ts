import type { Language } from "@longarm/contract/settings";
import { LOCALES } from "@longarm/ui/money/format.ts";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import type { HistoryRow } from "./row.ts";
import { CASH_IN, CASH_OUT, HAND_PAY, JACKPOT } from "./row.ts";
import { dayOf, midnightOf } from "./times.ts";

/** What is plotted after a row: the balance after a transaction, the net result after a session. The line stays there until the next one. */
export type Step = {
  readonly ms: number;
  /** Minor units. */
  readonly balance: number;
  /** Undefined where no row is: at the edge of the plot. */
  readonly row?: HistoryRow;
};

/** A line in steps, with its extremes. */
export type PlottedLine = {
  readonly steps: readonly Step[];
  readonly lowest: number;
  readonly highest: number;
  readonly now: number;
  readonly jackpot: Step | undefined;
};

export type BalanceLine = PlottedLine & {
  /** What came from outside and what left: deposits, discounts and bonuses, and withdrawals. Minor units. */
  readonly gained: number;
  readonly given: number;
};

export type ResultLine = PlottedLine & {
  /** Time at machines, seconds, and games. */
  readonly played: number;
  readonly spins: number;
};

/**
 * Moves between wallet and machine, and what was won: a player who carries ₺500 to a machine and back ten times has put in ₺500, not
 * ₺5,000 (player 18). Wins that an attendant pays are left out as those are that come home with the credit.
 */
const PLAYED: ReadonlySet<number> = new Set([CASH_IN, CASH_OUT, HAND_PAY, JACKPOT]);

/** More points than this are not to be seen on any screen. */
export const POINTS_MAX = 300;

/** The line of some transactions, in any order, from `fromMs` on; undefined when fewer than two have a balance. */
export function balanceLine(rows: readonly HistoryRow[], fromMs: number): BalanceLine | undefined {
  const steps = rows
    .flatMap((row): Step[] =>
      row.operationMs === undefined || row.balance === undefined || row.operationMs < fromMs
        ? []
        : [{ ms: row.operationMs, balance: row.balance, row }],
    )
    // They come newest first, also within the same instant, so reverse before sorting.
    .reverse()
    .sort((one, other) => one.ms - other.ms);
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined || steps.length < 2) return undefined;
  const amounts = steps.map(({ row }) => (row?.type !== undefined && PLAYED.has(row.type) ? 0 : (row?.amount ?? 0)));
  const jackpots = steps.filter(({ row }) => row?.type === JACKPOT);
  const shown = thin(steps, POINTS_MAX - 1);
  const start = first.balance - (first.row?.amount ?? Number.NaN);
  // No wallet is below zero: amounts and balances that do not fit say nothing of what was before.
  const before = start >= 0 ? [{ ms: fromMs, balance: start }] : [];
  const balances = [...before, ...steps].map(({ balance }) => balance);
  return {
    steps: [...before, ...shown],
    lowest: balances.reduce((low, one) => Math.min(low, one)),
    highest: balances.reduce((high, one) => Math.max(high, one)),
    now: last.balance,
    gained: amounts.reduce((sum, one) => sum + Math.max(0, one), 0),
    given: amounts.reduce((sum, one) => sum - Math.min(0, one), 0),
    jackpot: jackpots.toSorted(
      (one, other) => (other.row?.amount ?? 0) - (one.row?.amount ?? 0) || other.ms - one.ms,
    )[0],
  };
}

/** The net result of the sessions that ended from `fromMs` on, added up from zero; undefined without one. */
export function resultLine(rows: readonly HistoryRow[], fromMs: number): ResultLine | undefined {
  const ended = rows
    .flatMap((row) => {
      const ms = row.endMs ?? row.operationMs;
      return ms === undefined || row.amount === undefined || ms < fromMs ? [] : [{ ms, amount: row.amount, row }];
    })
    .reverse()
    .sort((one, other) => one.ms - other.ms);
  const first = ended[0];
  if (first === undefined) return undefined;
  let result = 0;
  const steps = ended.map(({ ms, amount, row }): Step => {
    result += amount;
    return { ms, balance: result, row };
  });
  const from: Step = { ms: Math.max(fromMs, first.row.startMs ?? first.ms), balance: 0 };
  const results = [0, ...steps.map(({ balance }) => balance)];
  return {
    steps: [from, ...thin(steps, POINTS_MAX - 1)],
    lowest: results.reduce((low, one) => Math.min(low, one)),
    highest: results.reduce((high, one) => Math.max(high, one)),
    now: result,
    jackpot: undefined,
    played: ended.reduce((sum, { row }) => sum + (row.duration ?? 0), 0),
    spins: ended.reduce((sum, { row }) => sum + (row.spins ?? 0), 0),
  };
}

/** Less time than this is no plot, ms. */
const FITTED_MS_MIN = 3_600_000;

/**
 * Where the axis of a line begins: at the period's start, or shortly before its first row when the period is mostly empty before it, so that an
 * evening of play is no spike at the edge.
 */
export function fittedStart(steps: readonly Step[], fromMs: number, toMs: number): number {
  const first = steps.find(({ row }) => row !== undefined)?.ms ?? fromMs;
  if (first - fromMs < (toMs - fromMs) / 4) return fromMs;
  const taken = Math.max(toMs - first, FITTED_MS_MIN);
  return Math.max(fromMs, toMs - taken * 1.06);
}

/** At most `most` of the points: first and last, and the lowest and highest of each stretch between. */
export function thin(points: readonly Step[], most: number): readonly Step[] {
  if (points.length <= most) return points;
  const stretches = Math.floor((most - 2) / 2);
  const inner = points.slice(1, -1);
  const kept = new Set<Step | undefined>([points[0], points.at(-1)]);
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const part = inner.slice(
      Math.floor((stretch * inner.length) / stretches),
      Math.floor(((stretch + 1) * inner.length) / stretches),
    );
    if (part.length === 0) continue;
    kept.add(part.reduce((low, one) => (one.balance < low.balance ? one : low)));
    kept.add(part.reduce((high, one) => (one.balance > high.balance ? one : high)));
  }
  return points.filter((point) => kept.has(point));
}

/** Two to five round amounts between two others, minor units. */
export function roundAmounts(lowest: number, highest: number): readonly number[] {
  const span = Math.max(highest - lowest, 100);
  const rough = 10 ** Math.floor(Math.log10(span / 2));
  const step = [1, 2, 5, 10].map((factor) => factor * rough).find((size) => span / size <= 3) ?? rough * 10;
  const first = Math.ceil(lowest / step);
  const last = Math.floor(highest / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
}

const HOUR_MS = 3_600_000;

/** A mark below the plot. */
type Tick = { readonly ms: number; readonly text: string };

/** Steps between marks: minutes and hours of a day, then whole days. */
const HOURS = [0.25, 0.5, 1, 2, 4, 8] as const;
const DAYS = [1, 5] as const;
/** More marks than this run into each other on a phone. */
const TICKS_MAX = 7;

/** Marks at round times of the player's own zone: hours for up to a day and a half, else days. */
export function timeTicks(fromMs: number, toMs: number, language: Language): readonly Tick[] {
  const hours = (toMs - fromMs) / HOUR_MS;
  const ticks = hours <= 36 ? hourTicks(fromMs, hours, language) : dayTicks(fromMs, hours / 24, language);
  // A mark at the very end would be outside.
  return ticks.filter(({ ms }) => ms >= fromMs && ms < toMs - (toMs - fromMs) / 20);
}

function hourTicks(fromMs: number, hours: number, language: Language): Tick[] {
  const format = timeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const step = (HOURS.find((size) => hours / size <= TICKS_MAX) ?? 8) * HOUR_MS;
  const midnight = midnightOf(dayOf(fromMs)) ?? fromMs;
  const first = midnight + Math.ceil((fromMs - midnight) / step) * step;
  return Array.from({ length: TICKS_MAX + 1 }, (_, index) => {
    const ms = first + index * step;
    return { ms, text: format.format(ms) };
  });
}

function dayTicks(fromMs: number, days: number, language: Language): Tick[] {
  const format = timeFormat(language, days <= 8 ? { weekday: "short" } : { day: "numeric", month: "short" });
  const step = DAYS.find((size) => days / size <= TICKS_MAX + 1) ?? 5;
  return Array.from({ length: TICKS_MAX + 1 }, (_, index) => midnightOf(dayOf(fromMs), index * step)).flatMap((ms) =>
    ms === undefined ? [] : [{ ms, text: format.format(ms) }],
  );
}

/** A round amount in few letters: "15 bin", "15K". */
export function shortAmount(minor: number, language: Language): string {
  const compactDisplay = language === "tr" ? "long" : "short";
  return new Intl.NumberFormat(LOCALES[language], { notation: "compact", compactDisplay }).format(minor / 100);
}

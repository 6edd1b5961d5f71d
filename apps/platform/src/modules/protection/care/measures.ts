import type { CareMeasure } from "@longarm/contract/player-care";
import { CARE_LEVELS, CARE_MEASURES } from "@longarm/contract/player-care";
import type { Sign } from "../cases/index.ts";
import type { Rules } from "../markets/index.ts";

/* Nine measures of a player, each a function of facts alone: no clock, no database (record 0207). */

/** From `from` on, before `to`. */
export type Span = { readonly from: Date; readonly to: Date };

/** The time that the measures look at, by the venue's clocks: a day in which they are put forward has 23 hours. */
export type Frame = {
  readonly now: Date;
  /** The last seven days, each from midnight to midnight, the oldest first; the last one is today. */
  readonly days: readonly Span[];
  /** Of each of them midnight to six. */
  readonly nights: readonly Span[];
};

/** What the rooms that own it say of a player. Amounts in minor units. */
export type Facts = {
  /** At machines; one that lasts ends now. `net`: won less staked. */
  readonly stays: readonly (Span & { readonly id: string; readonly net: number })[];
  readonly cashIns: readonly { readonly at: Date; readonly stay: string }[];
  readonly deposits: readonly { readonly at: Date }[];
  readonly withdrawals: readonly { readonly at: Date }[];
  /** Deposits and cash-ins that were refused. */
  readonly refusals: readonly { readonly at: Date }[];
  /** Looser limits that the player requested. */
  readonly limitRaises: number;
  readonly games: number;
  readonly staked: number;
  readonly gamesBefore: number;
  readonly stakedBefore: number;
  /** In a month; below zero: won. */
  readonly lost: number;
  /** What the player says can be lost in a month; null: nothing was said. */
  readonly declared: number | null;
};

/** What a measure comes to: minutes, times or percent; null: it cannot be said. */
type Measure = (facts: Facts, frame: Frame) => number | null;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Money that comes so soon after a loss counts as chasing it, ms. */
const CHASING_MS = HOUR_MS;
/** Moves so close to each other are one wish: a deposit and its cash-in, ms. */
const ONE_WISH_MS = 10 * MINUTE_MS;
/** Of fewer games no usual stake can be said. */
const GAMES_LEAST = 50;

const overlapMs = (one: Span, other: Span): number =>
  Math.max(0, Math.min(one.to.getTime(), other.to.getTime()) - Math.max(one.from.getTime(), other.from.getTime()));

/** Minutes of the stays within these spans. */
function minutesWithin(stays: Facts["stays"], spans: readonly Span[]): number {
  const ms = stays.reduce((sum, stay) => sum + spans.reduce((all, span) => all + overlapMs(stay, span), 0), 0);
  return Math.floor(ms / MINUTE_MS);
}

/** Minutes at machines. */
export const timeOf: Measure = ({ stays }, { days }) => minutesWithin(stays, days);

/** Minutes at machines between midnight and six. */
export const nightOf: Measure = ({ stays }, { nights }) => minutesWithin(stays, nights);

/** How often money was added soon after a loss: in a losing stay after its first cash-in, or within an hour after one. */
export const chasingOf: Measure = ({ stays, cashIns, deposits }, { days }) => {
  const begin = days[0]?.from.getTime() ?? 0;
  const losing = stays.filter(({ net }) => net < 0);
  const firstOf = new Map<string, number>();
  for (const { at, stay } of cashIns)
    firstOf.set(stay, Math.min(at.getTime(), firstOf.get(stay) ?? Number.POSITIVE_INFINITY));
  const chases = (at: number, own: string | null) =>
    losing.some(({ id, from, to }) => {
      if (id === own) return at > (firstOf.get(id) ?? at);
      return at > from.getTime() && at <= to.getTime() + CHASING_MS;
    });
  const moves = [
    ...deposits.map(({ at }) => ({ at: at.getTime(), own: null })),
    ...cashIns.map(({ at, stay }) => ({ at: at.getTime(), own: stay })),
  ];
  const times = moves.filter(({ at, own }) => at >= begin && chases(at, own)).map(({ at }) => at);
  return wishesIn(times);
};

/** Times that are close to the last one that counted are one wish with it. */
function wishesIn(times: readonly number[]): number {
  let [count, last] = [0, Number.NEGATIVE_INFINITY];
  for (const at of times.toSorted((one, other) => one - other)) {
    if (at - last <= ONE_WISH_MS) continue;
    [count, last] = [count + 1, at];
  }
  return count;
}

/** Usual stake of the last week in percent of that of the four weeks before. */
export const stakesOf: Measure = ({ games, staked, gamesBefore, stakedBefore }) => {
  if (games < GAMES_LEAST || gamesBefore < GAMES_LEAST || stakedBefore <= 0) return null;
  return Math.round((100 * (staked / games)) / (stakedBefore / gamesBefore));
};

/** Withdrawals after which money was deposited again within a day. */
export const takenBackOf: Measure = ({ withdrawals, deposits }) => {
  const times = deposits.map(({ at }) => at.getTime());
  const cameBack = (left: number) => times.some((at) => at > left && at <= left + DAY_MS);
  return withdrawals.filter(({ at }) => cameBack(at.getTime())).length;
};

/** Looser limits that were requested. */
export const limitRaisesOf: Measure = ({ limitRaises }) => limitRaises;

/** Refused deposits and cash-ins of the last 24 hours. */
export const failedDepositsOf: Measure = ({ refusals }, { now }) =>
  refusals.filter(({ at }) => at.getTime() > now.getTime() - DAY_MS).length;

/** Play sessions that began on the fullest day. */
export const sessionsOf: Measure = ({ stays }, { days }) =>
  Math.max(0, ...days.map(({ from, to }) => stays.filter((stay) => stay.from >= from && stay.from < to).length));

/** What was lost in percent of what the player declared. */
export const netLossOf: Measure = ({ lost, declared }) =>
  declared === null ? null : Math.max(0, Math.round((100 * lost) / declared));

const MEASURES: Readonly<Record<CareMeasure, Measure>> = {
  time: timeOf,
  night: nightOf,
  chasing: chasingOf,
  stakes: stakesOf,
  takenBack: takenBackOf,
  limitRaises: limitRaisesOf,
  failedDeposits: failedDepositsOf,
  sessions: sessionsOf,
  netLoss: netLossOf,
};

export type Figures = Readonly<Record<CareMeasure, number | null>>;

/** All nine. */
export function figuresOf(facts: Facts, frame: Frame): Figures {
  const entries = CARE_MEASURES.map((measure) => [measure, MEASURES[measure](facts, frame)]);
  return Object.fromEntries(entries) as Figures;
}

/** Which figures are signs of harm by the rules, each at its highest level. */
export function signsIn(figures: Figures, { careMeasures, careAt }: Pick<Rules, "careMeasures" | "careAt">): Sign[] {
  return careMeasures.flatMap((measure) => {
    const value = figures[measure];
    const level = value === null ? undefined : CARE_LEVELS.findLast((one) => value >= careAt[measure][one]);
    return value === null || level === undefined ? [] : [{ measure, level, value, limit: careAt[measure][level] }];
  });
}

import type { CareLevel, CareMeasure } from "@longarm/contract/player-care";
import { CARE_MEASURES } from "@longarm/contract/player-care";
import type { IdentityGate } from "@longarm/contract/player-identity";
import { IDENTITY_GATES } from "@longarm/contract/player-identity";
import type { LimitKey } from "@longarm/contract/player-protection";
import { LIMIT_KEYS } from "@longarm/contract/player-protection";
import type { TermsGate } from "@longarm/contract/player-terms";
import { TERMS_GATES } from "@longarm/contract/player-terms";

/**
 * Who wrote a rule down. `clause`: as its document numbers it; `version`: the date from which that text holds, `2025-10-31`. `seen`: whether we have
 * read the text itself, only somebody's summary of it, or neither: then an adviser must check it before the market is used.
 */
export type Source = {
  readonly clause: string;
  readonly version: string;
  readonly seen: "text" | "summary" | "unchecked";
};

/** A rule of a market with its source; null: the market says nothing, and the value is ours. */
export type Sourced<T> = { readonly value: T; readonly source: Source | null };

/** Highest stake of one game, minor units, for players below 25 years (and of unknown age), and from 25 on; null: none. */
export type StakeCaps = { readonly under25: number | null; readonly from25: number | null };

/** After so many minutes of play within a day follows a break of so many minutes. */
export type ForcedBreak = { readonly afterMin: number; readonly forMin: number };

/** When limits are offered to a player: never by itself, once at the first deposit, once at registration. */
export const LIMIT_OFFERS = ["onPage", "firstDeposit", "registration"] as const;
export type LimitOffer = (typeof LIMIT_OFFERS)[number];

/** National registers of excluded players. */
export const REGISTERS = ["spelpaus", "gamstop", "oasis"] as const;
export type Register = (typeof REGISTERS)[number];

/** From which figure on a measure is a sign of harm: minutes, times or percent, by the measure (`CARE_UNITS`). */
export type CareThresholds = Readonly<Record<CareMeasure, Readonly<Record<CareLevel, number>>>>;

/** Everything that a market rules. Amounts are minor units of the market's currency. */
export type Rules = {
  /** From the start of one game to the start of the next, at least, ms, 0 to 60000. */
  readonly minCycleMs: number;
  /** A held key starts nothing: each game needs a press of its own. */
  readonly releaseToPress: boolean;
  /** Games may start by themselves. */
  readonly autoplay: boolean;
  /** The player may stop the reels before their time. */
  readonly stopReels: boolean;
  readonly stakeCaps: StakeCaps;
  /** A win that is not above the stake is shown without celebration. */
  readonly winBelowStakePlain: boolean;
  /** A game may start only when the newest picture is not older, ms; null: no rule. */
  readonly pictureMsMax: number | null;
  /** A game may start only while play is recorded. */
  readonly recorded: boolean;
  /** Longest time between two reality checks, minutes; null: none is prescribed. */
  readonly realityCheckMin: number | null;
  /** The player may switch reality checks off. */
  readonly realityCheckMayBeOff: boolean;
  readonly limitsOffered: LimitOffer;
  /** Limits without which no player plays. */
  readonly limitsRequired: readonly LimitKey[];
  /** Highest values of limits that hold for everybody. */
  readonly limitsOfAll: Readonly<Partial<Record<LimitKey, number>>>;
  /** A looser limit holds after so many hours at the earliest, 24 or more. */
  readonly looserAfterHours: number;
  /** A looser limit holds only when the player says yes again after that time. */
  readonly looserAskAgain: boolean;
  /** A limit may not become looser before its running week or month is over. */
  readonly looserAfterPeriod: boolean;
  /** Shortest and longest time-out, hours. */
  readonly timeOutHours: { readonly least: number; readonly most: number };
  /** Shortest self-exclusion, months. */
  readonly exclusionMonthsMin: number;
  /** The player may take a withdrawal back that is not paid yet. */
  readonly withdrawalTakeBack: boolean;
  /** The break of the panic key, hours; null: the market asks for none. */
  readonly panicHours: number | null;
  readonly forcedBreak: ForcedBreak | null;
  /** What a player must have proved before: who they are, and their age. */
  readonly identityBefore: readonly IdentityGate[];
  /** Youngest player, years. */
  readonly ageMin: number;
  /** Personal data of a proof are kept so long after the player was last here, years; then they are due to be erased. */
  readonly identityKeepYears: number;
  /** What stays closed until the player has accepted the newest terms of use, where the casino has entered any. */
  readonly termsBefore: readonly TermsGate[];
  readonly registers: readonly Register[];
  /** A question about a game is answered within so many days; null: the venue says how many. */
  readonly questionDays: number | null;
  /** No player plays while the list of help organisations is empty. */
  readonly helpBeforePlay: boolean;
  /** What is looked at to find a player whom play harms. */
  readonly careMeasures: readonly CareMeasure[];
  readonly careAt: CareThresholds;
};
export type RuleName = keyof Rules;

const and = (one: boolean, other: boolean): boolean => one && other;
const or = (one: boolean, other: boolean): boolean => one || other;
/** The lower number; null counts as no limit. */
function lower(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
const inOrder = <T>(all: readonly T[], ...given: (readonly T[])[]): T[] =>
  all.filter((one) => given.some((list) => list.includes(one)));
const laterOf = (one: LimitOffer, other: LimitOffer): LimitOffer =>
  LIMIT_OFFERS[Math.max(LIMIT_OFFERS.indexOf(one), LIMIT_OFFERS.indexOf(other))] ?? one;

function lowestLimits(one: Rules["limitsOfAll"], other: Rules["limitsOfAll"]): Rules["limitsOfAll"] {
  const lowest: Partial<Record<LimitKey, number>> = { ...one };
  for (const [key, value] of Object.entries(other) as [LimitKey, number][])
    lowest[key] = Math.min(value, lowest[key] ?? value);
  return lowest;
}

function soonerBreak(one: ForcedBreak | null, other: ForcedBreak | null): ForcedBreak | null {
  if (one === null || other === null) return one ?? other;
  return { afterMin: Math.min(one.afterMin, other.afterMin), forMin: Math.max(one.forMin, other.forMin) };
}

function soonerSigns(one: CareThresholds, other: CareThresholds): CareThresholds {
  const sooner = (measure: CareMeasure) => ({
    watch: Math.min(one[measure].watch, other[measure].watch),
    strong: Math.min(one[measure].strong, other[measure].strong),
  });
  return Object.fromEntries(CARE_MEASURES.map((measure) => [measure, sooner(measure)])) as CareThresholds;
}

/** Of each rule, which of two values protects the player more. */
const STRICTER: { readonly [K in RuleName]: (one: Rules[K], other: Rules[K]) => Rules[K] } = {
  minCycleMs: Math.max,
  releaseToPress: or,
  autoplay: and,
  stopReels: and,
  stakeCaps: (one, other) => ({
    under25: lower(one.under25, other.under25),
    from25: lower(one.from25, other.from25),
  }),
  winBelowStakePlain: or,
  pictureMsMax: lower,
  recorded: or,
  realityCheckMin: lower,
  realityCheckMayBeOff: and,
  limitsOffered: laterOf,
  limitsRequired: (one, other) => inOrder(LIMIT_KEYS, one, other),
  limitsOfAll: lowestLimits,
  looserAfterHours: Math.max,
  looserAskAgain: or,
  looserAfterPeriod: or,
  timeOutHours: (one, other) => ({
    least: Math.max(one.least, other.least),
    most: Math.max(one.most, other.most),
  }),
  exclusionMonthsMin: Math.max,
  withdrawalTakeBack: and,
  panicHours: (one, other) => (one === null || other === null ? (one ?? other) : Math.max(one, other)),
  forcedBreak: soonerBreak,
  identityBefore: (one, other) => inOrder(IDENTITY_GATES, one, other),
  ageMin: Math.max,
  identityKeepYears: Math.max,
  termsBefore: (one, other) => inOrder(TERMS_GATES, one, other),
  registers: (one, other) => inOrder(REGISTERS, one, other),
  questionDays: lower,
  helpBeforePlay: or,
  careMeasures: (one, other) => inOrder(CARE_MEASURES, one, other),
  careAt: soonerSigns,
};

export const RULE_NAMES = Object.keys(STRICTER) as readonly RuleName[];

/** Of each rule the stricter of two. */
export function strictest(one: Rules, other: Rules): Rules {
  const stricter = <K extends RuleName>(name: K): Rules[K] => STRICTER[name](one[name], other[name]);
  return Object.fromEntries(RULE_NAMES.map((name) => [name, stricter(name)])) as Rules;
}

import { CARE_MEASURES } from "@longarm/contract/player-care";
import type { Market } from "./market.ts";
import { ours } from "./market.ts";
import type { CareThresholds } from "./rules.ts";

/** Our own judgement: no regulator that we read names figures. Minutes, times or percent (`CARE_UNITS`). */
const SIGNS: CareThresholds = {
  // Twenty hours at machines in a week, and forty: a working week.
  time: { watch: 1_200, strong: 2_400 },
  night: { watch: 360, strong: 720 },
  chasing: { watch: 4, strong: 10 },
  stakes: { watch: 200, strong: 400 },
  takenBack: { watch: 3, strong: 6 },
  limitRaises: { watch: 3, strong: 6 },
  failedDeposits: { watch: 5, strong: 12 },
  sessions: { watch: 10, strong: 20 },
  netLoss: { watch: 80, strong: 100 },
};

/** No market: what Longarm does anyway. GLI-19 is a test standard, not a law; its clauses are the least that any market gets. */
export const none: Market = {
  id: "none",
  name: "No market",
  currency: null,
  rules: {
    minCycleMs: ours(0),
    releaseToPress: ours(false),
    autoplay: ours(true),
    stopReels: ours(true),
    stakeCaps: ours({ under25: null, from25: null }),
    winBelowStakePlain: ours(false),
    pictureMsMax: ours(null),
    recorded: ours(false),
    realityCheckMin: ours(null),
    realityCheckMayBeOff: ours(true),
    limitsOffered: ours("onPage"),
    limitsRequired: ours([]),
    limitsOfAll: ours({}),
    looserAfterHours: { value: 24, source: { clause: "GLI-19 A.3.7", version: "2020-07-17", seen: "text" } },
    looserAskAgain: ours(false),
    looserAfterPeriod: ours(false),
    timeOutHours: ours({ least: 24, most: 1_008 }),
    exclusionMonthsMin: ours(6),
    withdrawalTakeBack: ours(true),
    panicHours: ours(24),
    forcedBreak: ours(null),
    identityBefore: ours([]),
    ageMin: ours(18),
    identityKeepYears: ours(5),
    termsBefore: ours(["play"]),
    registers: ours([]),
    questionDays: ours(null),
    helpBeforePlay: ours(false),
    careMeasures: ours(CARE_MEASURES),
    careAt: ours(SIGNS),
  },
};

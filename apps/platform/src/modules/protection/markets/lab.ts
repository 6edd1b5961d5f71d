import { LIMIT_KEYS } from "@longarm/contract/player-protection";
import type { Market } from "./market.ts";
import { ours } from "./market.ts";
import { none } from "./none.ts";

/** Everything at once, for tests and trials: the whole system must stand the strictest of all rules. No country's law. */
export const lab: Market = {
  id: "lab",
  name: "Laboratory",
  currency: null,
  rules: {
    ...none.rules,
    minCycleMs: ours(5_000),
    releaseToPress: ours(true),
    autoplay: ours(false),
    stopReels: ours(false),
    stakeCaps: ours({ under25: 200, from25: 500 }),
    winBelowStakePlain: ours(true),
    pictureMsMax: ours(1_000),
    recorded: ours(true),
    realityCheckMin: ours(15),
    realityCheckMayBeOff: ours(false),
    limitsOffered: ours("registration"),
    limitsRequired: ours(LIMIT_KEYS.filter((key) => key.startsWith("loss."))),
    limitsOfAll: ours({ "deposit.month": 1_000_000 }),
    looserAfterHours: ours(168),
    looserAskAgain: ours(true),
    looserAfterPeriod: ours(true),
    exclusionMonthsMin: ours(12),
    forcedBreak: ours({ afterMin: 60, forMin: 5 }),
    withdrawalTakeBack: ours(false),
    identityBefore: ours(["play", "deposit", "withdrawal"]),
    ageMin: ours(21),
    termsBefore: ours(["play", "deposit"]),
    registers: ours(["spelpaus"]),
    questionDays: ours(2),
    helpBeforePlay: ours(true),
    careAt: ours({
      time: { watch: 600, strong: 1_200 },
      night: { watch: 120, strong: 360 },
      chasing: { watch: 2, strong: 5 },
      stakes: { watch: 150, strong: 300 },
      takenBack: { watch: 1, strong: 3 },
      limitRaises: { watch: 2, strong: 4 },
      failedDeposits: { watch: 3, strong: 6 },
      sessions: { watch: 5, strong: 10 },
      netLoss: { watch: 60, strong: 80 },
    }),
  },
};

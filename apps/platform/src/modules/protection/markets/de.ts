import { CARE_MEASURES } from "@longarm/contract/player-care";
import type { Market } from "./market.ts";
import { by } from "./market.ts";
import { none } from "./none.ts";

/** Germany, Glücksspielstaatsvertrag 2021 (GlüStV): its text is about virtual slots. Whether a real machine can be licensed there is open. */
const gluestv = by("2021-07-01", "summary");

export const de: Market = {
  id: "de",
  name: "Germany",
  currency: "EUR",
  rules: {
    ...none.rules,
    minCycleMs: gluestv("GlüStV § 22a (6)", 5_000),
    releaseToPress: gluestv("GlüStV § 22a (6)", true),
    autoplay: gluestv("GlüStV § 22a (8)", false),
    stopReels: gluestv("GlüStV § 22a (6)", false),
    stakeCaps: gluestv("GlüStV § 22a (7)", { under25: 100, from25: 100 }),
    realityCheckMin: gluestv("GlüStV § 22a (9)", 60),
    realityCheckMayBeOff: gluestv("GlüStV § 22a (9)", false),
    limitsOffered: gluestv("GlüStV § 6c (1)", "registration"),
    limitsRequired: gluestv("GlüStV § 6c (1)", ["deposit.month"]),
    limitsOfAll: gluestv("GlüStV § 6c (1)", { "deposit.month": 100_000 }),
    looserAfterHours: gluestv("GlüStV § 6c (3)", 168),
    exclusionMonthsMin: gluestv("GlüStV § 8b (1)", 3),
    panicHours: gluestv("GlüStV § 6i (3)", 24),
    forcedBreak: gluestv("GlüStV § 22a (9)", { afterMin: 60, forMin: 5 }),
    identityBefore: gluestv("GlüStV § 6b", ["play", "deposit", "withdrawal"]),
    ageMin: gluestv("GlüStV § 4 (3)", 18),
    registers: gluestv("GlüStV § 8 (3)", ["oasis"]),
    helpBeforePlay: gluestv("GlüStV § 7 (1)", true),
    careMeasures: by("2021-07-01", "unchecked")("GlüStV § 6i (1)", CARE_MEASURES),
  },
};

import { CARE_MEASURES } from "@longarm/contract/player-care";
import type { Market } from "./market.ts";
import { by } from "./market.ts";
import { none } from "./none.ts";

/** Malta: MGA, Player Protection Directive (Directive 2 of 2018). */
const ppd = by("2018-08-01", "summary");

export const mt: Market = {
  id: "mt",
  name: "Malta",
  currency: "EUR",
  rules: {
    ...none.rules,
    realityCheckMin: ppd("PPD 17", 60),
    limitsOffered: ppd("PPD 13", "firstDeposit"),
    looserAfterHours: ppd("PPD 14", 24),
    exclusionMonthsMin: ppd("PPD 15", 6),
    identityBefore: ppd("PPD 6", ["withdrawal"]),
    ageMin: ppd("PPD 5", 18),
    helpBeforePlay: ppd("PPD 11", true),
    careMeasures: by("2018-08-01", "unchecked")("PPD 19", CARE_MEASURES),
  },
};

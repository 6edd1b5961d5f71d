import type { Market } from "./market.ts";
import { by } from "./market.ts";
import { none } from "./none.ts";

/** New Jersey: N.J.A.C. 13:69O, Internet and mobile gaming. */
const njac = by("2020-11-16", "summary");

export const usNj: Market = {
  id: "us-nj",
  name: "New Jersey",
  currency: "USD",
  rules: {
    ...none.rules,
    limitsOffered: njac("13:69O-1.2(i)", "firstDeposit"),
    looserAfterHours: njac("13:69O-1.2(i)", 24),
    looserAskAgain: njac("13:69O-1.2(i)", true),
    timeOutHours: njac("13:69O-1.2(j)", { least: 72, most: 1_008 }),
    exclusionMonthsMin: njac("13:69G-2.2", 12),
    identityBefore: njac("13:69O-1.3(b)", ["play", "deposit", "withdrawal"]),
    ageMin: njac("13:69O-1.3(b)", 21),
    helpBeforePlay: njac("13:69O-1.2(b)", true),
  },
};

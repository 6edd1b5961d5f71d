import { CARE_MEASURES } from "@longarm/contract/player-care";
import type { Market } from "./market.ts";
import { by } from "./market.ts";
import { none } from "./none.ts";

/** Sweden: Spellagen (2018:1138), Spelförordningen (2018:1475) and the regulations SIFS 2022:3 of Spelinspektionen. */
const act = by("2019-01-01", "text");
const unread = by("2019-01-01", "unchecked");
const sifs = by("2022-10-01", "unchecked");

export const se: Market = {
  id: "se",
  name: "Sweden",
  currency: "SEK",
  rules: {
    ...none.rules,
    minCycleMs: sifs("SIFS 2022:3 6 kap.", 3_000),
    realityCheckMin: sifs("SIFS 2022:3 8 kap.", 60),
    realityCheckMayBeOff: sifs("SIFS 2022:3 8 kap.", false),
    limitsOffered: act("Spellagen 14:7", "registration"),
    limitsRequired: act("Spellagen 14:7", ["deposit.day", "deposit.week", "deposit.month"]),
    looserAfterHours: act("Spelförordningen 11:4", 72),
    looserAfterPeriod: act("Spelförordningen 11:4", true),
    exclusionMonthsMin: unread("Spellagen 14:11", 1),
    panicHours: unread("Spellagen 14:11", 24),
    identityBefore: unread("Spellagen 13:1", ["play", "deposit", "withdrawal"]),
    ageMin: unread("Spellagen 14:2", 18),
    registers: act("Spellagen 14:12", ["spelpaus"]),
    helpBeforePlay: unread("Spellagen 14:5", true),
    careMeasures: unread("Spellagen 14:1, SIFS 2018:6", CARE_MEASURES),
  },
};

import { CARE_MEASURES } from "@longarm/contract/player-care";
import type { Market } from "./market.ts";
import { by } from "./market.ts";
import { none } from "./none.ts";

/** Ontario: AGCO, Registrar's Standards for Internet Gaming. */
const agco = by("2022-04-04", "summary");
const limits = by("2022-04-04", "text");
const unread = by("2022-04-04", "unchecked");

export const caOn: Market = {
  id: "ca-on",
  name: "Ontario",
  currency: "CAD",
  rules: {
    ...none.rules,
    minCycleMs: agco("AGCO 2.18", 2_500),
    releaseToPress: agco("AGCO 2.18", true),
    autoplay: agco("AGCO 2.16", false),
    stopReels: agco("AGCO 2.19", false),
    winBelowStakePlain: agco("AGCO 2.20", true),
    limitsOffered: limits("AGCO 2.23", "registration"),
    looserAfterHours: limits("AGCO 2.24", 24),
    looserAskAgain: limits("AGCO 2.24", true),
    timeOutHours: agco("AGCO 2.14.1", { least: 24, most: 2_160 }),
    identityBefore: unread("AGCO 3.2", ["play", "deposit", "withdrawal"]),
    ageMin: unread("AGCO 3.1", 19),
    helpBeforePlay: unread("AGCO 2.10", true),
    careMeasures: unread("AGCO 2.10 to 2.12", CARE_MEASURES),
  },
};

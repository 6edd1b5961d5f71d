import { CARE_MEASURES } from "@longarm/contract/player-care";
import type { Market } from "./market.ts";
import { by } from "./market.ts";
import { none } from "./none.ts";

/** UK Gambling Commission, Remote gambling and software technical standards (RTS), and the Gambling Act's stake regulations of 2025. */
const rts = by("2025-01-17", "text");
const limits = by("2026-06-30", "text");
const codes = by("2025-01-17", "unchecked");

export const gb: Market = {
  id: "gb",
  name: "Great Britain",
  currency: "GBP",
  rules: {
    ...none.rules,
    minCycleMs: rts("RTS 14D", 2_500),
    releaseToPress: rts("RTS 14D", true),
    autoplay: rts("RTS 8A", false),
    stopReels: rts("RTS 14E", false),
    stakeCaps: by("2025-05-21", "summary")("SI 2025 stake limits", { under25: 200, from25: 500 }),
    winBelowStakePlain: rts("RTS 14F", true),
    realityCheckMin: rts("RTS 13B", 60),
    limitsOffered: limits("RTS 12A", "registration"),
    looserAfterHours: limits("RTS 12A", 24),
    looserAskAgain: limits("RTS 12A", true),
    timeOutHours: codes("SRCP 3.3.4", { least: 24, most: 1_008 }),
    exclusionMonthsMin: codes("SRCP 3.5.3", 6),
    withdrawalTakeBack: by("2021-10-31", "summary")("RTS 14B", false),
    identityBefore: codes("LCCP 17.1.1", ["play", "deposit", "withdrawal"]),
    ageMin: codes("LCCP 17.1.1", 18),
    registers: codes("SRCP 3.5.5", ["gamstop"]),
    // Eight weeks to the final decision; the licensee may pause them while it waits for the player, we never do. The Commission's guide "Timescales to
    // respond", and its guidance "Complaints and disputes", 5 (ADR), as a search gave them on 2026-11-29.
    questionDays: codes("SRCP 6.1.1", 56),
    helpBeforePlay: codes("SRCP 3.1.1", true),
    careMeasures: codes("SRCP 3.4.3", CARE_MEASURES),
  },
};

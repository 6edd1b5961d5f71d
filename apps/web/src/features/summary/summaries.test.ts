import type { RecentPlay, SessionSummary } from "@longarm/contract/player-record";
import { describe, expect, test } from "vitest";
import { afterShown, shownOf, shownText, summaryDue } from "./summaries.ts";

const session: SessionSummary = {
  ...{ id: "ps_1", machine: "NAR-07", start: "2026-11-21T10:00:00.000Z", end: "2026-11-21T10:42:18.000Z" },
  ...{ endedBy: "left", seconds: 2_538, games: 316, wagered: 379_200, won: 361_250, cameHome: 482_050 },
};
const recent = { games: 316, wagered: 379_200, won: 361_250 };
const played = (more: Partial<SessionSummary> = {}): RecentPlay => ({ last: { ...session, ...more }, recent });
const none: RecentPlay = { last: null, recent: { games: 0, wagered: 0, won: 0 } };
const player = { id: "p_1", signedInAt: "2026-11-21T09:00:00.000Z", LastLogon: "2026-11-20T09:00:00.000Z" };
const first = { ...player, LastLogon: "" };
const shown = { playerId: "p_1", signIn: player.signedInAt, session: "ps_0" };

describe("the summary of a sign-in", () => {
  test("comes once in each sign-in, with the play session before or without one", () => {
    expect(summaryDue(player, played(), undefined)).toEqual({ is: "signIn", last: session, recent });
    expect(summaryDue(player, none, undefined)).toMatchObject({ is: "signIn", last: undefined });
    expect(summaryDue(player, played(), { ...shown, signIn: "2026-11-20T09:00:00.000Z" })?.is).toBe("signIn");
    const after = afterShown(player, played());
    expect(summaryDue(player, played(), after)).toBeUndefined();
    expect(summaryDue(player, none, afterShown(player, none))).toBeUndefined();
  });

  test("comes once for each sign-in before, where the platform does not say when this one began", () => {
    const unnamed = { ...player, signedInAt: "" };
    expect(summaryDue(unnamed, played(), shown)?.is).toBe("signIn");
    expect(summaryDue(unnamed, played(), afterShown(unnamed, played()))).toBeUndefined();
  });

  test("comes for each player of one browser", () => {
    expect(summaryDue({ ...player, id: "p_2" }, played(), shown)?.is).toBe("signIn");
  });

  test("waits while a play session continues, and does not come before the first sign-in has a second", () => {
    expect(summaryDue(player, played({ end: null, endedBy: null }), undefined)).toBeUndefined();
    expect(summaryDue(first, none, undefined)).toBeUndefined();
  });
});

describe("the summary of a play session", () => {
  test("comes once after each end, by whomever", () => {
    expect(summaryDue(player, played(), shown)).toEqual({ is: "session", session });
    expect(summaryDue(player, played({ endedBy: "limit" }), shown)?.is).toBe("session");
    expect(summaryDue(player, played(), afterShown(player, played()))).toBeUndefined();
    expect(summaryDue(first, played(), undefined)?.is).toBe("session");
  });

  test("does not come where nothing was played, nor for what was played before the first summary", () => {
    expect(summaryDue(player, played({ games: 0 }), shown)).toBeUndefined();
    expect(summaryDue(first, played({ start: "2026-11-20T10:00:00.000Z" }), undefined)).toBeUndefined();
  });
});

test("what was shown is read as it was written, and anything else is nothing", () => {
  expect(shownOf(shownText(shown))).toEqual(shown);
  const odd = { ...shown, playerId: "a b", signIn: "yesterday, 10 %", session: "" };
  expect(shownOf(shownText(odd))).toEqual(odd);
  for (const text of [null, "", "p_1", "p_1 2026", "p_1 %E0%A4%A ps_1"]) expect(shownOf(text)).toBeUndefined();
});

import type { OwnLimit } from "@longarm/contract/player-limits";
import { expect, test } from "vitest";
import { realTexts } from "../../shared/testing/fakes.ts";
import { durationText, gaugeOf, isDue, momentText, outcomeOf, valueText, waitText } from "./limits.ts";

const NOW_MS = Date.parse("2026-11-22T14:34:00Z");
const at = (hours: number) => new Date(NOW_MS + hours * 3_600_000).toISOString();

const limit = (more: Partial<OwnLimit> = {}): OwnLimit => ({
  ...{ key: "loss.day", value: 200_000, owner: "player", mine: 200_000, used: 61_550, left: 138_450, frees: null },
  ...{ required: false, waiting: null, looserFrom: at(24) },
  ...more,
});

test("a lower value is stricter and holds at once, a higher one or none waits, the same one does nothing", () => {
  expect(outcomeOf(limit(), 100_000)).toEqual({ is: "now", over: false });
  expect(outcomeOf(limit(), 61_550)).toEqual({ is: "now", over: true });
  expect(outcomeOf(limit(), 0)).toEqual({ is: "now", over: true });
  expect(outcomeOf(limit(), 200_000)).toEqual({ is: "same" });
  expect(outcomeOf(limit(), 200_001)).toEqual({ is: "later" });
  expect(outcomeOf(limit(), null)).toEqual({ is: "later" });
});

test("without a limit of one's own every value is stricter, whatever others limit, and none is the same", () => {
  const others = limit({ owner: "operator", mine: null });
  expect(outcomeOf(others, 900_000)).toEqual({ is: "now", over: false });
  expect(outcomeOf(others, null)).toEqual({ is: "same" });
  expect(outcomeOf(limit({ key: "session", used: 0 }), 1)).toEqual({ is: "now", over: false });
});

test("a gauge is near its end from 80 % on, full at a limit of nothing, and none without a limit", () => {
  expect(gaugeOf(limit({ used: 159_999 }))).toMatchObject({ isNear: false });
  expect(gaugeOf(limit({ used: 160_000 }))).toEqual({ full: 0.8, isNear: true });
  expect(gaugeOf(limit({ used: 900_000 }))).toEqual({ full: 1, isNear: true });
  expect(gaugeOf(limit({ value: 0, used: 0 }))).toEqual({ full: 1, isNear: true });
  expect(gaugeOf(limit({ value: null }))).toBeUndefined();
});

test("the question comes when the wait is over, and only where the market asks", () => {
  const waiting = (from: string, answerUntil: string | null) =>
    limit({ waiting: { id: "1", value: null, from, answerUntil } });
  expect(isDue(waiting(at(0), at(168)), NOW_MS)).toBe(true);
  expect(isDue(waiting(at(1), at(169)), NOW_MS)).toBe(false);
  expect(isDue(waiting(at(-1), null), NOW_MS)).toBe(false);
  expect(isDue(limit(), NOW_MS)).toBe(false);
});

test("values, durations, waits and moments are written in each language as people write them", async () => {
  const speeches = await Promise.all(
    (["en", "tr", "ar"] as const).map(async (language) => (await realTexts(language, "saferPlay")).speech.getState()),
  );
  const [en, tr, ar] = speeches;
  if (en === undefined || tr === undefined || ar === undefined) throw new Error("a language is missing");
  expect([0, 1, 60, 72, 120, 600].map((minutes) => durationText(en, minutes))).toEqual([
    ...["0 min", "1 min", "1 h", "1 h 12 min", "2 h", "10 h"],
  ]);
  expect(durationText(tr, 72)).toBe("1 sa 12 dk");
  expect([72, 120, 600].map((minutes) => durationText(ar, minutes))).toEqual([
    "\u20661:12\u2069 ساعة",
    "ساعتين",
    "10 ساعات",
  ]);
  expect(valueText(en, "TRY", "loss.day", 200_000)).toBe("₺2,000");
  expect(valueText(tr, "TRY", "loss.day", 61_550)).toBe("₺615,50");
  expect(valueText(en, "TRY", "time.week", null)).toBe("No limit");
  expect(waitText(en, limit(), NOW_MS)).toBe("24 h");
  expect(waitText(en, limit({ looserFrom: at(168) }), NOW_MS)).toBe("7 days");
  expect(momentText(en, "2026-11-23T14:34:00Z")).toMatch(/^(Sunday|Monday|Tuesday) 2[234] November,\u00a0\d\d:\d\d$/);
  expect(momentText(tr, "2026-11-23T14:34:00Z")).toMatch(/^2[234] Kasım \p{L}+,\u00a0\d\d:\d\d$/u);
  expect(momentText(ar, "2026-11-23T14:34:00Z")).toMatch(/\u2066\d\d:\d\d\u2069$/);
});

import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { fillText } from "@longarm/ui/i18n/texts.ts";
import { expect, test } from "vitest";
import code from "../i18n/catalogues/ar/code.json" with { type: "json" };
import arPlay from "../i18n/catalogues/ar/play.json" with { type: "json" };
import english from "../i18n/catalogues/en/code.json" with { type: "json" };
import enPlay from "../i18n/catalogues/en/play.json" with { type: "json" };
import { helpingPage, isLimitRefusal, refusalText } from "./refusal-text.ts";

type Texts = Readonly<Record<string, string>>;

/** Speaks the codes and the words of the game alone. */
function speaking(language: "ar" | "en", codes: Texts, play: Texts): Speech {
  const area = (name: string, texts: Texts) =>
    Object.entries(texts).map(([key, text]) => [`${name}.${key}`, text] as const);
  const catalogue = new Map([...area("code", codes), ...area("play", play)]);
  const find = (key: string, params = {}) => fillText(catalogue, language, key, params);
  return { language, find, t: (key, params) => find(key, params) ?? key };
}
const [en, ar] = [speaking("en", english, enPlay), speaking("ar", code, arPlay)];

test("a limit says what may still be put in as the page writes money", () => {
  const refusal = { code: 60060, params: { left: 8_000 } };
  expect(refusalText(en, refusal, "TRY")).toBe(
    "You have reached your limit of money onto machines. At most ₺80.00 can go to machines now.",
  );
  expect(refusalText(ar, refusal, "TRY")).toContain("\u2066₺80,00\u2069");
});

test("a limit of which nothing is left says from when on there is something again", () => {
  const params = { left: 0, until: "2026-12-21T22:06:00.000Z" };
  const time = "\u2066\\d\\d/12/2026\u00a0\\d\\d:\\d\\d\u2069";
  const deposit = "You have reached your limit of money onto machines. Money can go to machines again from";
  expect(refusalText(en, { code: 60060, params }, "TRY")).toMatch(new RegExp(`^${deposit} ${time}\\.$`));
  expect(refusalText(en, { code: "CODE_60061", params }, "TRY")).toMatch(new RegExp(`your loss limit.+ ${time}`));
  expect(refusalText(ar, { code: 60061, params }, "TRY")).toMatch(new RegExp(time));
  // A platform that does not say when, and one of which something is left.
  expect(refusalText(en, { code: 60060, params: { left: 0 } }, "TRY")).toContain("At most ₺0.00");
  expect(refusalText(en, { code: 60060, params: { ...params, left: 100 } }, "TRY")).toContain("At most ₺1.00");
});

test("a limit says whose it is and of which period", () => {
  const says = (owner: string, period = "week") =>
    refusalText(en, { code: 60060, params: { left: 8_000, owner, period } }, "TRY");
  expect(says("player")).toMatch(/₺80\.00 can go to machines now\. It is your own limit of 7 days\.$/);
  expect(says("operator")).toContain("The venue has set it for 7 days.");
  expect(says("market", "month")).toContain("It is a rule of this market for 30 days.");
  // An owner or a period of a newer platform is left out.
  for (const text of [says("council"), says("player", "year")]) expect(text).toMatch(/to machines now\.$/);
});

test("an exclusion says until when in the player's own time, and a time that is none stands as it came", () => {
  const until = (text: string) => refusalText(en, { code: 60062, params: { until: text } }, "TRY");
  expect(until("2026-12-21T22:06:00.000Z")).toMatch(
    /until \u2066\d\d\/12\/2026\u00a0\d\d:\d\d\u2069\. Your money stays/,
  );
  expect(until("soon")).toContain("soon");
});

test("other refusals read as they always did, and one that is not ours has no text", () => {
  expect(refusalText(en, { code: "60001", params: {} }, "TRY")).toBe("Insufficient funds");
  expect(refusalText(en, { code: 99_999, params: { left: 1 } }, "TRY")).toBeUndefined();
});

test("limits of the player lead to the page of limits, an exclusion and other refusals do not", () => {
  expect([60060, "60061", "CODE_60064", 60065, 60066, 60092].map(isLimitRefusal)).toEqual(Array(6).fill(true));
  expect([60062, 60067, 60001, "CODE_18801", "60060x"].map(isLimitRefusal)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("a refusal leads to the page that helps: limits, identity or terms", () => {
  expect([60061, "CODE_60083", 60084, "60085", 60086, "CODE_60090"].map(helpingPage)).toEqual([
    "limits",
    "identity",
    "identity",
    "identity",
    "identity",
    "terms",
  ]);
  expect([60082, 60087, 60091, "CODE_18801", 60062].map(helpingPage)).toEqual(Array(5).fill(undefined));
});

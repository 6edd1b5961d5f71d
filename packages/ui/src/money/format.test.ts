import { defaultSettings, LANGUAGES } from "@longarm/contract/settings";
import { expect, test } from "vitest";
import { moneyParts, moneyText } from "./format.ts";

test("R-9-16: minor units in parts, sign first", () => {
  expect(moneyParts(1_245_075, "TRY", "tr")).toEqual({ sign: "", symbol: "₺", whole: "12.450", fraction: ",75" });
  expect(moneyParts(-500_000, "TRY", "tr")).toMatchObject({ sign: "−", whole: "5.000", fraction: ",00" });
  expect(moneyParts(5, "TRY", "tr", true)).toMatchObject({ sign: "+", whole: "0", fraction: ",05" });
});

test.each([
  ["tr", "₺12.450,75"],
  ["en", "₺12,450.75"],
  ["ar", "\u2066₺12.450,75\u2069"],
] as const)("in %s it reads %s", (language, text) => {
  expect(moneyText(1_245_075, "TRY", language)).toBe(text);
});

test("R-9-02: without a setting amounts are in Turkish lira and carry its sign", () => {
  const { currency } = defaultSettings();
  for (const language of LANGUAGES) expect(moneyText(100, currency, language)).toContain("₺1");
});

test.each([
  ["TRY", "₺"],
  ["USD", "$"],
  ["EUR", "€"],
  ["GBP", "£"],
  ["JPY", "¥"],
  ["RUB", "₽"],
  ["XYZ", "XYZ"],
])("R-9-03: %s amounts carry %s before them in every language, and two places", (currency, symbol) => {
  expect(moneyText(100, currency, "en")).toBe(`${symbol}1.00`);
  expect(moneyText(100, currency, "tr")).toBe(`${symbol}1,00`);
  expect(moneyText(100, currency, "ar")).toBe(`\u2066${symbol}1,00\u2069`);
});

test("the largest amount of the wire is shown to the minor unit", () => {
  expect(moneyText(8_999_999_999_999, "TRY", "en")).toBe("₺89,999,999,999.99");
});

test("short leaves out a fraction of zero only", () => {
  expect(moneyText(500_000, "TRY", "tr", true)).toBe("₺5.000");
  expect(moneyText(500_050, "TRY", "tr", true)).toBe("₺5.000,50");
});

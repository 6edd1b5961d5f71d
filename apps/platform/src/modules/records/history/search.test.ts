import { expect, test } from "vitest";
import { matcherOf } from "./list.ts";

test.each([
  ["ışığı", "Kuzey Işığı 02"],
  ["ISIGI", "Kuzey Işığı 02"],
  ["isigi", "KUZEY IŞIĞI 02"],
  ["İNCİ", "inci 1"],
  ["inci", "İNCİ 1"],
  ["ınci", "İnci 1"],
  ["  nar   07 ", "Nar 07"],
  ["نار", "نَار 3"],
  ["%", "50% Nar"],
  ["_", "nar_07"],
  ["(", "Nar (07)"],
])("%s is found in %s", (search, text) => expect(matcherOf(search)?.(text)).toBe(true));

test.each([
  ["%", "Nar 07"],
  ["n_r", "Nar 07"],
  ["nar.*7", "Nar 07"],
  ["nar07", "Nar 07"],
  ["pera", "Nar 07"],
])("%s is not found in %s", (search, text) => expect(matcherOf(search)?.(text)).toBe(false));

test.each([undefined, "", "   ", "\u0301"])("%j searches for nothing", (search) =>
  expect(matcherOf(search)).toBeNull(),
);

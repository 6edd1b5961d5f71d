import { LANGUAGES } from "@longarm/contract/settings";
import { expect, test } from "vitest";
import { fillText } from "./texts.ts";

const catalogue = new Map(
  Object.entries({
    plain: "Balance",
    placed: "{name} has {amount}, {name}",
    free_zero: "none",
    free_one: "one seat",
    free_two: "two seats",
    free_few: "{count} a few",
    free_many: "{count} many",
    free_other: "{count} seats",
    short_other: "{count} left",
  }),
);

test("places are filled, every time they occur; one without a value is empty", () => {
  expect(fillText(catalogue, "en", "placed", { name: "Nar", amount: 5 })).toBe("Nar has 5, Nar");
  expect(fillText(catalogue, "en", "placed", { name: "Nar" })).toBe("Nar has , Nar");
  expect(fillText(catalogue, "en", "plain")).toBe("Balance");
});

test("a value is text and nothing else: no place in it is filled, no pattern of it is read", () => {
  const name = "{amount} $& $1 <b>";
  expect(fillText(catalogue, "en", "placed", { name, amount: 1 })).toBe(`${name} has 1, ${name}`);
  expect(fillText(new Map([["x", "{constructor}{__proto__}"]]), "en", "x", {})).toBe("");
});

test("a count picks the form of its language", () => {
  const forms = (language: "tr" | "en" | "ar") =>
    [0, 1, 2, 3, 11, 100].map((count) => fillText(catalogue, language, "free", { count }));
  expect(forms("en")).toEqual(["0 seats", "one seat", "2 seats", "3 seats", "11 seats", "100 seats"]);
  expect(forms("tr")).toEqual(["0 seats", "one seat", "2 seats", "3 seats", "11 seats", "100 seats"]);
  expect(forms("ar")).toEqual(["none", "one seat", "two seats", "3 a few", "11 many", "100 seats"]);
});

test("a form that is missing is the other one; a key without forms takes its count as a place", () => {
  for (const language of LANGUAGES) expect(fillText(catalogue, language, "short", { count: 1 })).toBe("1 left");
  expect(fillText(new Map([["x", "{count} spins"]]), "en", "x", { count: 1 })).toBe("1 spins");
  expect(fillText(catalogue, "en", "gone", { count: 1 })).toBeUndefined();
});

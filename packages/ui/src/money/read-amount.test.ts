import type { Language } from "@longarm/contract/settings";
import { LANGUAGES } from "@longarm/contract/settings";
import fc from "fast-check";
import { expect, test } from "vitest";
import { moneyParts, moneyText } from "./format.ts";
import { labelText, readAmount } from "./read-amount.ts";

const amount = (minor: number) => ({ is: "amount", minor });
const none = { is: "none" };

// player 2: an amount means the same on every page, whichever marks it is typed with.
test.each([
  ["5000", 500_000],
  ["5.000", 500_000],
  ["5,000", 500_000],
  ["5.00", 500],
  ["5,00", 500],
  ["5.0", 500],
  ["5.", 500],
  ["5,", 500],
  [".5", 50],
  [",05", 5],
  ["0.5", 50],
  ["750.5", 75_050],
  ["750,50", 75_050],
  ["1.250.000", 125_000_000],
  ["1,250,000", 125_000_000],
  ["1,250.5", 125_050],
  ["1.250,5", 125_050],
  ["12 450,75", 1_245_075],
  [" 12\u00a0450.75 ", 1_245_075],
  ["12\u202f450", 1_245_000],
  ["007", 700],
  ["٥٠٠", 50_000],
  ["١٢٬٤٥٠٫٧٥", 1_245_075],
  ["۵۰۰", 50_000],
  ["5٠٠", 50_000],
  ["₺12,450.75", 1_245_075],
  ["12.450,75 ₺", 1_245_075],
  ["\u2066₺12.450,75\u2069", 1_245_075],
  ["\u202e500", 50_000],
  ["99999999999.99", 9_999_999_999_999],
] as const)("%j is certain", (text, minor) => {
  expect(readAmount(text, "₺")).toEqual(amount(minor));
});

test.each([
  ["0.500", [50, 50_000]],
  [",250", [25, 25_000]],
  ["00,100", [10, 10_000]],
] as const)("%j has two readings and is refused with both", (text, readings) => {
  expect(readAmount(text)).toEqual({ is: "unclear", readings });
});

test.each([
  ...[
    "",
    " ",
    ".",
    ",",
    "0",
    "0,00",
    "0.000",
    "0.505",
    "-5",
    "−5",
    "+5",
    "1e5",
    "5k",
    "0x10",
    "five",
    "½",
    "５００",
    "5'000",
  ],
  ...[
    "5 00",
    "5 0000",
    "50 00.5",
    "1.2.3",
    "1,2,3",
    "1.234.56",
    "12.34.567",
    "1234.500",
    "1.2345",
    "1,234.567",
    "5.000.",
    "5..0",
  ],
  ...[
    "1.000,000.5",
    "1,000 000",
    "1٫5٫0",
    "$5",
    "5$",
    "₺",
    "₺₺5",
    "5₺5",
    "\u2066\u2069",
    "Infinity",
    "NaN",
    "123456789012",
  ],
  ...["9".repeat(40), `${" ".repeat(31)}5000`, "01.000", "5\n5"],
])("%j is no amount", (text) => {
  expect(readAmount(text, "₺")).toEqual(none);
});

const languages = fc.constantFrom<Language>(...LANGUAGES);
const currencies = fc.constantFrom("TRY", "USD", "EUR", "JPY", "XYZ");
const minors = fc.integer({ min: 1, max: 9_999_999_999_999 });

test("what the page writes it reads back to the minor unit, in every language and currency", () => {
  fc.assert(
    fc.property(minors, languages, currencies, fc.boolean(), (minor, language, currency, short) => {
      const { symbol, whole, fraction } = moneyParts(minor, currency, language);
      expect(readAmount(moneyText(minor, currency, language, short), symbol)).toEqual(amount(minor));
      expect(readAmount(whole + fraction)).toEqual(amount(minor));
    }),
    { seed: 113, numRuns: 2_000 },
  );
});

test("whatever is typed, no figure is dropped and none changes its place", () => {
  const typed = fc.string({ unit: fc.constantFrom(..."0123456789.,  \u00a0٫٬٠٥\u202e-+e₺".split("")), maxLength: 14 });
  fc.assert(
    fc.property(typed, (text) => {
      const read = readAmount(text, "₺");
      if (read.is !== "amount") return;
      const plain = text.replaceAll("٠", "0").replaceAll("٥", "5");
      const figures = BigInt(plain.replaceAll(/\D/g, ""));
      const value = BigInt(read.minor);
      // As whole units, or with one or two of the last figures behind the decimal mark.
      expect([figures * 100n, figures * 10n, figures]).toContain(value);
      expect(text).not.toMatch(/[-+e]/);
    }),
    { seed: 113, numRuns: 20_000 },
  );
});

test("labels of the operator and of a machine carry the page's marks, and words stay as they are", () => {
  const written = (label: string) => LANGUAGES.map((language) => labelText(label, language));
  const [tr, en] = [LANGUAGES.indexOf("tr"), LANGUAGES.indexOf("en")];
  expect([written("5.000")[tr], written("5.000")[en]]).toEqual(["5.000", "5,000"]);
  expect([written("0,10")[tr], written("0,10")[en]]).toEqual(["0,10", "0.10"]);
  expect(written("500")[en]).toBe("500");
  expect(written("1.000.000")[en]).toBe("1,000,000");
  expect(written("0.5")[tr]).toBe("0,5");
  for (const label of ["10k", "All in", "1.2.3", "0,500", ""]) expect(written(label)[en]).toBe(label);
});

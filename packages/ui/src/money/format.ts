import type { Language } from "@longarm/contract/settings";

/** The locale of numbers and times. Arabic pages keep Latin digits and the marks that the machines themselves show. */
export const LOCALES: Readonly<Record<Language, string>> = { tr: "tr-TR", en: "en-GB", ar: "ar-DZ-u-nu-latn" };

/** An amount in parts, so that sign and kuruş can be drawn quieter (design.md section 4). */
export type MoneyParts = {
  /** "−" (U+2212), "+" when requested, or nothing. */
  readonly sign: string;
  readonly symbol: string;
  /** Whole units with their group marks. */
  readonly whole: string;
  /** Decimal mark and two digits. */
  readonly fraction: string;
};

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string, language: Language): Intl.NumberFormat {
  const key = `${language} ${currency}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.NumberFormat(LOCALES[language], {
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    useGrouping: true,
  });
  formats.set(key, made);
  return made;
}

/** One sign in every language (R-9-03): Arabic formats would write US$ and UK£. */
function symbolOf(currency: string): string {
  const parts = formatOf(currency, "en").formatToParts(0);
  return parts.find(({ type }) => type === "currency")?.value ?? currency;
}

/** `minor` in the page's currency and language. An unknown currency shows its code. Exact: no fraction is ever computed. */
export function moneyParts(minor: number, currency: string, language: Language, signed = false): MoneyParts {
  const parts = formatOf(currency, language).formatToParts(decimalText(Math.abs(minor)) as Intl.StringNumericLiteral);
  const text = (...types: Intl.NumberFormatPartTypes[]) =>
    parts
      .filter((part) => types.includes(part.type))
      .map((part) => part.value)
      .join("");
  return {
    sign: signOf(minor, signed),
    symbol: symbolOf(currency),
    whole: text("integer", "group"),
    fraction: text("decimal", "fraction"),
  };
}

/** The amount as one text, for titles, messages and screen readers. `short` leaves out a fraction of zero. */
export function moneyText(minor: number, currency: string, language: Language, short = false): string {
  const { sign, symbol, whole, fraction } = moneyParts(minor, currency, language);
  const text = `${sign}${symbol}${whole}${short && minor % 100 === 0 ? "" : fraction}`;
  // Isolated: in a sentence that runs right to left the symbol would change its side.
  return language === "ar" ? `\u2066${text}\u2069` : text;
}

/** Minor units divided by 100, exactly. */
export function decimalText(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, "0");
  return `${minor < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function signOf(minor: number, signed: boolean): string {
  if (minor < 0) return "−";
  return signed && minor > 0 ? "+" : "";
}

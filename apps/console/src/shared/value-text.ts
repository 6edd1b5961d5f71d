import { CARE_UNITS } from "@longarm/contract/player-care";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { LOCALES, moneyText } from "@longarm/ui/money/format.ts";

/** What a number counts. */
type Unit = "millisecond" | "minute" | "hour" | "day" | "month" | "year" | "percent" | "times" | "money" | "plain";

/** Rules of a market whose name does not end with its unit. */
const UNITS: Readonly<Record<string, Unit>> = {
  realityCheckMin: "minute",
  forcedBreak: "minute",
  exclusionMonthsMin: "month",
  ageMin: "year",
  stakeCaps: "money",
  limitsOfAll: "money",
  ...Object.fromEntries(
    Object.entries(CARE_UNITS).map(([measure, unit]) => [
      `careAt.${measure}`,
      ({ minutes: "minute", times: "times", share: "percent" } as const)[unit],
    ]),
  ),
};
const ENDINGS: readonly (readonly [RegExp, Unit])[] = [
  [/Ms(Max)?$/, "millisecond"],
  [/Hours\b/, "hour"],
  [/Days$/, "day"],
  [/Years$/, "year"],
];
/** A part, `stakeCaps.under25`, has the unit of the whole where it has none of its own. */
const unitOf = (name: string): Unit =>
  UNITS[name] ?? UNITS[name.split(".")[0] ?? ""] ?? ENDINGS.find(([ending]) => ending.test(name))?.[1] ?? "plain";

/**
 * A value that the platform keeps as data, in words: yes, no, none, lengths, money. `name`: of the rule that it is, for its unit. `currency`: of its
 * amounts; absent: the venue's. What has no words stays as it is named.
 */
export function useValueText(): (value: unknown, name?: string, currency?: string) => string {
  const { t, find, language } = useText();
  const venueCurrency = useCurrency();

  function number(value: number, unit: Unit, currency: string): string {
    if (unit === "money") return isolated(moneyText(value, currency, language, true));
    if (unit === "plain") return isolated(new Intl.NumberFormat(LOCALES[language]).format(value));
    if (unit === "times") return t("market.value_times", { count: value });
    // Whole hours, and seconds with their parts, are read more easily than many minutes or thousands of milliseconds.
    if (unit === "minute" && value >= 120 && value % 60 === 0) return number(value / 60, "hour", currency);
    const [shown, of] = unit === "millisecond" ? [value / 1_000, "second"] : [value, unit];
    const format = new Intl.NumberFormat(LOCALES[language], {
      ...{ style: "unit", unit: of, unitDisplay: of === "percent" ? "short" : "long", maximumFractionDigits: 3 },
    });
    return isolated(format.format(shown));
  }

  /** `deposit.month` is a limit and its period; other words are found by themselves, and names of registers have none. */
  function word(text: string): string {
    const [kind = "", period] = text.split(".");
    const what = find(`market.value_${kind}`) ?? kind;
    if (period === undefined) return what;
    return /^(day|week|month)$/.test(period) ? t(`market.value_${period as "day" | "week" | "month"}`, { what }) : text;
  }

  function said(value: unknown, name: string, unit: Unit, currency: string): string {
    if (value === null || value === undefined || value === "") return t("market.value_none");
    if (typeof value === "boolean") return t(value ? "market.value_yes" : "market.value_no");
    if (typeof value === "number") return number(value, unit, currency);
    if (typeof value === "string") return word(value);
    const isNested = Object.values(value).some((one) => typeof one === "object" && one !== null);
    const parts = Array.isArray(value)
      ? value.map((one) => said(one, name, unit, currency))
      : Object.entries(value).map(([key, one]) =>
          t("market.value_pair", {
            name: word(key),
            value: said(one, `${name}.${key}`, UNITS[`${name}.${key}`] ?? unit, currency),
          }),
        );
    return parts.length === 0 ? t("market.value_none") : parts.join((isNested ? GROUPS : SEPARATORS)[language]);
  }
  return (value, name = "", currency = venueCurrency) => said(value, name, unitOf(name), currency);
}

const GROUPS = { tr: "; ", en: "; ", ar: "؛ " } as const;
const SEPARATORS = { tr: ", ", en: ", ", ar: "، " } as const;

const isolated = (text: string): string => `\u2068${text}\u2069`;

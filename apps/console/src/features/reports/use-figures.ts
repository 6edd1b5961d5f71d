import { useText } from "@longarm/ui/i18n/use-text.ts";
import { LOCALES } from "@longarm/ui/money/format.ts";

/** How figures are written in the language of the page. */
export function useFigures() {
  const { language, t } = useText();
  const number = (value: number, places: number) =>
    new Intl.NumberFormat(LOCALES[language], { minimumFractionDigits: places, maximumFractionDigits: places }).format(
      value,
    );
  return {
    /** Hundredths of a percent: "4.98 %". */
    percent: (hundredths: number) => t("reports.percent", { number: number(hundredths / 100, 2) }),
    /** A part of a whole: "63 %"; a dash: there is no whole. */
    share: (part: number, whole: number) =>
      whole === 0 ? "–" : t("reports.percent", { number: number((part / whole) * 100, 0) }),
    /** How much more than before: "+6.2 %". Undefined: there was nothing before. */
    change: (now: number, before: number) =>
      before === 0
        ? undefined
        : t("reports.percent", {
            number: `${now >= before ? "+" : "−"}${number(Math.abs((now / before - 1) * 100), 1)}`,
          }),
    count: (value: number) => number(value, 0),
  };
}

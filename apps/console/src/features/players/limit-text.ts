import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";

export const LIMIT_KINDS = ["cashIn24h", "loss24h", "sessionMinutes"] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];

/** A limit in words: an amount, minutes, or that there is none. */
export function useLimitText(): (kind: LimitKind, value: number | null) => string {
  const { t, language } = useText();
  const currency = useCurrency();
  return (kind, value) => {
    if (value === null) return t("players.noLimit");
    return kind === "sessionMinutes"
      ? t("players.minutes", { count: value })
      : moneyText(value, currency, language, true);
  };
}

import type { LimitSubject } from "@longarm/contract/player-protection";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import type { AnswerOf } from "../../shared/api.ts";

export type CountedLimit = AnswerOf<"player">["limits"]["counted"][number];

/** Limits that the panel and the forms show also where there are none. */
const USUAL: ReadonlySet<LimitSubject> = new Set(["cashIn.day", "loss.day", "session"]);

/** What is limited or will be, and the usual three. */
export const shownLimits = (counted: readonly CountedLimit[]): readonly CountedLimit[] =>
  counted.filter(({ key, value, later }) => value !== null || later !== null || USUAL.has(key));

export const isTime = (key: LimitSubject): boolean => /^(time|session)/.test(key);

/** A limit's name and value in words: an amount, minutes, or that there is none. */
export function useLimitText() {
  const { t, language } = useText();
  const currency = useCurrency();
  return {
    nameOf(key: LimitSubject): string {
      const [kind = "", period] = key.split(".");
      const what = t(`players.limit_${kind as Kind}`);
      return period === undefined
        ? what
        : t("players.limitOver", { what, period: t(`players.period_${period as Period}`) });
    },
    wordsOf(key: LimitSubject, value: number | null): string {
      if (value === null) return t("players.noLimit");
      return isTime(key) ? t("players.minutes", { count: value }) : moneyText(value, currency, language, true);
    },
  };
}

type Kind = "deposit" | "cashIn" | "loss" | "wager" | "time" | "session";
type Period = "day" | "week" | "month";

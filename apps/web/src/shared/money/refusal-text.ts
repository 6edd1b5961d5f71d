import type { Speech, TextParams } from "@longarm/ui/i18n/texts.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { dateTimeText } from "@longarm/ui/time/time-text.ts";
import { codeText } from "../i18n/problem-text.ts";
import type { TextKey } from "../i18n/text-key.ts";

/** The text of a refusal that may say how much is `left` (minor units) and `until` when (an instant): both as this page writes them. */
export function refusalText(
  speech: Speech,
  { code, params = {} }: { readonly code: number | string; readonly params?: TextParams },
  currency: string,
): string | undefined {
  const { left, until } = params;
  const { language } = speech;
  const shown = {
    ...params,
    ...(typeof left === "number" && { left: moneyText(left, currency, language) }),
    // Isolated, as amounts are: in a sentence that runs right to left day and time would change places.
    // And kept on one line.
    ...(typeof until === "string" && {
      until: `\u2066${dateTimeText(until, language).replaceAll(" ", "\u00a0")}\u2069`,
    }),
  };
  const again = left === 0 && typeof until === "string" ? AGAIN[String(code).replace(/^CODE_/, "")] : undefined;
  const text = (again && speech.find(again, shown)) ?? codeText(speech, code, shown);
  return text === undefined ? undefined : withOwner(speech, text, params);
}

/** A sentence about a limit, and whose it is and for how long it counts, where the platform says both. */
export function withOwner(speech: Speech, text: string, { owner, period }: TextParams): string {
  if (typeof owner !== "string" || typeof period !== "string") return text;
  const span = speech.find(PERIODS[period] ?? "play.limitPeriod", {});
  const whose = span === undefined ? undefined : speech.find(OWNERS[owner] ?? "play.limitOf", { period: span });
  return whose === undefined ? text : `${text} ${whose}`;
}
const OWNERS: Readonly<Record<string, TextKey>> = {
  player: "play.limitOf_player",
  operator: "play.limitOf_operator",
  market: "play.limitOf_market",
};
const PERIODS: Readonly<Record<string, TextKey>> = {
  day: "play.limitPeriod_day",
  week: "play.limitPeriod_week",
  month: "play.limitPeriod_month",
};

/** Limits of which nothing is left: "at most 0" helps less than from when on there is something again. */
const AGAIN: Readonly<Record<string, TextKey>> = {
  "60060": "play.depositLimitUntil",
  "60061": "play.lossLimitUntil",
  "60063": "payments.limitUntil",
  "60064": "play.wagerLimitUntil",
  "60065": "play.timeLimitUntil",
};

/** Refusals by a limit of the player, or for want of an answer about limits: the page of limits says which one, and until when. */
export function isLimitRefusal(code: number | string): boolean {
  return /^(CODE_)?(6006[013-6]|60092)$/.test(String(code));
}

/** The page that helps after a refusal, and after an end that names its reason; undefined: none does. */
export type HelpingPage = "limits" | "identity" | "terms";
export function helpingPage(code: number | string): HelpingPage | undefined {
  if (isLimitRefusal(code)) return "limits";
  const number = String(code).replace(/^CODE_/, "");
  if (/^6008[3-6]$/.test(number)) return "identity";
  return number === "60090" ? "terms" : undefined;
}

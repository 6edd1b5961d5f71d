import type { TextParams } from "../i18n/fill-text.ts";
import { codeText } from "../i18n/problem-text.ts";
import type { Speech } from "../i18n/texts.ts";
import { dateTimeText } from "../time/time-text.ts";
import { moneyText } from "./format.ts";

/** The text of a refusal that may say how much is `left` (minor units) and `until` when (an instant): both as this page writes them. */
export function refusalText(
  speech: Speech,
  { code, params = {} }: { readonly code: number | string; readonly params?: TextParams },
  currency: string,
): string | undefined {
  const { left, until } = params;
  const { language } = speech;
  return codeText(speech, code, {
    ...params,
    ...(typeof left === "number" && { left: moneyText(left, currency, language) }),
    // Isolated, as amounts are: in a sentence that runs right to left day and time would change places.
    // And kept on one line.
    ...(typeof until === "string" && {
      until: `\u2066${dateTimeText(until, language).replaceAll(" ", "\u00a0")}\u2069`,
    }),
  });
}

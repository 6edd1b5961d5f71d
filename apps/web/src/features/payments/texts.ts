import type { PaymentState } from "@longarm/contract/payments";
import type { Payment } from "@longarm/contract/player-payments";
import type { Language } from "@longarm/contract/settings";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { ApiError } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { refusalText } from "../../shared/money/refusal-text.ts";

/** How each state shines, always beside its word. */
export const LAMPS: Readonly<Record<PaymentState, LampStatus>> = {
  ...({
    requested: "waiting",
    authorised: "waiting",
    inReview: "waiting",
    approved: "waiting",
    sent: "waiting",
  } as const),
  ...({ captured: "available", paid: "available" } as const),
  ...({
    refused: "off",
    cancelled: "off",
    expired: "off",
    failed: "off",
    reversed: "off",
    chargedBack: "off",
  } as const),
};

const plain = (text: string): string => text.replaceAll(/[\u200e\u200f\u061c]/gu, "");
/** A moment as a person says it; figures of a time run left to right in every language. */
export function momentText({ language }: { readonly language: Language }, iso: string): string {
  const ms = Date.parse(iso);
  const day = plain(timeFormat(language, { day: "numeric", month: "long" }).format(ms));
  return `${day}, ${clockText({ language }, iso)}`;
}

/** The time of day alone. */
export function clockText({ language }: { readonly language: Language }, iso: string): string {
  const time = plain(
    timeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(Date.parse(iso)),
  );
  return language === "ar" ? `\u2066${time}\u2069` : time;
}

/** What a payment is called in a list: by its way and its direction. */
export const rowName = ({ t }: Pick<Speech, "t">, { kind }: Pick<Payment, "kind">): string => t(`payments.row_${kind}`);

/** Why a call failed or is refused, with amounts and times as this page writes them. */
export function refusedText(speech: Speech, currency: string, { failure }: { readonly failure: ApiFailure }): string {
  const { is, code, params } = failure;
  const said = is === "refused" && code !== undefined ? refusalText(speech, { code, params }, currency) : undefined;
  return said ?? failureText(speech, failure);
}

/** The same of what a change threw; undefined: it has not failed. */
export function failedText(speech: Speech, currency: string, error: Error | null): string | undefined {
  if (error === null) return undefined;
  return error instanceof ApiError ? refusedText(speech, currency, error) : speech.t("app.callFailed");
}

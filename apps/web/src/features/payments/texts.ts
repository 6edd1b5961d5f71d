import type { PaymentState } from "@longarm/contract/payments";
import { DESK } from "@longarm/contract/payments";
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

/** A provider as a player reads it. */
export const wayName = (way: string): string => way.charAt(0).toUpperCase() + way.slice(1);

/** What a payment is called in a list: by its way and its direction. */
export const rowName = ({ t }: Pick<Speech, "t">, { kind, way }: Pick<Payment, "kind" | "way">): string =>
  way === DESK ? t(`payments.row_${kind}`) : t(`payments.viaRow_${kind}`, { name: wayName(way) });

/** The word of a payment's state. */
export function stateText({ t }: Pick<Speech, "t">, { state, way }: Pick<Payment, "state" | "way">): string {
  if (way !== DESK && (state === "requested" || state === "authorised" || state === "approved"))
    return t("payments.viaState_onItsWay");
  return t(`payments.state_${state}`);
}

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

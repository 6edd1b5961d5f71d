import type { LimitPreview, OwnLimit, OwnLimits } from "@longarm/contract/player-limits";
import { limitCalls } from "@longarm/contract/player-limits";
import type { CheckMinutes, LimitPeriod, LimitSubject } from "@longarm/contract/player-protection";
import type { Timers } from "@longarm/link/socket";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import type { Live } from "@longarm/ui/live.ts";
import type { SayMessage } from "@longarm/ui/messages.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ApiAnswer, ApiClient } from "../../shared/api/client.ts";
import { dataOf } from "../../shared/api/client.ts";
import type { WalletNow } from "../../shared/play-deps.ts";

/** What the page works with. */
export type SaferPlayDeps = {
  readonly api: Pick<ApiClient, "make">;
  readonly clock: { now(): number };
  readonly timers: Timers;
  readonly messages: { readonly say: SayMessage };
  /** A balance that changed has a move behind it that counts. */
  readonly wallet: Live<WalletNow>;
  /** A limit was set, answered or read of: the sign-in's answer may say another thing by now. */
  readonly onChanged?: () => void;
};

export const LIMIT_ROWS = ["loss", "cashIn", "wager", "deposit", "time"] as const;
export type LimitRow = (typeof LIMIT_ROWS)[number];

export const isTime = (key: LimitSubject): boolean => /^(time|session)/.test(key);

/** The row and the period of a limit; one play session is of the row of time, without a period. */
export function partsOf(key: LimitSubject): { readonly row: LimitRow; readonly period: LimitPeriod | "session" } {
  if (key === "session") return { row: "time", period: "session" };
  const [row, period] = key.split(".") as [LimitRow, LimitPeriod];
  return { row, period };
}

export function keyOf(row: LimitRow, period: LimitPeriod | "session"): LimitSubject {
  return period === "session" ? "session" : `${row}.${period}`;
}

const QUERY_KEY = ["limits"];
/** Old moves leave their period while the page is open, ms. */
const AGAIN_MS = 60_000;

/** The player's limits. A platform without them answers 404: `absent`. */
export function useLimits({ api, wallet }: Pick<SaferPlayDeps, "api" | "wallet">) {
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: async ({ signal }): Promise<OwnLimits | "absent"> => {
      const answer = await api.make(limitCalls.limits, { signal });
      return !answer.ok && answer.failure.httpStatus === 404 ? "absent" : dataOf(answer);
    },
    refetchInterval: AGAIN_MS,
  });
  const { refetch } = query;
  useEffect(() => wallet.subscribe((now, was) => void (now?.balance !== was?.balance && refetch())), [wallet, refetch]);
  return query;
}

/** A change of the player's limits; what it answers is what the page shows from then on. */
export type LimitChange =
  | { readonly is: "set"; readonly key: LimitSubject; readonly value: number | null }
  | { readonly is: "check"; readonly minutes: CheckMinutes | null }
  | { readonly is: "decline" }
  | { readonly is: "read"; readonly id: string }
  | { readonly is: "takeBack"; readonly id: string }
  | { readonly is: "answer"; readonly id: string; readonly wanted: boolean };

export function useLimitChange({ api, onChanged }: Pick<SaferPlayDeps, "api" | "onChanged">) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (change: LimitChange) => dataOf(await send(api, change)),
    onSuccess: (limits) => {
      cache.setQueryData(QUERY_KEY, limits);
      onChanged?.();
    },
    networkMode: "always",
  });
}

function send(api: SaferPlayDeps["api"], change: LimitChange): Promise<ApiAnswer<OwnLimits>> {
  switch (change.is) {
    case "set":
      return api.make(limitCalls.setLimit, { body: { key: change.key, value: change.value } });
    case "read":
      return api.make(limitCalls.readLimitNews, { body: { id: change.id } });
    case "check":
      return api.make(limitCalls.chooseCheck, { body: { minutes: change.minutes } });
    case "decline":
      return api.make(limitCalls.declineLimits, { body: { answer: "notNow" } });
    case "takeBack":
      return api.make(limitCalls.takeLimitBack, { body: { id: change.id } });
    case "answer":
      return api.make(limitCalls.answerLimit, { body: { id: change.id, wanted: change.wanted } });
  }
}

/** What a limit would come to that is below what is used: only the platform knows when it frees. */
export function usePreview({ api }: Pick<SaferPlayDeps, "api">, key: LimitSubject, value: number | null | undefined) {
  return useQuery({
    queryKey: ["limits", "preview", key, value],
    queryFn: async ({ signal }): Promise<LimitPreview> =>
      dataOf(await api.make(limitCalls.previewLimit, { body: { key, value: value ?? null }, signal })),
    enabled: value !== undefined && value !== null,
    staleTime: 10_000,
    refetchOnWindowFocus: false,
  }).data;
}

/**
 * What a wish does. `same`: it is so already. `now`: it is stricter and holds at once; `over`: more than it is used already, so that play stops.
 * `later`: it is looser and waits.
 */
export type Outcome =
  | { readonly is: "same" }
  | { readonly is: "now"; readonly over: boolean }
  | { readonly is: "later" };

export function outcomeOf(limit: OwnLimit, wanted: number | null): Outcome {
  const { mine, used, key } = limit;
  if (wanted === mine) return { is: "same" };
  if (mine !== null && (wanted === null || wanted > mine)) return { is: "later" };
  return { is: "now", over: key !== "session" && wanted !== null && used >= wanted };
}

const NEAR = 0.8;

/** How full a gauge is, 0 to 1, and whether little is left. Undefined: no limit. */
export function gaugeOf({ value, used }: OwnLimit): { readonly full: number; readonly isNear: boolean } | undefined {
  if (value === null) return undefined;
  const full = value === 0 ? 1 : Math.min(1, used / value);
  return { full, isNear: full >= NEAR };
}

/** A looser limit whose wait is over: the page asks whether it is still wanted. */
export function isDue({ waiting }: OwnLimit, nowMs: number): boolean {
  return waiting !== null && waiting.answerUntil !== null && Date.parse(waiting.from) <= nowMs;
}

/** What the lobby says of looser limits: one waits for the player's yes, or has begun by itself. The first of them. */
export function newsOf({ limits, begun = [] }: OwnLimits, nowMs: number): LimitNews | undefined {
  const asks = limits.find((limit) => isDue(limit, nowMs));
  if (asks?.waiting != null) return { is: "asks", key: asks.key, value: asks.waiting.value };
  const [first] = begun;
  return first === undefined ? undefined : { is: "begun", key: first.key, value: first.value };
}
export type LimitNews = {
  readonly is: "asks" | "begun";
  readonly key: LimitSubject;
  readonly value: number | null;
};

/** A limit's value in words: an amount without a fraction of zero, or a time. */
export function valueText(speech: Speech, currency: string, key: LimitSubject, value: number | null): string {
  if (value === null) return speech.t("saferPlay.none");
  return isTime(key) ? durationText(speech, value) : moneyText(value, currency, speech.language, true);
}

/** Minutes as hours and minutes: "1 h 12 min". */
export function durationText({ t, language }: Pick<Speech, "t" | "language">, minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return t("saferPlay.minutes", { count: rest });
  if (rest === 0) return t("saferPlay.hours", { count: hours });
  // As a clock in Arabic, where the words of both would be a sentence.
  return t("saferPlay.hoursMinutes", { hours, minutes: language === "ar" ? String(rest).padStart(2, "0") : rest });
}

/** Day and time of an instant, as a person says it: "Monday 23 November, 16:34". */
export function momentText({ language }: Pick<Speech, "language">, iso: string): string {
  const ms = Date.parse(iso);
  const plain = (text: string) => text.replace(/[\u200e\u200f\u061c]/g, "");
  const day = plain(timeFormat(language, { weekday: "long", day: "numeric", month: "long" }).format(ms));
  const time = plain(timeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(ms));
  // Times run left to right in every language, and are kept on one line with what they belong to.
  return language === "ar" ? `${day} \u2066${time}\u2069` : `${day.replace(", ", " ")},\u00a0${time}`;
}

/** The shortest wait of a looser limit in words: whole hours, or days. */
export function waitText({ t }: Pick<Speech, "t">, { looserFrom }: OwnLimit, nowMs: number): string {
  const hours = Math.max(1, Math.round((Date.parse(looserFrom) - nowMs) / 3_600_000));
  return hours < 72 ? t("saferPlay.hours", { count: hours }) : t("saferPlay.days", { count: Math.round(hours / 24) });
}

/** Of the limits that hold the one of which the smallest part is left; undefined: none holds. A length of one play session is used up by nothing. */
export function tightestOf({ limits }: OwnLimits): OwnLimit | undefined {
  const part = ({ value, left }: OwnLimit) => (value === 0 ? 0 : (left ?? 0) / (value ?? 1));
  return limits
    .filter(({ key, value }) => key !== "session" && value !== null)
    .toSorted((a, b) => part(a) - part(b))[0];
}

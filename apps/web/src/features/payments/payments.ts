import type { Failure } from "@longarm/contract/http";
import type { PaymentKind, PaymentState } from "@longarm/contract/payments";
import { DESK, OPEN_PAYMENTS } from "@longarm/contract/payments";
import type { Payment, PaymentsAnswer } from "@longarm/contract/player-payments";
import { paymentCalls } from "@longarm/contract/player-payments";
import type { problems } from "@longarm/contract/problems";
import type { Live } from "@longarm/ui/live.ts";
import type { SayMessage } from "@longarm/ui/messages.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { ApiClient } from "../../shared/api/client.ts";
import { dataOf } from "../../shared/api/client.ts";
import { ApiError } from "../../shared/api/failure.ts";
import type { WalletNow } from "../../shared/play-deps.ts";

/** What the page works with. */
export type PaymentsDeps = {
  readonly api: Pick<ApiClient, "make">;
  readonly messages: { readonly say: SayMessage };
  /** A balance that changed may have a payment behind it. */
  readonly wallet: Live<WalletNow>;
  readonly newId: () => string;
};

const QUERY_KEY = ["payments"];
/** While something is under way, and else, ms: what the desk does shows without a reload. */
const OPEN_AGAIN_MS = 4_000;
const AGAIN_MS = 60_000;

const OPEN: ReadonlySet<PaymentState> = new Set(OPEN_PAYMENTS);

/** Nothing is decided yet. */
export const isOpen = ({ state }: Pick<Payment, "state">): boolean => OPEN.has(state);

/** The player's payments. A platform without them answers 404: `absent`. */
export function usePayments({ api, wallet }: Pick<PaymentsDeps, "api" | "wallet">) {
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: async ({ signal }): Promise<PaymentsAnswer | "absent"> => {
      const answer = await api.make(paymentCalls.payments, { signal });
      return !answer.ok && answer.failure.httpStatus === 404 ? "absent" : dataOf(answer);
    },
    refetchInterval: ({ state: { data } }) =>
      typeof data === "object" && data.payments.some(isOpen) ? OPEN_AGAIN_MS : AGAIN_MS,
  });
  const { refetch } = query;
  useEffect(() => wallet.subscribe((now, was) => void (now?.balance !== was?.balance && refetch())), [wallet, refetch]);
  return query;
}

/** What a player wants: an amount, in or out, by one way. */
export type Wish = { readonly kind: PaymentKind; readonly way: string; readonly amount: number };

/** Requests a payment. While no answer came, the same wish keeps its id: the platform does it once. */
export function useRequest({ api, newId }: Pick<PaymentsDeps, "api" | "newId">) {
  const cache = useQueryClient();
  const unsure = useRef<{ readonly of: string; readonly id: string }>(undefined);
  return useMutation({
    mutationFn: async (wish: Wish) => {
      const of = JSON.stringify([wish.kind, wish.way, wish.amount]);
      if (unsure.current?.of !== of) unsure.current = { of, id: newId() };
      const answer = await api.make(paymentCalls.requestPayment, { body: { id: unsure.current.id, ...wish } });
      if (answer.ok || answer.failure.is === "refused") unsure.current = undefined;
      return dataOf(answer);
    },
    onSuccess: (answer) => cache.setQueryData(QUERY_KEY, answer),
    networkMode: "always",
  });
}

/** Ends a payment that the player may end. What it answers is what the page shows; a refusal shows what it is by now. */
export function useCancel({ api }: Pick<PaymentsDeps, "api">) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (payment: string) => dataOf(await api.make(paymentCalls.cancelPayment, { body: { payment } })),
    onSuccess: (answer) => cache.setQueryData(QUERY_KEY, answer),
    onError: (error) =>
      error instanceof ApiError && error.failure.is === "refused"
        ? cache.invalidateQueries({ queryKey: QUERY_KEY })
        : undefined,
    networkMode: "always",
  });
}

type CodeOf<Name extends keyof typeof problems> = (typeof problems)[Name]["code"];
const EXCLUDED: CodeOf<"player.excluded"> = 60062;
const ON_BREAK: CodeOf<"player.on_break"> = 60080;
const HAS_CLOSED: CodeOf<"player.closed"> = 60081;
const CLOSED: ReadonlySet<number | undefined> = new Set([EXCLUDED, ON_BREAK, HAS_CLOSED]);
/** The player has closed play: the page offers no money to add. */
export const hasClosedPlay = (closed: Failure | null): boolean => closed !== null && CLOSED.has(closed.code);

/** Amounts that can be tapped, minor units; they end at what there is. `most`: null, there is no end. */
export function quickAmounts(kind: PaymentKind, most: number | null): number[] {
  const offered = kind === "deposit" ? [10_000, 25_000, 50_000] : [100_000, 300_000];
  const within = offered.filter((amount) => most === null || amount <= most);
  return kind === "deposit" && within.length < offered.length && most !== null && most > 0 && !within.includes(most)
    ? [...within, most]
    : within;
}

export type Step = {
  readonly name:
    | "made"
    | "deskTakes"
    | "deskPays"
    | "reviewed"
    | "inWallet"
    | "paidOut"
    | "requested"
    | "viaTakes"
    | "viaPays"
    | "viaReviewed";
  readonly is: "done" | "now" | "next";
};

/** How far a payment is: what is behind it, where it is, what comes. Of one that is over without money: nothing. */
export function stepsOf({ kind, state, way }: Pick<Payment, "kind" | "state" | "way">): readonly Step[] {
  const isDone = state === "captured" || state === "paid";
  if (!isDone && !isOpen({ state })) return [];
  const end = kind === "deposit" ? "inWallet" : "paidOut";
  const last: Step = { name: end, is: isDone ? "done" : "next" };
  if (way !== DESK) {
    const via = kind === "deposit" ? "viaTakes" : "viaPays";
    return [
      { name: "requested", is: "done" },
      { name: state === "inReview" ? "viaReviewed" : via, is: isDone ? "done" : "now" },
      last,
    ];
  }
  const isReviewed = state === "authorised" || state === "inReview";
  const desk = kind === "deposit" ? "deskTakes" : "deskPays";
  return [
    { name: "made", is: "done" },
    ...(isReviewed ? [{ name: desk, is: "done" } as const] : []),
    { name: isReviewed ? "reviewed" : desk, is: isDone ? "done" : "now" },
    last,
  ];
}

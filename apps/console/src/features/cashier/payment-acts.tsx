import { DESK } from "@longarm/contract/payments";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { ActKeys } from "../../shared/ui/form-sheet.tsx";
import { Facts } from "../../shared/ui/panel.tsx";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";

export type Payment = AnswerOf<"payments">["rows"][number];

/** What a payment is for the desk. */
export const WAYS = { deposit: "deposit", withdrawal: "withdraw" } as const;

export type PaymentAct = "refusePayment" | "approvePayment" | "settlePayment";
export const ACTS = {
  refusePayment: { key: "refuse", title: "refuseTitle", note: "refuseNote", said: "refusedSaid", needs: "wallet.move" },
  approvePayment: {
    key: "approve",
    title: "approveTitle",
    note: "approveNote",
    said: "approvedSaid",
    needs: "wallet.move",
  },
  settlePayment: { key: "settle", title: "settleTitle", note: "settleNote", said: "settledSaid", needs: "player.lock" },
} as const satisfies Record<PaymentAct, unknown>;

const OPEN: readonly Payment["state"][] = ["requested", "authorised", "inReview", "approved", "sent"];

/** What may be done about a payment now. */
export function actsOf({ way, kind, state, trouble }: Payment): readonly PaymentAct[] {
  const settles: readonly PaymentAct[] = trouble === null || trouble === "late" ? [] : ["settlePayment"];
  if (!OPEN.includes(state) || (settles.length > 0 && state !== "requested" && state !== "authorised")) return settles;
  if (way !== DESK && kind === "withdrawal" && state === "inReview") return ["approvePayment", "refusePayment"];
  const isLeft = state === "sent" || state === "approved";
  return [...settles, ...(isLeft ? [] : (["refusePayment"] as const))];
}

/** The reason of an act, and the act. */
export function PaymentActForm(props: {
  readonly payment: Payment;
  readonly act: PaymentAct;
  readonly close: () => void;
}) {
  const { payment, act, close } = props;
  const { t } = useText();
  const { messages } = useConsole();
  const { busy, run } = useAct();
  const [words, setWords] = useState("");
  const { id, kind, amount, player } = payment;
  const name = payment.name ?? player.username;
  async function send(): Promise<void> {
    const answer = await run(act, {
      params: { id },
      fields: { reason: reasonOf(words) },
      summary: { title: t(`cashier.${ACTS[act].title}`), lines: [[t("cashier.player"), name]], amount },
      reads: ["payments", "payment", "players", "player"],
    });
    if (answer?.is === "done") messages.say("good", t(`cashier.${ACTS[act].said}`));
    if (answer !== undefined) close();
  }
  return (
    <>
      <Facts
        rows={[
          [t("cashier.player"), name],
          [t("cashier.way"), t(`cashier.${WAYS[kind]}`)],
          [t("app.amount"), <Money key="amount" minor={amount} />],
        ]}
      />
      <ReasonField value={words} onText={setWords} />
      <p className="fine">{t(`cashier.${ACTS[act].note}`)}</p>
      <ActKeys
        send={t(`cashier.${ACTS[act].key}`)}
        busy={busy}
        disabled={reasonOf(words) === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}

import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import type { TypedAmount } from "@longarm/ui/money/read-amount.ts";
import { refusalText } from "../../../../shared/money/refusal-text.ts";
import type { TransferState } from "../../state/transfers.ts";

/** What the player reads about their last transfer; undefined while there is nothing to read. */
export function transferText(transfer: TransferState, speech: Speech, currency: string): string | undefined {
  const money = (minor: number): string => moneyText(minor, currency, speech.language, true);
  if (transfer.is === "checking") return speech.t("play.transferChecking");
  if (transfer.is === "refused") {
    const { refusal } = transfer;
    if (refusal === undefined) return speech.t("play.transferRefused");
    return refusalText(speech, refusal, currency) ?? (refusal.reason || speech.t("play.transferRefused"));
  }
  if (transfer.is === "idle" || transfer.is === "busy") return undefined;
  const amount = money(transfer.amount);
  const part = transfer.requested !== null && transfer.amount < transfer.requested;
  if (transfer.direction === "cashOut")
    return part
      ? speech.t("play.withdrawPart", { amount, asked: money(transfer.requested) })
      : speech.t("play.withdrawDone", { amount });
  return part
    ? speech.t("play.depositPart", { amount, asked: money(transfer.requested) })
    : speech.t("play.depositDone", { amount });
}

/** What is wrong with a typed amount; an ambiguous one is shown in both readings. */
export function typedText(typed: TypedAmount, speech: Speech, currency: string): string | undefined {
  if (typed.is === "amount") return undefined;
  if (typed.is === "none") return speech.t("play.notAmount");
  const [one, other] = typed.readings.map((minor) => moneyText(minor, currency, speech.language));
  return speech.t("play.amountUnclear", { one: one ?? "", other: other ?? "" });
}

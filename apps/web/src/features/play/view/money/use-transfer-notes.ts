import { useEffect } from "react";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { useCurrency } from "../../../../shared/money/currency.ts";
import type { PlayNow } from "../play-context.ts";
import { transferText } from "./transfer-text.ts";

/** Says the outcome of a transfer; a refusal only when the money sheet is not open to show it. */
export function useTransferNotes({ session, deps }: PlayNow, sheetOpen: boolean): void {
  const speech = useText();
  const currency = useCurrency();
  const transfer = useLive(session.transfer);
  useEffect(() => {
    if (transfer.is !== "done" && (transfer.is !== "refused" || sheetOpen)) return;
    const text = transferText(transfer, speech, currency);
    if (text !== undefined) deps.say(transfer.is === "done" ? "good" : "bad", text);
    session.clearTransfer();
  }, [transfer, sheetOpen, session, deps, speech, currency]);
}

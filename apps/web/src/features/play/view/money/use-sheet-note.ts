import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { useCurrency } from "../../../../shared/money/currency.ts";
import { moneyText } from "../../../../shared/money/format.ts";
import type { TypedAmount } from "../../../../shared/money/read-amount.ts";
import type { Direction } from "../../state/money/open-transfer.ts";
import type { Sheet } from "../../state/money/sheet-rules.ts";
import { usePlay } from "../play-context.ts";
import { transferText, typedText } from "./transfer-text.ts";

export type SheetNote = { readonly text: string; readonly bad: boolean };

/** The sentence under the amount: what is wrong with it, or where the transfer stands. */
export function useSheetNote(now: {
  readonly direction: Direction;
  readonly typed: string;
  readonly read: TypedAmount;
  readonly sheet: Sheet;
}): SheetNote | undefined {
  const speech = useText();
  const currency = useCurrency();
  const { session } = usePlay();
  const transfer = useLive(session.transfer);
  const online = useLive(session.state, (state) => state.online);
  const { direction, typed, read, sheet } = now;
  const bound = moneyText(sheet.bound, currency, speech.language, true);
  if (transfer.is === "refused" || transfer.is === "checking") {
    const text = transferText(transfer, speech, currency);
    if (text !== undefined) return { text, bad: transfer.is === "refused" };
  }
  if (!online) return { text: speech.t("play.connectionLost"), bad: true };
  const wrong = typed === "" ? undefined : typedText(read, speech, currency);
  if (wrong !== undefined) return { text: wrong, bad: true };
  if (sheet.problem === "notEnough")
    return {
      text: speech.t(direction === "cashIn" ? "play.walletHas" : "play.machineHas", { amount: bound }),
      bad: true,
    };
  if (sheet.problem === "belowLeast") return { text: speech.t("play.belowLeast", { amount: bound }), bad: true };
  if (sheet.problem === "aboveMost") return { text: speech.t("play.aboveMost", { amount: bound }), bad: true };
  if (sheet.problem === "notWhole") return { text: speech.t("play.notWhole", { amount: bound }), bad: true };
  return undefined;
}

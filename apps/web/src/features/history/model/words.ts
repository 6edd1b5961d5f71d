import { fold } from "../../../shared/i18n/fold.ts";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import type { Speech } from "../../../shared/i18n/texts.ts";
import type { IconName } from "../../../shared/ui/icon-paths.ts";

type Action = { readonly text: TextKey; readonly icon: IconName };

/** The transaction action codes of the specification (section 2.8). */
export const ACTIONS: Readonly<Record<number, Action>> = {
  1: { text: "history.deposit", icon: "plus" },
  2: { text: "history.withdraw", icon: "minus" },
  3: { text: "history.cashIn", icon: "cashIn" },
  4: { text: "history.cashOut", icon: "cashOut" },
  5: { text: "history.handPay", icon: "player" },
  6: { text: "history.jackpot", icon: "bonus" },
};
export const CASH_IN = 3;
export const CASH_OUT = 4;
export const HAND_PAY = 5;
export const JACKPOT = 6;

/** Sources that the wire names in English; every other one is a name. */
const SOURCES: Readonly<Record<string, TextKey>> = {
  Wallet: "history.wallet",
  Cage: "history.cage",
  Discount: "history.discount",
  Bonus: "history.bonus",
};

/** The word of an action code; the number of one that is not ours. */
export function actionText(type: number, { t }: Speech): string {
  const action = Object.hasOwn(ACTIONS, type) ? ACTIONS[type] : undefined;
  return action === undefined ? String(type) : t(action.text);
}

export function sourceText(from: string, { t }: Speech): string {
  const key = Object.hasOwn(SOURCES, from) ? SOURCES[from] : undefined;
  return key === undefined ? from : t(key);
}

/** What the wire calls a source that was typed in the language of the page; everything else as it was typed. */
export function searchWord(typed: string, speech: Speech): string {
  const wanted = fold(typed.trim());
  return Object.keys(SOURCES).find((from) => fold(sourceText(from, speech)) === wanted) ?? typed;
}

import { fold } from "../../../shared/i18n/fold.ts";
import type { Speech } from "../../../shared/i18n/texts.ts";
import type { Filters } from "./filters.ts";
import type { HistoryRow } from "./row.ts";
import { actionText, sourceText } from "./words.ts";

/** Whether a row is one that was asked for: a platform that ignores the search or the type sends others too. */
export function passes(row: HistoryRow, { search, type }: Pick<Filters, "search" | "type">, speech: Speech): boolean {
  if (type !== undefined && row.type !== undefined && row.type !== type) return false;
  const wanted = fold(search.trim());
  if (wanted === "") return true;
  const { machine = "", from = "", type: action } = row;
  const words = [machine, from, sourceText(from, speech), action === undefined ? "" : actionText(action, speech)];
  return words.some((word) => fold(word).includes(wanted));
}

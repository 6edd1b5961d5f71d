import type { Speech } from "../../../shared/i18n/texts.ts";
import { elapsedText } from "../../../shared/time/time-text.ts";
import type { Column } from "./columns.ts";
import type { HistoryRow } from "./row.ts";
import { sortableTime } from "./times.ts";
import { actionText, sourceText } from "./words.ts";

/** A cell of a file: a word that somebody wrote, or a figure of ours. Missing values are empty words. */
export type FileCell = { readonly is: "word" | "figure"; readonly text: string };

const word = (text: string | undefined): FileCell => ({ is: "word", text: text ?? "" });
const figure = (value: number | undefined): FileCell =>
  value === undefined ? word(undefined) : { is: "figure", text: String(value) };
const time = (ms: number | undefined): FileCell => word(ms === undefined ? undefined : sortableTime(ms));

/** A cell as it stands in a downloaded file: the words of the page, but times and amounts as spreadsheets read them. */
export function fileCell(row: HistoryRow, column: Column, speech: Speech): FileCell {
  switch (column) {
    case "machine":
      return word(row.machine);
    case "operationDate":
      return time(row.operationMs);
    case "start":
      return time(row.startMs);
    case "end":
      return time(row.endMs);
    case "type":
      return word(row.type === undefined ? undefined : actionText(row.type, speech));
    case "from":
      return word(row.from === undefined ? undefined : sourceText(row.from, speech));
    case "duration":
      return word(row.duration === undefined ? undefined : elapsedText(row.duration * 1_000));
    case "spins":
      return figure(row.spins);
    case "freeSpins":
      return figure(row.freeSpins);
    case "amount":
      return row.amount === undefined ? word(undefined) : { is: "figure", text: decimal(row.amount) };
  }
}

/** Minor units divided by 100, exactly. */
function decimal(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, "0");
  return `${minor < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

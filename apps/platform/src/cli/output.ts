import { MINOR_PER_UNIT } from "@longarm/contract/money";

/** Text from elsewhere, made safe for a terminal: no control characters, and none that change the direction of writing. */
export function printable(text: string): string {
  return text.toWellFormed().replaceAll(/[^\P{C}\n]/gu, "\uFFFD");
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text.replaceAll("\n", " "));
}

/** JSON on one line that any terminal may show: characters that could control it are written as `\u….` */
export function jsonLine(value: object): string {
  return JSON.stringify(value).replaceAll(/[^\P{C}]/gu, (sign) =>
    [...Array(sign.length).keys()].map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** `25000` → `250.00`. */
export function writeAmount(amountMinor: number): string {
  return (amountMinor / MINOR_PER_UNIT).toFixed(2);
}

/** A time in the one form that every list has: UTC, to the second. */
export function timeText(at: Date | null | undefined): string {
  return at ? at.toISOString().slice(0, 19).replace("T", " ") : "";
}

/** "1 machine", "2 machines", "3 entries". */
export const count = (number: number, word: string): string =>
  `${number} ${number === 1 ? word : `${word.replace(/([^aeiou])y$/, "$1ie")}s`}`;

/** Rows as lines with aligned columns; a column of nothing but numbers is aligned to the right. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(printableLine));
  const columns = (cells[0] ?? []).map((_, at) => cells.map((row) => row[at] ?? ""));
  const pads = columns.map((column) => {
    const width = Math.max(...column.map(({ length }) => length));
    const isNumbers = column.every((cell) => /^[-+]?[\d.]*$/.test(cell));
    return (cell: string) => (isNumbers ? cell.padStart(width) : cell.padEnd(width));
  });
  return cells.map((row) =>
    row
      .map((cell, at) => pads[at]?.(cell) ?? cell)
      .join("  ")
      .trimEnd(),
  );
}

/** Prints rows as a table. `head` is left out when there are no rows. */
export function sayTable<Row>(
  say: (line: string) => void,
  rows: readonly Row[],
  columns: (row: Row) => readonly string[],
  head?: readonly string[],
): void {
  const cells = rows.map(columns);
  for (const line of tableLines(head && rows.length > 0 ? [head, ...cells] : cells)) say(line);
}

/** How many rows a list may print. `query` is one more than it does, which shows whether there are more. */
export type RowLimit = { readonly max: number; readonly query: number };

type List<Row> = {
  /** What one row is: "player". */
  readonly word: string;
  readonly columns: (row: Row) => readonly string[];
  readonly head?: readonly string[];
  /** Prints the last rows that were found instead of the first. */
  readonly newestLast?: true;
};

/** Prints the rows of a list and their number. Returns the printed rows for `--json`. */
export function sayRows<Row>(
  say: (line: string) => void,
  { query, max }: RowLimit,
  found: readonly Row[],
  { word, columns, head, newestLast }: List<Row>,
): { rows: Row[]; more: boolean } {
  const rows = newestLast ? found.slice(1 - query) : found.slice(0, query - 1);
  const more = found.length >= query;
  sayTable(say, rows, columns, head);
  say(`${count(rows.length, word)}${more ? `, and more: --limit shows up to ${max}` : ""}.`);
  return { rows, more };
}

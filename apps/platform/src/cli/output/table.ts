import { printableLine } from "../printable.ts";

/** Rows as lines whose columns stand under each other; a column of nothing but numbers goes to the right. */
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

/** A time in the one form that every list has: UTC, to the second. */
export function timeText(at: Date | null | undefined): string {
  return at ? at.toISOString().slice(0, 19).replace("T", " ") : "";
}

/** "1 machine", "2 machines", "3 entries". */
export const count = (number: number, word: string): string =>
  `${number} ${number === 1 ? word : `${word.replace(/([^aeiou])y$/, "$1ie")}s`}`;

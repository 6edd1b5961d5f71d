import { printableLine } from "../printable.ts";

/** Rows as lines whose columns stand under each other; amounts and other texts that begin with a digit or a sign go to the right. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(printableLine));
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, at) => (/^[-+]?[\d.]+$/.test(cell) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

/** A time in the one form that every list has: UTC, to the second. */
export function timeText(at: Date | null | undefined): string {
  return at ? at.toISOString().slice(0, 19).replace("T", " ") : "";
}

/** "1 machine", "2 machines". */
export const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? "" : "s"}`;

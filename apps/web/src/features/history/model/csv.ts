import type { FileCell } from "./cells.ts";

/** Tells every spreadsheet that the file is UTF-8. */
export const BYTE_ORDER_MARK = "\uFEFF";
const LINE_END = "\r\n";
/**
 * What begins so is a formula to a spreadsheet; the wide forms too. A cell may also begin within a text: where decimals have a comma (as in
 * Turkish), spreadsheets part cells by the semicolon, and some part them by the tab.
 */
const FORMULA = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?=[^\S\t\r\n]*[=+\-@＝＋－＠])/g;

/** Lines of RFC 4180: quotes where they are needed, quotes doubled, CR LF behind each line. */
export function csvLines(rows: readonly (readonly FileCell[])[]): string {
  return rows.map((cells) => `${cells.map(csvField).join(",")}${LINE_END}`).join("");
}

/** Words are made harmless: what looks like a formula gets an apostrophe, which spreadsheets do not show. */
function csvField({ is, text }: FileCell): string {
  const safe = is === "word" ? text.replace(FORMULA, "'") : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

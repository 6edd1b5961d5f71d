/**
 * One line of CSV by RFC 4180, without its line end. A field that a spreadsheet would read as a formula gets an apostrophe before it
 * (ASVS 1.2.10); negative numbers are numbers and stay.
 */
export function csvLine(fields: readonly (string | number | null)[]): string {
  return fields.map(csvField).join(",");
}

/**
 * What begins so is a formula to a spreadsheet; the wide forms too. A cell may also begin within a text: where decimals have a comma (as in Turkish),
 * spreadsheets part cells by the semicolon, and some part them by the tab.
 */
const FORMULA = /^(?=[\t\r\n\0])|(?<=^|[;\t\r\n])(?=[^\S\t\r\n]*[=+\-@＝＋－＠])/g;

function csvField(field: string | number | null): string {
  if (field === null) return "";
  if (typeof field === "number") return String(field);
  const safe = field.replace(FORMULA, "'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

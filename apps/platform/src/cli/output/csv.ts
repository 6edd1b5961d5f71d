/**
 * One line of CSV by RFC 4180, without its line end. A field that a spreadsheet would take for a formula gets an apostrophe before it
 * (ASVS 1.2.10); numbers below zero are numbers and stay.
 */
export function csvLine(fields: readonly (string | number | null)[]): string {
  return fields.map(csvField).join(",");
}

function csvField(field: string | number | null): string {
  if (field === null) return "";
  if (typeof field === "number") return String(field);
  const safe = /^[=+\-@\t\r\0]/.test(field) ? `'${field}` : field;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

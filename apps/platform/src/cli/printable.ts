/** Text that others wrote, made safe for a terminal: no control characters, and none that turn the writing around. */
export function printable(text: string): string {
  return text.toWellFormed().replaceAll(/[^\P{C}\n]/gu, "\uFFFD");
}

/** The same on one line of a table. */
export function printableLine(text: string): string {
  return printable(text.replaceAll("\n", " "));
}

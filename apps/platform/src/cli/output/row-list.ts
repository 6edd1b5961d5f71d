import { readWholeNumber } from "../amount.ts";
import type { Given, Option } from "../command.ts";
import { count, tableLines } from "./table.ts";

/** How many rows a list may show, and how many it does when nobody says. */
export type Bounds = { readonly most: number; readonly usual: number };

/** `--limit` of a list. */
export const limitOption = ({ most, usual }: Bounds): Option => ({
  type: "string",
  value: "<rows>",
  about: `at most so many, 1 to ${most} (${usual})`,
});

/** What a list asks the database for: one row more than it shows tells whether there are more. */
export type Cut = Bounds & { readonly ask: number };

/** @throws UsageProblem. */
export function readCut(given: Given, bounds: Bounds): Cut {
  const limit = readWholeNumber("limit", given.get("limit")?.toString() ?? String(bounds.usual), 1, bounds.most);
  return { ...bounds, ask: limit + 1 };
}

type Told<Row> = {
  /** What one row is: "player". */
  readonly word: string;
  readonly columns: (row: Row) => readonly string[];
  readonly head?: readonly string[];
  /** The last rows of what was found are those that are shown. */
  readonly newestLast?: true;
};

/** Says the rows that are shown, in the order in which they were found, and how many they are. Answers them for `--json`. */
export function sayRows<Row>(
  say: (line: string) => void,
  { ask, most }: Cut,
  found: readonly Row[],
  { word, columns, head, newestLast }: Told<Row>,
): { rows: Row[]; more: boolean } {
  const rows = newestLast ? found.slice(1 - ask) : found.slice(0, ask - 1);
  const more = found.length >= ask;
  const cells = rows.map(columns);
  for (const line of tableLines(head && rows.length > 0 ? [head, ...cells] : cells)) say(line);
  say(`${count(rows.length, word)}${more ? `, and more: --limit shows up to ${most}` : ""}.`);
  return { rows, more };
}

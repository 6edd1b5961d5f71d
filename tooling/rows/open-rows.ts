import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Rows that nothing proves yet, each with the part of the product that they wait for. */
export interface OpenRows {
  /** How many there are: it is here too so that a longer list shows in a review. */
  count: number;
  rows: Record<string, string>;
}

export const readOpenRows = (): OpenRows =>
  JSON.parse(readFileSync(join(import.meta.dirname, "open.json"), "utf8")) as OpenRows;

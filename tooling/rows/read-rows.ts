import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One checkable statement of the specification. */
export interface Row {
  /** `R-<section>-<nn>`. */
  id: string;
  requirement: string;
}

const ROWS = join(import.meta.dirname, "../../docs/specification/rows.md");

/** Every row of the specification, in its order. */
export const readRows = (): Row[] => parseRows(readFileSync(ROWS, "utf8"));

export function parseRows(text: string): Row[] {
  const found = text.matchAll(/^\| (R-[\d.]+-\d\d) \| [^|]+ \| ([^|]+) \|/gm);
  return [...found].map(([, id = "", requirement = ""]) => ({ id, requirement: requirement.trim() }));
}

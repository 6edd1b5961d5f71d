import { markdown } from "./figures/table.ts";
import type { Result } from "./parts/part.ts";

/** All results as one table. */
export function resultTable(results: readonly Result[]): string {
  const head = ["what", "condition", "p50", "p95", "most", "n", "unit"];
  return markdown([head, ...results.map(row)]);
}

function row({ what, condition, unit, value }: Result): string[] {
  if (value === null) return [what, condition, "–", "–", "–", "0", unit];
  if (typeof value === "number") return [what, condition, figure(value), "", "", "1", unit];
  return [what, condition, figure(value.p50), figure(value.p95), figure(value.max), String(value.n), unit];
}

const figure = (value: number): string =>
  Math.abs(value) < 100 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0);

/** Between these lines of docs/performance.md stands the last whole run; the rest of the page is written by people. */
const FROM = "<!-- measured by npm run bench -- --write, from here -->";
const TO = "<!-- to here -->";

/** The page with a run's facts and results in their place. Throws when the page has no such place. */
export function writtenInto(page: string, results: readonly Result[], facts: readonly string[]): string {
  const [from, to] = [page.indexOf(FROM), page.indexOf(TO)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has lost its lines "${FROM}" and "${TO}".`);
  const written = `${facts.map((fact) => `- ${fact}`).join("\n")}\n\n${resultTable(results)}`;
  return `${page.slice(0, from + FROM.length)}\n\n${written}\n\n${page.slice(to)}`;
}

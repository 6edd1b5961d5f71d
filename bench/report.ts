import type { Held, Result } from "./result.ts";
import { isMet, ratioOf } from "./result.ts";

const HEAD = ["what", "condition", "ours", "p95", "most", "n", "unit", "peer", "ratio", "reach", "met"];

/** All results as one table. A figure is one value or the middle of several; an empty place says that nothing is wanted there. */
export function resultTable(results: readonly Result[]): string {
  return markdown([HEAD, ...results.map((result) => [...row(result), ...against(result)])]);
}

/** How many of the wanted figures are as wanted, and which are not. */
export function reachLines(results: readonly Result[]): string[] {
  const wanted = results.filter(({ value, held }) => held !== undefined && isMet(value, held) !== null);
  const missed = wanted.filter(({ value, held }) => held !== undefined && isMet(value, held) === false);
  return [
    `${wanted.length - missed.length} of ${wanted.length} reaches met`,
    ...missed.map(({ what, condition }) => `not met: ${what} (${condition})`),
  ];
}

function row({ what, condition, unit, value }: Result): string[] {
  if (value === null) return [what, condition, "–", "–", "–", "0", unit];
  if (typeof value === "number") return [what, condition, figure(value), "", "", "1", unit];
  return [what, condition, figure(value.p50), figure(value.p95), figure(value.max), String(value.n), unit];
}

function against({ value, held }: Result): string[] {
  if (held === undefined) return ["", "", "", ""];
  const { peer, reach } = held;
  const met = isMet(value, held);
  return [
    ...(peer === undefined ? ["", ""] : [peerText(peer), ratioOf(value, held)?.toFixed(2) ?? "–"]),
    reachText(reach),
    met === null ? "" : { true: "yes", false: "no" }[`${met}`],
  ];
}

function peerText({ name, value }: NonNullable<Held["peer"]>): string {
  const shown = typeof value === "object" ? (value?.p50 ?? null) : value;
  return `${name}: ${shown === null ? "–" : figure(shown)}`;
}

function reachText(reach: Held["reach"]): string {
  if (reach === undefined) return "";
  const bounds = [
    ...(reach.atLeast === undefined ? [] : [`≥ ${reach.atLeast}`]),
    ...(reach.atMost === undefined ? [] : [`≤ ${reach.atMost}`]),
  ];
  return `${bounds.join(", ")}${reach.of === "ratio" ? " of the peer" : ""}${reach.at === undefined ? "" : ` at ${reach.at}`}`;
}

/** Three places below 1, so that a ratio near its bound is not drawn onto it. */
function figure(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) < 1 ? 3 : 1).replace(/\.?0+$/, "");
}

const HEADING = `# The last whole run of the bench

Written by \`npm run bench -- --write\`. What each row means, its target and what limits it: [docs/performance.md](../docs/performance.md).`;

/** The page of a run: its facts, then every result. */
export function lastRunPage(results: readonly Result[], facts: readonly string[]): string {
  return `${HEADING}\n\n${facts.map((fact) => `- ${fact}`).join("\n")}\n\n${resultTable(results)}\n`;
}

/** A Markdown table that also lines up in a terminal. The first row is the head; all columns but the first are figures. */
export function markdown(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0), 3));
  const line = (row: readonly string[]): string => {
    const cells = widths.map((width, at) =>
      at === 0 ? (row[at] ?? "").padEnd(width) : (row[at] ?? "").padStart(width),
    );
    return `| ${cells.join(" | ")} |`;
  };
  const rule = widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  const [head = [], ...body] = rows;
  return [line(head), `| ${rule.join(" | ")} |`, ...body.map(line)].join("\n");
}

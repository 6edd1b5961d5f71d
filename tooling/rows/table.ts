import type { OpenRows } from "./open-rows.ts";
import type { Row } from "./read-rows.ts";

/** A test that passed. */
export interface Proof {
  /** Path of its file in the repository. */
  file: string;
  title: string;
}

export interface RowTable {
  /** One line per row: its id and the tests that prove it. */
  lines: string[];
  /** What is wrong with it, a sentence each. */
  breaches: string[];
}

/** Which test proves which row: a test names the rows that it proves in its title. */
export function tableOfRows(rows: readonly Row[], proofs: readonly Proof[], open: OpenRows): RowTable {
  const proved = byRow(proofs);
  const known = new Set(rows.map(({ id }) => id));
  const lines = rows.map(({ id }) => `${id.padEnd(9)} ${tellProofs(proved.get(id), open.rows[id])}`);
  const breaches = rows.flatMap(({ id, requirement }) => judge(id, requirement, proved.has(id), open.rows[id]));
  for (const [id, [proof]] of proved)
    if (!known.has(id)) breaches.push(`${proof?.file}: "${proof?.title}" names ${id}, which is no row.`);
  for (const id of Object.keys(open.rows))
    if (!known.has(id)) breaches.push(`${id} in tooling/rows/open.json is no row.`);
  const count = Object.keys(open.rows).length;
  if (count !== open.count) breaches.push(`tooling/rows/open.json holds ${count} rows but says ${open.count}.`);
  return { lines, breaches };
}

function byRow(proofs: readonly Proof[]): Map<string, Proof[]> {
  const found = new Map<string, Proof[]>();
  for (const proof of proofs) {
    for (const id of new Set(proof.title.match(/R-\d[\d.]*-\d\d\b/g))) found.set(id, [...(found.get(id) ?? []), proof]);
  }
  return found;
}

function judge(id: string, requirement: string, isProved: boolean, waitsFor: string | undefined): string[] {
  if (isProved && waitsFor !== undefined) return [`${id} has its test: take it off tooling/rows/open.json.`];
  if (isProved || waitsFor !== undefined) return [];
  return [`${id} has no test that passed and names it: ${requirement}`];
}

function tellProofs(proofs: readonly Proof[] | undefined, waitsFor: string | undefined): string {
  const [first, ...others] = proofs ?? [];
  if (first === undefined) return waitsFor === undefined ? "NO TEST" : `open: ${waitsFor}`;
  const more = others.length === 0 ? "" : ` (+${others.length})`;
  return `${first.file}: ${first.title.replace(/(R-[\d.]+-\d\d(, | and )?)+:? ?/, "")}${more}`;
}

import type { Breach } from "../source/breach.ts";
import type { Measured } from "./measure.ts";

/** Old offenders with the size they have now, by key. They may only shrink, and leave the list when they fit. */
export type Offenders = Record<string, number>;

/** What is too large, what has grown, and what in the list is no longer true. */
export function ratchetBreaches(measured: Measured[], offenders: Offenders): Breach[] {
  const largest = new Map<string, Measured>();
  for (const one of measured) if (one.size > (largest.get(one.key)?.size ?? -1)) largest.set(one.key, one);
  const gone = Object.keys(offenders).filter((key) => !largest.has(key));
  return [
    ...Array.from(largest.values()).flatMap((one) => judge(one, offenders[one.key])),
    ...gone.map((key) => ({ path: key, sentence: "is gone: take it off tooling/rules/budgets.json." })),
  ];
}

function judge({ key, line, size, stop }: Measured, listed: number | undefined): Breach[] {
  const breach = (sentence: string): Breach[] => [{ path: key, ...(line === undefined ? {} : { line }), sentence }];
  if (listed === undefined)
    return size > stop ? breach(`has ${size} lines, the limit is ${stop}: split it by its ideas.`) : [];
  if (size <= stop) return breach("fits now: take it off tooling/rules/budgets.json.");
  if (size > listed) return breach(`grew from ${listed} to ${size} lines: an old offender may only shrink.`);
  return size < listed ? breach(`shrank to ${size} lines: write ${size} into tooling/rules/budgets.json.`) : [];
}

import type { Called } from "./callers.ts";

/** 99 of 100 answers come within this while a rate is sustained, ms from the moment each call was meant for. */
export const SUSTAINED_P99_MS = 50;

/** Everybody is answered, and in time. */
export const isSustained = ({ failed, p99 }: Called): boolean => failed === 0 && p99 <= SUSTAINED_P99_MS;

/**
 * The highest rate between two ends that is sustained, by halving what is between the highest that was and the lowest that was not. `from` itself
 * is not tried and is the answer when nothing above it is sustained: it must be one that certainly is, such as 0.
 */
export async function highestSustained(
  { from, to, tries }: { readonly from: number; readonly to: number; readonly tries: number },
  isHeld: (rate: number) => Promise<boolean>,
): Promise<number> {
  let [held, lost] = [from, to];
  for (let tried = 0; tried < tries; tried += 1) {
    const rate = (held + lost) / 2;
    if (await isHeld(rate)) held = rate;
    else lost = rate;
  }
  return held;
}

import { randomOf } from "./random.ts";
import type { Role } from "./rules.ts";
import { ROLES, STRIP_COUNTS } from "./rules.ts";

export type Strip = readonly Role[];

/** Symbols of which a window may show one at most, so they stand at least three apart. */
const ALONE: ReadonlySet<Role> = new Set<Role>(["scatter", "bonus"]);
const APART = 3;

function fits(strip: readonly (Role | undefined)[], at: number, role: Role): boolean {
  for (let d = 1 - APART; d < APART; d += 1) {
    if (strip[(at + d + strip.length) % strip.length] === role) return false;
  }
  return strip[at] === undefined;
}

function strip(counts: readonly number[], purpose: string): Strip {
  const random = randomOf("strips", purpose);
  const length = counts.reduce((sum, count) => sum + count, 0);
  const places: (Role | undefined)[] = new Array<Role | undefined>(length).fill(undefined);
  const rest: Role[] = [];
  for (const [index, role] of ROLES.entries()) {
    for (let n = 0; n < (counts[index] ?? 0); n += 1) {
      if (!ALONE.has(role)) {
        rest.push(role);
        continue;
      }
      let at = random.whole(length);
      while (!fits(places, at, role)) at = random.whole(length);
      places[at] = role;
    }
  }
  return places.map((role) => role ?? (rest.splice(random.whole(rest.length), 1)[0] as Role));
}

/** The five strips of a brand: the same counts for all, another order for each. */
export function stripsOf(brand: string): readonly Strip[] {
  return STRIP_COUNTS.map((counts, reel) => strip(counts, `${brand}/${reel}`));
}

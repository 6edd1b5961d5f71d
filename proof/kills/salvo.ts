import { setTimeout as pause } from "node:timers/promises";
import type { Chance } from "../../bench/hour/chance.ts";
import type { Counts } from "./counts.ts";
import type { KillHouse } from "./house.ts";
import { allDecided, lookBefore, servesAgain } from "./recovery.ts";
import type { Killer, Target } from "./targets.ts";

export type SalvoParts = {
  readonly house: KillHouse;
  readonly killer: Killer;
  readonly counts: Counts;
  readonly chance: Chance;
};

const WEIGHTS: readonly (readonly [weight: number, target: Target])[] = [
  [3, "platform"],
  [2, "agent A"],
  [2, "agent B"],
  [1.5, "database"],
  [1.5, "database backend"],
];

/** Mostly one kill; else two at the same moment, or up to four of which each comes while the one before is being mended. */
const KINDS: readonly (readonly [weight: number, kind: "one" | "at once" | "in a row"])[] = [
  [0.6, "one"],
  [0.2, "at once"],
  [0.2, "in a row"],
];
const IN_A_ROW = [2, 4] as const;
/** Between two kills in a row, ms. */
const GAP_MS = [0, 2_000] as const;
/** A part that does not come back within this, or a transfer that is not decided within twice of it, is a fault, ms. */
const MENDED_WITHIN_MS = 90_000;

type Strike = { readonly target: Target; readonly afterMs: number };

/** Kills once or several times and waits until everything serves and is decided again. Answers what did not. */
export async function strikeAndMend(parts: SalvoParts, most: number): Promise<string[]> {
  const { house, counts, killer, chance } = parts;
  const strikes = chooseStrikes(chance).slice(0, most);
  const before = await lookBefore(house);
  const mending: Promise<void>[] = [];
  const hit: Target[] = [];
  let at = performance.now();
  for (const { target, afterMs } of strikes) {
    if (afterMs > 0) await pause(afterMs);
    if (!(await killer.kill(target))) continue;
    at = performance.now();
    hit.push(target);
    counts.add("kills");
    counts.add(`killed: ${target}`);
    mending.push(killer.bringBack(target));
  }
  await Promise.all(mending);
  const name = hit.length > 1 ? "several" : (hit[0] ?? "nothing");
  if (!(await servesAgain(house, hit, before, at + MENDED_WITHIN_MS)))
    return [`${hit.join(" + ")}: does not serve again`];
  counts.took(`serves: ${name}`, performance.now() - at);
  if (!(await allDecided(house, at + 2 * MENDED_WITHIN_MS))) return [`${hit.join(" + ")}: a transfer is not decided`];
  counts.took(`decided: ${name}`, performance.now() - at);
  if (hit.length > 1) counts.add(`together: ${hit.length}`);
  return [];
}

function chooseStrikes(chance: Chance): Strike[] {
  const kind = chance.weighted(KINDS);
  const first = { target: chance.weighted(WEIGHTS), afterMs: 0 };
  if (kind === "one") return [first];
  if (kind === "at once") {
    const others = WEIGHTS.filter(([, target]) => target !== first.target);
    return [first, { target: chance.weighted(others), afterMs: 0 }];
  }
  const more = Math.round(chance.between(...IN_A_ROW)) - 1;
  return [
    first,
    ...Array.from({ length: more }, () => ({ target: chance.weighted(WEIGHTS), afterMs: chance.between(...GAP_MS) })),
  ];
}

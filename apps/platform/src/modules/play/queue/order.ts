/* The order of a queue: who joined first is called first. Nothing else moves a place, but for the calls that its own player has let pass. */

/** A place as the order sees it. */
export type Waiting = {
  readonly id: string;
  /** The order of joining. */
  readonly number: number;
  /** How many others it still lets go first. */
  readonly lets: number;
  /** It waits, and nothing keeps it from being called now. */
  readonly ready: boolean;
};

/** Whose turn it is; `behind`: places that let this one go first, whether they could be called themselves or not, and owe one less after it. */
export type Turn<Place extends Waiting = Waiting> = { readonly next: Place; readonly behind: readonly Place[] };

/**
 * The next to be called of those that wait for a machine; undefined: no place is ready. A place that owes a turn lets another one go first, and is called all
 * the same where no other owes less.
 */
export function turnOf<Place extends Waiting>(line: readonly Place[]): Turn<Place> | undefined {
  const ready = line.filter((place) => place.ready).toSorted((one, other) => one.number - other.number);
  const least = Math.min(...ready.map(({ lets }) => lets));
  const next = ready.find(({ lets }) => lets === least);
  return next && { next, behind: line.filter(({ number, lets }) => number < next.number && lets > 0) };
}

/** How many of a line are before a place that is in it. */
export function aheadOf(line: readonly Waiting[], { id, number, lets }: Waiting): number {
  const before = line.filter((other) => other.id !== id && other.number < number).length;
  const after = line.length - before - 1;
  return before + Math.max(0, Math.min(lets, after));
}

/** A call that was missed the second time ends the place. */
export const MISSES_MAX = 2;

type Counts = { readonly lets: number; readonly misses: number; readonly passes: number };

/** What a place is after a call that it did not answer; null: it has ended. */
export function afterMiss({ lets, misses, passes }: Counts): Counts | null {
  return misses + 1 >= MISSES_MAX ? null : { lets: lets + 1, misses: misses + 1, passes };
}

/** What a place is after a call that passed for a connection too weak to play: one back, as after a pass, and no pass is used up. */
export function afterLinkPass({ lets, misses, passes }: Counts): Counts {
  return { lets: lets + 1, misses, passes };
}

/** What a place is after it has let the next one go first. */
export function afterPass({ lets, misses, passes }: Counts): Counts {
  return { lets: lets + 1, misses, passes: passes + 1 };
}

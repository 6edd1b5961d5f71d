import type { Stop, Timers } from "@longarm/link/socket";

/** Stills that are fetched at once, and the shortest time between two beginnings, ms: 25 a second, for all tiles of a page together. */
export const AT_ONCE = 6;
export const EVERY_MS = 40;

/** One budget for all stills of a page. */
export type StillLoader = {
  /** Fetches an address when its turn comes; `ready` is called once it can be drawn without waiting. Answers how to give up the turn. */
  want(address: string, ready: () => void): Stop;
};

type Wish = { readonly address: string; readonly ready: () => void };

/**
 * Fetches stills one after the other within one budget, in the order in which they were wanted, so that a floor of 200 machines never asks for all at
 * once. What is given up before its turn costs nothing; what fails is left out, the next still comes soon.
 */
export function createStillLoader(deps: {
  readonly timers: Timers;
  /** Fetches and decodes an image. */
  readonly load: (address: string) => Promise<void>;
}): StillLoader {
  const wishes = new Set<Wish>();
  let underWay = 0;
  let isPausing = false;

  function next(): void {
    if (isPausing || underWay >= AT_ONCE) return;
    const [wish] = wishes;
    if (wish === undefined) return;
    wishes.delete(wish);
    underWay += 1;
    isPausing = true;
    deps.timers.after(EVERY_MS, () => {
      isPausing = false;
      next();
    });
    deps
      .load(wish.address)
      .then(wish.ready, () => undefined)
      .finally(() => {
        underWay -= 1;
        next();
      });
  }

  return {
    want(address, ready) {
      const wish = { address, ready };
      wishes.add(wish);
      next();
      return () => void wishes.delete(wish);
    },
  };
}

/** Fetches an image into the browser's cache, decoded. */
export async function loadImage(address: string): Promise<void> {
  const image = new Image();
  image.src = address;
  await image.decode();
}

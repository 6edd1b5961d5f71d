import type { Stop, Timers } from "@longarm/link/socket";

/** Stills that are fetched at once, for all tiles of a page together. */
export const AT_ONCE = 6;
/** From one beginning to the next, ms: 25 a second until every machine has one, then 10, which renews 200 machines in 20 s. */
export const EVERY_MS = 40;
export const AGAIN_MS = 100;
/** Shortest time between two changes of the page, ms: a browser draws many new stills together for little more than one. */
export const SHOW_MS = 1_000;

/** One budget for all stills of a page. */
export type StillLoader = {
  /**
   * Fetches the still of a machine when its turn comes; `ready` is called once it is here. Answers how to give up the turn.
   */
  want(machine: string, address: string, ready: () => void): Stop;
};

type Wish = { readonly machine: string; readonly address: string; readonly ready: () => void };

/**
 * Fetches stills one after the other within one budget, so that a floor of 200 machines never asks for all at once. The machine whose last turn is
 * longest ago is next: on a busy floor every machine has its turn, however often its still changes meanwhile. What is given up before its turn costs
 * nothing; what fails is left out, the next still comes soon. What has come is shown together.
 */
export function createStillLoader(deps: {
  readonly timers: Timers;
  /** Fetches an image. */
  readonly load: (address: string) => Promise<void>;
}): StillLoader {
  const wishes = new Set<Wish>();
  const turnOf = new Map<string, number>();
  let turn = 0;
  let underWay = 0;
  let isPausing = false;
  let come: Wish[] = [];
  let isShown = false;

  function next(): void {
    if (isPausing || underWay >= AT_ONCE) return;
    const wish = longestAgo();
    if (wish === undefined) return;
    wishes.delete(wish);
    const pauseMs = turnOf.has(wish.machine) ? AGAIN_MS : EVERY_MS;
    turn += 1;
    turnOf.set(wish.machine, turn);
    underWay += 1;
    isPausing = true;
    deps.timers.after(pauseMs, () => {
      isPausing = false;
      next();
    });
    deps
      .load(wish.address)
      .then(
        () => {
          come.push(wish);
          show();
        },
        () => undefined,
      )
      .finally(() => {
        underWay -= 1;
        next();
      });
  }

  function longestAgo(): Wish | undefined {
    let found: Wish | undefined;
    for (const wish of wishes) if (found === undefined || lastTurn(wish) < lastTurn(found)) found = wish;
    return found;
  }
  const lastTurn = ({ machine }: Wish): number => turnOf.get(machine) ?? 0;

  function show(): void {
    if (isShown || come.length === 0) return;
    const now = come;
    come = [];
    isShown = true;
    deps.timers.after(SHOW_MS, () => {
      isShown = false;
      show();
    });
    for (const wish of now) wish.ready();
  }

  return {
    want(machine, address, ready) {
      const wish = { machine, address, ready };
      wishes.add(wish);
      next();
      return () => void wishes.delete(wish);
    },
  };
}

/**
 * Fetches an image into the browser's cache. It is not decoded here: `decode()` makes the browser prepare a whole frame for each image, which took more
 * of the page's time on a floor of 200 machines than everything else.
 */
export async function loadImage(address: string): Promise<void> {
  const image = new Image();
  await new Promise((come, failed) => {
    image.addEventListener("load", come);
    image.addEventListener("error", () => failed(new Error("The still did not come")));
    image.src = address;
  });
}

/** From one drawing of pushed statuses to the next, at least, ms. */
const GAP_MS = 100;

/**
 * Gathers pushed statuses, so that hundreds a second cost ten drawings a second. The first after a rest is handed over with the next
 * frame; of one machine only the newest counts.
 */
export function gatherPushes(hand: (statuses: ReadonlyMap<string, number>) => void): {
  add(id: string, status: number): void;
  /** Hands over what still waits, and ends. */
  end(): void;
} {
  let waiting = new Map<string, number>();
  let frame: number | undefined;
  let rest: ReturnType<typeof setTimeout> | undefined;

  function handOver(): void {
    const told = waiting;
    waiting = new Map();
    if (told.size > 0) hand(told);
  }
  function nextFrame(): void {
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      rest = setTimeout(rested, GAP_MS);
      handOver();
    });
  }
  function rested(): void {
    rest = undefined;
    if (waiting.size > 0) nextFrame();
  }
  return {
    add(id, status) {
      waiting.set(id, status);
      if (rest === undefined) nextFrame();
    },
    end() {
      if (frame !== undefined) cancelAnimationFrame(frame);
      clearTimeout(rest);
      handOver();
    },
  };
}

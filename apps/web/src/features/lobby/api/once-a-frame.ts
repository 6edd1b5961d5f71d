/** Gathers pushed statuses, so that hundreds a second cost one drawing a frame. Of one machine only the newest counts. */
export function onceAFrame(hand: (statuses: ReadonlyMap<string, number>) => void): {
  add(id: string, status: number): void;
  /** Hands over what still waits, and ends. */
  end(): void;
} {
  let waiting = new Map<string, number>();
  let frame: number | undefined;

  function handOver(): void {
    frame = undefined;
    const told = waiting;
    waiting = new Map();
    if (told.size > 0) hand(told);
  }
  return {
    add(id, status) {
      waiting.set(id, status);
      frame ??= requestAnimationFrame(handOver);
    },
    end() {
      if (frame !== undefined) cancelAnimationFrame(frame);
      handOver();
    },
  };
}

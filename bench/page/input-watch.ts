/** Runs in the page, before the web: keeps how long each input was waited for, from it to the next frame that was painted. */
export function watchInputs(): void {
  const longest = new Map<number, { ms: number; on: string }>();
  const watch = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEventTiming & { interactionId?: number })[]) {
      const { interactionId = 0, duration, name } = entry;
      if (interactionId === 0 || (longest.get(interactionId)?.ms ?? 0) >= duration) continue;
      // Its own tag only: writing out a page that lies in it would hold up the next input.
      const target =
        entry.target instanceof Element ? (entry.target.cloneNode() as Element).outerHTML.slice(0, 60) : "";
      longest.set(interactionId, { ms: duration, on: `${name} ${target}` });
    }
  });
  const tasks: number[] = [];
  const held = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
  // 16 ms is the least that a browser tells, in steps of 8.
  watch.observe({ type: "event", durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  addEventListener("pointerdown", () => held.observe({ type: "longtask" }), { once: true, capture: true });
  Object.assign(globalThis, {
    longarmInputs: {
      take(): SeenInputs {
        const told = [...longest.values()];
        const counted = (performance as unknown as { interactionCount?: number }).interactionCount;
        return { told, tasks, all: Math.max(counted ?? 0, told.length) };
      },
    },
  });
}

/** Inputs (a tap, a key) since the page began. */
export type SeenInputs = {
  /** Those that took 16 ms or more. */
  readonly told: readonly { readonly ms: number; readonly on: string }[];
  readonly all: number;
  /** Ms of each task over 50 ms since the first tap, before a picture or behind it: what a next input may have to wait for. */
  readonly tasks: readonly number[];
};

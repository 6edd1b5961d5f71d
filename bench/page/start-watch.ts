/** What a page's start looked like from inside, ms since the navigation began. */
export type Started = {
  /** First text or picture; null: none yet. */
  readonly firstPaintMs: number | null;
  /** The largest of them. */
  readonly largestMs: number | null;
  /** What is wanted stands where a finger would meet it, and the page was free to draw it. */
  readonly readyMs: number | null;
  /** Of all tasks, what they took beyond 50 ms each. */
  readonly blockedMs: number;
  /** Cumulative layout shift. */
  readonly shift: number;
};

/** Runs in the page, before the web: watches for `wanted` (a selector) and for what the browser tells of the start. */
export function watchStart(wanted: string): void {
  const seen = { firstPaintMs: null, largestMs: null, readyMs: null, blockedMs: 0, shift: 0 } as {
    -readonly [K in keyof Started]: Started[K];
  };
  const hear = (type: string, each: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true });
  hear("paint", ({ name, startTime }) => {
    if (name === "first-contentful-paint") seen.firstPaintMs = startTime;
  });
  hear("largest-contentful-paint", ({ startTime }) => {
    seen.largestMs = startTime;
  });
  hear("longtask", ({ duration }) => {
    seen.blockedMs += duration - 50;
  });
  hear("layout-shift", (entry) => {
    const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
    if (!hadRecentInput) seen.shift += value;
  });
  const look = () => {
    const element = document.querySelector(wanted);
    const { left = 0, top = 0, width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
    const met = document.elementFromPoint(left + width / 2, top + height / 2);
    if (element?.contains(met) && met !== null) seen.readyMs = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  Object.assign(globalThis, { longarmStart: seen });
}

/** Ms since 1970 by the clock of the page's frames and events, which never goes back. */
export function pageNow(): number {
  return performance.timeOrigin + performance.now();
}

/** A moment of a frame or an event (`performance.now()` scale) on that clock. */
export function fromPage(ms: number): number {
  return performance.timeOrigin + ms;
}

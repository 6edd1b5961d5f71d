import type { AutoplayNow } from "../state/autoplay/control.ts";

declare global {
  interface Window {
    /** Whether autoplay is on now. The game screen owns it: it can be read by whoever embeds or drives the page, not set. */
    longarmAutoplay?: boolean;
  }
}

/** Shows autoplay's state as the page's one global flag (decision D-40) and returns the end of that: false. */
export function showAutoplayFlag(
  page: Pick<Window, "longarmAutoplay">,
  state: { getState(): AutoplayNow },
): () => void {
  Object.defineProperty(page, "longarmAutoplay", { get: () => state.getState().on, configurable: true });
  return () => void Object.defineProperty(page, "longarmAutoplay", { value: false, configurable: true });
}

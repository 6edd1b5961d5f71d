/** A hidden page paints nothing: the wait ends after this long, ms. */
const UNSEEN_MS = 100;

/**
 * Resolves once the browser has painted the present state. A tap is answered by what it changes at first (a pressed button, a closing
 * drawer); heavy work follows that frame.
 */
export function painted(): Promise<void> {
  return new Promise((done) => {
    const unseen = setTimeout(done, UNSEEN_MS);
    requestAnimationFrame(() => {
      clearTimeout(unseen);
      // The frame is painted after its callbacks.
      setTimeout(done);
    });
  });
}

/** Shows a button as pressed, and resolves after that frame: what the press opens is drawn then. */
export async function pressed(key: Element | null): Promise<void> {
  key?.setAttribute("data-pressing", "");
  await painted();
  key?.removeAttribute("data-pressing");
}

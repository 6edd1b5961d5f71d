/** A hidden page paints nothing: the wait ends after this long, ms. */
const UNSEEN_MS = 100;

/**
 * Resolves once the browser has painted what stands there now. A tap is answered by what it changed at first (a key that is pressed, a
 * drawer that closes); what is heavy about it comes after that picture.
 */
export function painted(): Promise<void> {
  return new Promise((done) => {
    const unseen = setTimeout(done, UNSEEN_MS);
    requestAnimationFrame(() => {
      clearTimeout(unseen);
      // The frame's own picture is made after its callbacks.
      setTimeout(done);
    });
  });
}

/** Shows a key as pressed, and resolves behind the picture of it: what the press opens is drawn then. */
export async function pressed(key: Element | null): Promise<void> {
  key?.setAttribute("data-pressing", "");
  await painted();
  key?.removeAttribute("data-pressing");
}

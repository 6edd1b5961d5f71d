/** iPhone and iPad show no page over the whole screen (R-2.5-02). An iPad says that it is a Mac, but has a touch screen. */
export function canFillScreen(browser: Pick<Navigator, "userAgent" | "maxTouchPoints">): boolean {
  if (/iPhone|iPad|iPod/.test(browser.userAgent)) return false;
  return !(/Macintosh/.test(browser.userAgent) && browser.maxTouchPoints > 1);
}

/** What of the browser's orientation is used; few allow a lock, and only over the whole screen. */
export type Turning = { readonly type: string; lock?(position: "portrait" | "landscape"): Promise<void> };

/**
 * Over the whole screen and back. A browser that refuses leaves everything as it was. A phone keeps the position in which it is held,
 * so that nothing turns in the middle of a game; the lock ends with the full screen.
 */
export async function toggleFullScreen(
  page: Pick<Document, "fullscreenElement" | "exitFullscreen"> & {
    readonly documentElement: Pick<HTMLElement, "requestFullscreen">;
  },
  turning: Turning = screen.orientation,
): Promise<void> {
  try {
    if (page.fullscreenElement !== null) {
      await page.exitFullscreen();
      return;
    }
    await page.documentElement.requestFullscreen();
    await turning.lock?.(turning.type.startsWith("portrait") ? "portrait" : "landscape");
  } catch {
    // Refused by the browser or its owner: the key stays unlit, or the screen turns as before.
  }
}

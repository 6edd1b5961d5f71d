/** iPhone and iPad show no page over the whole screen (R-2.5-02). An iPad says that it is a Mac, but has a touch screen. */
export function canFillScreen(browser: Pick<Navigator, "userAgent" | "maxTouchPoints">): boolean {
  if (/iPhone|iPad|iPod/.test(browser.userAgent)) return false;
  return !(/Macintosh/.test(browser.userAgent) && browser.maxTouchPoints > 1);
}

/** Over the whole screen and back. A browser that refuses leaves everything as it was. */
export async function toggleFullScreen(page: Document): Promise<void> {
  try {
    if (page.fullscreenElement === null) await page.documentElement.requestFullscreen();
    else await page.exitFullscreen();
  } catch {
    // Refused by the browser or its owner: the key stays unlit.
  }
}

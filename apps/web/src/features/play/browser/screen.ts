import type { Stop, Timers } from "@longarm/link/socket";

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

type SmallPage = Pick<Document, "pictureInPictureEnabled" | "pictureInPictureElement" | "exitPictureInPicture">;
type Picture = Partial<Pick<HTMLVideoElement, "requestPictureInPicture">>;

/** Whether the browser can show the picture in a small window of its own. */
export function canShowSmall(page: Partial<SmallPage>): boolean {
  return page.pictureInPictureEnabled === true;
}

/** Into a small window of its own, and back. A browser that refuses leaves everything as it was. */
export async function toggleSmallPicture(page: SmallPage, picture: (Picture & Element) | null): Promise<void> {
  try {
    if (page.pictureInPictureElement !== null) await page.exitPictureInPicture();
    else await picture?.requestPictureInPicture?.();
  } catch {
    // Refused: the key stays unlit.
  }
}

/** What of the browser keeps its screen on; absent in some. */
export type Waker = { request(kind: "screen"): Promise<{ release(): Promise<void> }> };
type VisiblePage = Pick<Document, "visibilityState" | "addEventListener" | "removeEventListener">;

/**
 * Keeps the screen on until stopped. The browser takes the lock back whenever the page is hidden, so it is asked for again when the
 * page is seen again; one that refuses (little battery left) is asked the next time.
 */
export function keepAwake(page: VisiblePage, waker: Waker | undefined): () => void {
  if (waker === undefined) return () => {};
  let lock: { release(): Promise<void> } | undefined;
  let stopped = false;
  const letGo = (): void => {
    lock?.release().catch(() => {});
    lock = undefined;
  };
  const take = async (): Promise<void> => {
    if (page.visibilityState !== "visible") return;
    const taken = await waker.request("screen").catch(() => undefined);
    letGo();
    lock = taken;
    if (stopped) letGo();
  };
  const seen = (): void => void take();
  page.addEventListener("visibilitychange", seen);
  seen();
  return () => {
    stopped = true;
    page.removeEventListener("visibilitychange", seen);
    letGo();
  };
}

type HidingPage = Pick<Document, "visibilityState" | "addEventListener" | "removeEventListener"> & {
  readonly pictureInPictureElement?: Element | null;
};

/** A look at another tab is no reason to switch anything off, ms. */
const AFTER_MS = 2_000;

/**
 * Tells whether the machine's picture is wanted: not once the page has been hidden for a while, unless the picture stands in a small
 * window of its own; at once when the page is seen again.
 */
export function restWhenHidden(page: HidingPage, timers: Timers, want: (machine: boolean) => void): Stop {
  let stop: Stop = () => {};
  const rest = (): void => {
    // The small window may be closed while the page is hidden: then it is time.
    if (page.pictureInPictureElement != null) stop = timers.after(AFTER_MS, rest);
    else want(false);
  };
  const look = (): void => {
    stop();
    if (page.visibilityState === "hidden") stop = timers.after(AFTER_MS, rest);
    else want(true);
  };
  page.addEventListener("visibilitychange", look);
  look();
  return () => {
    stop();
    page.removeEventListener("visibilitychange", look);
  };
}

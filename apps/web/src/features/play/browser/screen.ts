import type { Stop, Timers } from "@longarm/link/socket";

/** iPhone and iPad have no full screen for pages (R-2.5-02). An iPad claims to be a Mac, but has a touch screen. */
export function canFillScreen(browser: Pick<Navigator, "userAgent" | "maxTouchPoints">): boolean {
  if (/iPhone|iPad|iPod/.test(browser.userAgent)) return false;
  return !(/Macintosh/.test(browser.userAgent) && browser.maxTouchPoints > 1);
}

/** What of the browser's orientation is used; few browsers permit a lock, and only in full screen. */
export type Orientation = { readonly type: string; lock?(position: "portrait" | "landscape"): Promise<void> };

/**
 * Enters and leaves full screen. A browser that refuses leaves everything as it was. A phone locks its present orientation, so that nothing
 * rotates in the middle of a game; the lock ends with the full screen.
 */
export async function toggleFullScreen(
  page: Pick<Document, "fullscreenElement" | "exitFullscreen"> & {
    readonly documentElement: Pick<HTMLElement, "requestFullscreen">;
  },
  orientation: Orientation = screen.orientation,
): Promise<void> {
  try {
    if (page.fullscreenElement !== null) {
      await page.exitFullscreen();
      return;
    }
    await page.documentElement.requestFullscreen();
    await orientation.lock?.(orientation.type.startsWith("portrait") ? "portrait" : "landscape");
  } catch {
    // Refused by the browser or its owner: the button stays unlit, or the screen rotates as before.
  }
}

type SmallPage = Pick<Document, "pictureInPictureEnabled" | "pictureInPictureElement" | "exitPictureInPicture">;
type SmallVideo = Partial<Pick<HTMLVideoElement, "requestPictureInPicture">>;

/** Whether the browser can show the video in a picture-in-picture window. */
export function canShowSmall(page: Partial<SmallPage>): boolean {
  return page.pictureInPictureEnabled === true;
}

/** Opens and closes the picture-in-picture window. A browser that refuses leaves everything as it was. */
export async function toggleSmallWindow(page: SmallPage, video: (SmallVideo & Element) | null): Promise<void> {
  try {
    if (page.pictureInPictureElement !== null) await page.exitPictureInPicture();
    else await video?.requestPictureInPicture?.();
  } catch {
    // Refused: the button stays unlit.
  }
}

/** The browser's wake lock; absent in some browsers. */
export type Waker = { request(kind: "screen"): Promise<{ release(): Promise<void> }> };
type VisiblePage = Pick<Document, "visibilityState" | "addEventListener" | "removeEventListener">;

/**
 * Keeps the screen on until stopped. The browser releases the lock whenever the page is hidden, so the page requests it again when it becomes
 * visible; after a refusal (low battery) it tries again the next time.
 */
export function keepAwake(page: VisiblePage, waker: Waker | undefined): () => void {
  if (waker === undefined) return () => {};
  let lock: { release(): Promise<void> } | undefined;
  let stopped = false;
  const release = (): void => {
    lock?.release().catch(() => {});
    lock = undefined;
  };
  const acquire = async (): Promise<void> => {
    if (page.visibilityState !== "visible") return;
    const acquired = await waker.request("screen").catch(() => undefined);
    release();
    lock = acquired;
    if (stopped) release();
  };
  const seen = (): void => void acquire();
  page.addEventListener("visibilitychange", seen);
  seen();
  return () => {
    stopped = true;
    page.removeEventListener("visibilitychange", seen);
    release();
  };
}

type HidingPage = Pick<Document, "visibilityState" | "addEventListener" | "removeEventListener"> & {
  readonly pictureInPictureElement?: Element | null;
};

/** A short look at another tab switches nothing off, ms. */
const AFTER_MS = 2_000;

/**
 * Calls `want` with whether the machine's video is wanted: false once the page has been hidden for a while, unless the video is in a
 * picture-in-picture window; true at once when the page is visible again.
 */
export function restWhenHidden(page: HidingPage, timers: Timers, want: (machine: boolean) => void): Stop {
  let stop: Stop = () => {};
  const rest = (): void => {
    // The window may be closed while the page is hidden: then the video rests.
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

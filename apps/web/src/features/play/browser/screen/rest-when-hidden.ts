import type { Stop, Timers } from "@longarm/link/socket";

type Page = Pick<Document, "visibilityState" | "addEventListener" | "removeEventListener"> & {
  readonly pictureInPictureElement?: Element | null;
};

/** A look at another tab is no reason to switch anything off, ms. */
const AFTER_MS = 2_000;

/**
 * Tells whether the machine's picture is wanted: not once the page has been hidden for a while, unless the picture stands in a small
 * window of its own; at once when the page is seen again.
 */
export function restWhenHidden(page: Page, timers: Timers, want: (picture: boolean) => void): Stop {
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

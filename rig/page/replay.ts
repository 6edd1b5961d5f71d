import { timeCodeDistance } from "@longarm/reels/picture/reading/time-code";
import type { Page } from "playwright-core";
import { timeInPicture } from "./machine-frame.ts";

/** When the frame under the playhead of a replay was taken, as the page says; ms by the agent's clock. */
export const playheadAt = async (page: Page): Promise<number> =>
  Number(await page.locator("video").getAttribute("data-at"));

/** One frame at 30 a second, and what rounding adds, ms. */
export const FRAME_MS = 34;
/** A video draws a frame some time after it has found it; on a full computer this long, ms. */
const DRAWN_WITHIN_MS = 30_000;

type ShownFrame = { readonly age: number | undefined; readonly at: number };

/**
 * The frame on the screen: when the axis says that it was taken, and how far its time code is from that, ms; undefined: it has none that can be read.
 * A code of another frame is read again until the video has drawn this one.
 */
export async function shownFrame(page: Page): Promise<ShownFrame> {
  const until = performance.now() + DRAWN_WITHIN_MS;
  for (;;) {
    const frame = await frameNow(page);
    if (frame.age === undefined || frame.age < FRAME_MS || performance.now() > until) return frame;
  }
}

async function frameNow(page: Page): Promise<ShownFrame> {
  const at = await page.locator("video").evaluate(async (element) => {
    const video = element as HTMLVideoElement;
    while (video.seeking || video.readyState < 2 || video.closest("[data-late]") !== null)
      await new Promise((next) => requestAnimationFrame(next));
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    return Number(video.dataset["at"]);
  });
  const code = await timeInPicture(page);
  return { at, age: code === null ? undefined : timeCodeDistance(code, at) };
}

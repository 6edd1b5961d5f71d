import { timeCodeAge } from "@longarm/reels/picture/reading/time-code";
import type { Page } from "playwright-core";
import { timeInPicture } from "./machine-frame.ts";

/** When the frame under the playhead of a replay was taken, as the page says; ms by the agent's clock. */
export const playheadAt = async (page: Page): Promise<number> =>
  Number(await page.locator("video").getAttribute("data-at"));

/** The frame that is on the screen may be that far before the place of the video, s: a place is within its frame, which is shown for 33 ms. */
const WITHIN_FRAME_S = 0.04;
/** A frame that is not painted by then is not shown at all, ms. */
const PAINTED_MS_MAX = 20_000;

/**
 * The frame on the screen of a replay that does not play: when the axis says that it was taken, and how far its time code is from that, ms; undefined: it has none that can be read.
 * A busy computer ends a seek before the frame is painted, so the frame itself says which one it is.
 */
export async function shownFrame(page: Page): Promise<{ readonly age: number | undefined; readonly at: number }> {
  const at = await page.locator("video").evaluate(
    async (element, { within, longest }) => {
      const video = element as HTMLVideoElement & { paintedAt?: number };
      if (video.paintedAt === undefined) {
        const painted = (_now: number, { mediaTime }: VideoFrameCallbackMetadata): void => {
          video.paintedAt = mediaTime;
          video.requestVideoFrameCallback(painted);
        };
        video.requestVideoFrameCallback(painted);
        const { currentTime } = video;
        video.currentTime = currentTime;
      }
      const isPainted = (): boolean => {
        const ago = video.currentTime - (video.paintedAt ?? Number.NEGATIVE_INFINITY);
        return !video.seeking && ago > -0.001 && ago < within;
      };
      const until = performance.now() + longest;
      while (!isPainted()) {
        if (performance.now() > until) throw new Error("The replay does not show the frame under its playhead.");
        await new Promise((next) => requestAnimationFrame(next));
      }
      return Number(video.dataset["at"]);
    },
    { within: WITHIN_FRAME_S, longest: PAINTED_MS_MAX },
  );
  const code = await timeInPicture(page);
  const age = code === null ? undefined : timeCodeAge(code, at);
  return { at, age: age === undefined ? undefined : Math.min(age, 65_536 - age) };
}

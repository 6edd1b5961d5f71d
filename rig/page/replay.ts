import { timeCodeAge } from "@longarm/reels/picture/reading/time-code";
import type { Page } from "playwright-core";
import { timeInPicture } from "./machine-frame.ts";

/** When the frame under the playhead of a replay was taken, as the page says; ms by the agent's clock. */
export const playheadAt = async (page: Page): Promise<number> =>
  Number(await page.locator("video").getAttribute("data-at"));

/** The frame on the screen: when the axis says that it was taken, and how far its time code is from that, ms; undefined: it has none that can be read. */
export async function shownFrame(page: Page): Promise<{ readonly age: number | undefined; readonly at: number }> {
  const at = await page.locator("video").evaluate(async (element) => {
    const video = element as HTMLVideoElement;
    while (video.seeking || video.readyState < 2) await new Promise((next) => requestAnimationFrame(next));
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    return Number(video.dataset["at"]);
  });
  const code = await timeInPicture(page);
  const age = code === null ? undefined : timeCodeAge(code, at);
  return { at, age: age === undefined ? undefined : Math.min(age, 65_536 - age) };
}

import type { ReadMeters } from "@longarm/reels/picture/reading/meters";
import { readMeters } from "@longarm/reels/picture/reading/meters";
import type { Pixels } from "@longarm/reels/picture/reading/pixels";
import type { TimeCode } from "@longarm/reels/picture/reading/time-code";
import { readTimeCode } from "@longarm/reels/picture/reading/time-code";
import type { Page } from "playwright-core";

/** The frame that the page's video shows now, as brightness. */
async function picture(page: Page): Promise<Pixels> {
  const { width, height, levels } = await page.evaluate(() => {
    const video = document.querySelector("video");
    if (video === null || video.videoWidth === 0) throw new Error("the page shows no frame");
    const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    if (pen === null) throw new Error("the browser has no canvas");
    pen.drawImage(video, 0, 0);
    const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
    let text = "";
    for (let at = 0; at < data.length; at += 4)
      text += String.fromCharCode(
        Math.round(0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0)),
      );
    return { width: canvas.width, height: canvas.height, levels: btoa(text) };
  });
  return { data: Buffer.from(levels, "base64"), width, height, layout: "i420" };
}

/** Credit, bet and win as the glass of the simulated machine shows them, minor units; null where a digit is not certain. */
export async function metersInPicture(page: Page): Promise<ReadMeters> {
  return readMeters(await picture(page));
}

/** When the frame was captured, as painted into it. */
export async function timeInPicture(page: Page): Promise<TimeCode | null> {
  return readTimeCode(await picture(page));
}

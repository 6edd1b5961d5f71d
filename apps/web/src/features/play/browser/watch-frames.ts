import type { FrameShown } from "../state/play-state.ts";
import { fromPage } from "./page-clock.ts";

/** Tells every picture that the element shows, until stopped. Browsers without frame callbacks tell only that there is a new one. */
export function watchFrames(video: HTMLVideoElement, shown: (frame: FrameShown) => void): () => void {
  if ("requestVideoFrameCallback" in video) return byFrame(video, shown);
  return byTime(video, shown);
}

function byFrame(video: HTMLVideoElement, shown: (frame: FrameShown) => void): () => void {
  let handle = 0;
  const next = (): void => {
    handle = video.requestVideoFrameCallback((_now, { presentationTime, rtpTimestamp }) => {
      shown({ shownAt: fromPage(presentationTime), rtp: rtpTimestamp });
      next();
    });
  };
  next();
  return () => video.cancelVideoFrameCallback(handle);
}

function byTime(video: HTMLVideoElement, shown: (frame: FrameShown) => void): () => void {
  let handle = 0;
  let last = -1;
  const next = (): void => {
    handle = requestAnimationFrame((now) => {
      if (video.currentTime !== last) shown({ shownAt: fromPage(now), rtp: undefined });
      last = video.currentTime;
      next();
    });
  };
  next();
  return () => cancelAnimationFrame(handle);
}

import type { Timers } from "@longarm/link/socket";
import type { RefObject } from "react";
import { useEffect, useState } from "react";
import { fromPage } from "../../../shared/page-clock/page-clock.ts";
import type { FrameShown } from "../state/media/link-meter.ts";

/** Plays a stream in an element. True while the browser refuses to before a gesture of the player. */
export function useStarted(element: RefObject<HTMLMediaElement | null>, stream: MediaStream | undefined): boolean {
  const [locked, setLocked] = useState(false);
  useEffect(() => {
    const player = element.current;
    if (player === null || stream === undefined) return;
    player.srcObject = stream;
    return startMedia(player, window, setLocked);
  }, [element, stream]);
  return locked;
}

/** What of a media element is used. */
export type Player = Pick<HTMLMediaElement, "play" | "paused" | "addEventListener" | "removeEventListener">;
type GesturePage = Pick<EventTarget, "addEventListener" | "removeEventListener">;

const GESTURES = ["pointerup", "keydown", "touchend", "click"] as const;

/**
 * Plays an element, at once if the browser permits it. One that the browser blocks (sound before the first gesture; on an iPhone that saves
 * power even muted video) is `locked`, and any gesture plays it; so is one that the browser paused by itself and does not play again.
 */
export function startMedia(player: Player, page: GesturePage, locked: (locked: boolean) => void): () => void {
  let stopped = false;
  const setLocked = (now: boolean): void => {
    if (!stopped) locked(now);
  };
  const play = (): void => {
    player.play().then(
      () => setLocked(false),
      // Another source has replaced it meanwhile, and reports its own result.
      (error: unknown) => (error as Error)?.name !== "AbortError" && setLocked(true),
    );
  };
  const gesture = (): void => {
    if (player.paused) play();
  };
  for (const kind of GESTURES) page.addEventListener(kind, gesture);
  player.addEventListener("pause", play);
  play();
  return () => {
    stopped = true;
    for (const kind of GESTURES) page.removeEventListener(kind, gesture);
    player.removeEventListener("pause", play);
  };
}

/** Calls `shown` for every frame that the element shows, until stopped. Without frame callbacks a browser reports only that there is a new one. */
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

const PERIOD_MS = 250;
/** Of a sample: enough to distinguish a frame from a plain surface, and to know its light. Reading them back is what costs. */
export const POINTS = { width: 8, height: 5 } as const;
/** Channels of one colour differ by no more than this after a decoder's rounding. */
const ALIKE = 8;
/** A decoder without its reference frames paints the middle of its range; a machine that is dark or white shows that itself. */
const GREY = { min: 100, max: 160 } as const;

type Points = { readonly data: ArrayLike<number> };
type Canvas = Pick<CanvasRenderingContext2D, "drawImage" | "canvas">;
type Sample = Pick<CanvasRenderingContext2D, "drawImage"> & {
  getImageData(x: number, y: number, width: number, height: number): Points;
};

/** Whether these points show only the grey of a decoder without reference frames. `data`: red, green, blue, opacity. */
export function isDecoderGrey(data: ArrayLike<number>): boolean {
  const first = data[0] ?? 0;
  if (first < GREY.min || first > GREY.max) return false;
  for (let at = 0; at < data.length; at += 1)
    if (at % 4 !== 3 && Math.abs((data[at] ?? 0) - first) > ALIKE) return false;
  return true;
}

/**
 * Keeps the last frame of the video that showed something, and reports whenever the present one begins or ceases to be a decoder's grey.
 * Not while the page is hidden: nothing is drawn then. Each look draws the video once, into `latest`: a browser without a graphics card
 * converts a whole frame for each drawing of it, however small.
 */
export function keepLastFrame(
  { kept, latest, sample, video }: { kept: Canvas; latest: Canvas; sample: Sample; video: HTMLVideoElement },
  timers: Timers,
  isGrey: (grey: boolean) => void,
): () => void {
  let grey = false;
  let stop = (): void => {};
  const look = (): void => {
    if (video.readyState >= 2 && !document.hidden) {
      latest.drawImage(video, 0, 0, latest.canvas.width, latest.canvas.height);
      sample.drawImage(latest.canvas, 0, 0, POINTS.width, POINTS.height);
      const now = isDecoderGrey(sample.getImageData(0, 0, POINTS.width, POINTS.height).data);
      if (now !== grey) isGrey(now);
      grey = now;
      if (!grey) kept.drawImage(latest.canvas, 0, 0);
    }
    stop = timers.after(PERIOD_MS, look);
  };
  look();
  return () => {
    stop();
    if (grey) isGrey(false);
  };
}

/** A small canvas whose points can be read. Null: the browser has none. */
export function sampleCanvas(): CanvasRenderingContext2D | null {
  return Object.assign(document.createElement("canvas"), POINTS).getContext("2d", {
    alpha: false,
    willReadFrequently: true,
  });
}

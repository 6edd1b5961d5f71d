import type { Timers } from "@longarm/link/socket";

const PERIOD_MS = 250;
/** Enough points to tell a frame from a plain surface; reading them back is what costs. */
const POINTS = { width: 8, height: 5 } as const;
/** Channels of one colour differ by no more than this after a decoder's rounding. */
const ALIKE = 8;
/** A decoder without its reference frames paints the middle of its range; a machine that is dark or white shows that itself. */
const GREY = { min: 100, max: 160 } as const;

type Points = { readonly data: ArrayLike<number> };
type Canvas = Pick<CanvasRenderingContext2D, "drawImage"> & {
  readonly canvas: { readonly width: number; readonly height: number };
};
type Sample = Pick<CanvasRenderingContext2D, "drawImage"> & {
  getImageData(x: number, y: number, width: number, height: number): Points;
};

/** Whether these points are nothing but the grey of a decoder that has lost its way. `data`: red, green, blue, opacity. */
export function isDecoderGrey(data: ArrayLike<number>): boolean {
  const first = data[0] ?? 0;
  if (first < GREY.min || first > GREY.max) return false;
  for (let at = 0; at < data.length; at += 1)
    if (at % 4 !== 3 && Math.abs((data[at] ?? 0) - first) > ALIKE) return false;
  return true;
}

/**
 * Keeps the last frame of the video that showed something, and reports whenever the present one begins or ceases to be a decoder's grey.
 * Not while the page is hidden: nothing is drawn then.
 */
export function keepLastFrame(
  { kept, sample, video }: { kept: Canvas; sample: Sample; video: HTMLVideoElement },
  timers: Timers,
  isGrey: (grey: boolean) => void,
): () => void {
  let grey = false;
  let stop = (): void => {};
  const look = (): void => {
    if (video.readyState >= 2 && !document.hidden) {
      sample.drawImage(video, 0, 0, POINTS.width, POINTS.height);
      const now = isDecoderGrey(sample.getImageData(0, 0, POINTS.width, POINTS.height).data);
      if (now !== grey) isGrey(now);
      grey = now;
      if (!grey) kept.drawImage(video, 0, 0, kept.canvas.width, kept.canvas.height);
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
export function sampleCanvas(): Sample | null {
  return Object.assign(document.createElement("canvas"), POINTS).getContext("2d", {
    alpha: false,
    willReadFrequently: true,
  });
}

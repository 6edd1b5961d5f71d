import type { Timers } from "@longarm/link/socket";

const PERIOD_MS = 500;
/** The room is lit under 30 pictures a second no more (design.md section 13); thirty are measured as 28 at times. */
const FRAMES_PER_SECOND_MIN = 28;

/** So few points that drawing them large again is the blur: a blur of the page's own costs half of the frames without a GPU. */
const POINTS = { width: 8, height: 5 } as const;

/** Paints the light that the picture throws into the room, twice a second. Not while the page is hidden or the picture is slow. */
export function paintAmbient(
  canvas: HTMLCanvasElement,
  video: HTMLVideoElement,
  timers: Timers,
  framesPerSecond: () => number,
): () => void {
  const points = Object.assign(document.createElement("canvas"), POINTS).getContext("2d", { alpha: false });
  const context = canvas.getContext("2d", { alpha: false });
  let painted = false;
  let stop = (): void => {};
  const next = (): void => {
    const slow = painted && framesPerSecond() < FRAMES_PER_SECOND_MIN;
    if (context !== null && points !== null && video.readyState >= 2 && !slow && !document.hidden) {
      points.drawImage(video, 0, 0, POINTS.width, POINTS.height);
      context.imageSmoothingQuality = "high";
      context.drawImage(points.canvas, 0, 0, canvas.width, canvas.height);
      painted = true;
    }
    stop = timers.after(PERIOD_MS, next);
  };
  next();
  return () => stop();
}

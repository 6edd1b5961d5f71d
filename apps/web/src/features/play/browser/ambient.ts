import type { Timers } from "@longarm/link/socket";

const PERIOD_MS = 500;
/** Below 30 frames a second the room is not lit (design.md section 13); thirty are measured as 28 at times. */
const FRAMES_PER_SECOND_MIN = 28;

/** So few points that enlarging them blurs them: a CSS blur costs half of the frames without a GPU. */
const POINTS = { width: 8, height: 5 } as const;

/** Paints the light that the video casts into the room, twice a second. Not while the page is hidden or the video is slow. */
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

type Battery = Pick<EventTarget, "addEventListener" | "removeEventListener"> & {
  readonly charging: boolean;
  readonly level: number;
};
/** The browser's hints that the device saves power or data; some browsers lack some of them. */
export type Saver = {
  readonly connection?: { readonly saveData?: boolean };
  getBattery?(): Promise<Battery>;
};

/** Browsers and phones begin to save power here by themselves, without reporting it. */
const LOW_BATTERY = 0.2;

/** Calls `changed` with whether the player's device saves power or data: at once and after every change, until stopped. */
export function watchSaving(saver: Saver, changed: (saving: boolean) => void): () => void {
  let battery: Battery | undefined;
  let stopped = false;
  const look = (): void => {
    const low = battery !== undefined && !battery.charging && battery.level <= LOW_BATTERY;
    if (!stopped) changed(saver.connection?.saveData === true || low);
  };
  look();
  saver.getBattery?.().then(
    (known) => {
      if (stopped) return;
      battery = known;
      for (const kind of ["chargingchange", "levelchange"]) known.addEventListener(kind, look);
      look();
    },
    // Not permitted: unknown, so treated as not saving.
    () => {},
  );
  return () => {
    stopped = true;
    for (const kind of ["chargingchange", "levelchange"]) battery?.removeEventListener(kind, look);
  };
}

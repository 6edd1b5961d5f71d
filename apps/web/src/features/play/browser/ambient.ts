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

type Battery = Pick<EventTarget, "addEventListener" | "removeEventListener"> & {
  readonly charging: boolean;
  readonly level: number;
};
/** What of the browser tells that power or data is saved; each part is absent in some. */
export type Saver = {
  readonly connection?: { readonly saveData?: boolean };
  getBattery?(): Promise<Battery>;
};

/** Browsers and phones begin to save power here by themselves, and none tells that it does. */
const LOW_BATTERY = 0.2;

/** Whether the player's device saves power or data now; told at once and whenever it changes, until stopped. */
export function watchSaving(saver: Saver, tell: (saving: boolean) => void): () => void {
  let battery: Battery | undefined;
  let stopped = false;
  const look = (): void => {
    const low = battery !== undefined && !battery.charging && battery.level <= LOW_BATTERY;
    if (!stopped) tell(saver.connection?.saveData === true || low);
  };
  look();
  saver.getBattery?.().then(
    (known) => {
      if (stopped) return;
      battery = known;
      for (const kind of ["chargingchange", "levelchange"]) known.addEventListener(kind, look);
      look();
    },
    // Forbidden: nobody knows, so nothing is saved.
    () => {},
  );
  return () => {
    stopped = true;
    for (const kind of ["chargingchange", "levelchange"]) battery?.removeEventListener(kind, look);
  };
}

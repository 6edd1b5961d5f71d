import type { Timers } from "@longarm/link/socket";
import { POINTS, sampleCanvas } from "./media-element.ts";

const PERIOD_MS = 500;
/** Below 30 frames a second the room is not lit (design.md section 13); thirty are measured as 28 at times. */
const FRAMES_PER_SECOND_MIN = 28;

/** The dark room, red, green and blue, and the share of the video's light in it. Mixed here: a translucent layer is mixed anew with every frame. */
const ROOM = [7, 5, 4] as const;
const LIGHT = 0.5;

/** The light at the left and at the right edge of the video, as CSS colours. */
export type EdgeLight = { readonly left: string; readonly right: string };

export type AmbientParts = {
  readonly canvas: HTMLCanvasElement;
  /** The last frame that showed the machine; black before the first one. */
  readonly kept: HTMLCanvasElement;
  framesPerSecond(): number;
  lit(edges: EdgeLight): void;
};

/** Paints the light that the video casts into the room, twice a second. Not while the page is hidden or the video is slow. */
export function paintAmbient(parts: AmbientParts, timers: Timers): () => void {
  // So few points that enlarging them blurs them: a CSS blur costs half of the frames without a GPU.
  const points = sampleCanvas();
  let painted = false;
  let stop = (): void => {};
  const next = (): void => {
    const slow = painted && parts.framesPerSecond() < FRAMES_PER_SECOND_MIN;
    if (points !== null && !slow && !document.hidden) painted = paint(parts, points);
    stop = timers.after(PERIOD_MS, next);
  };
  next();
  return () => stop();
}

/** False: the frame is black and casts no light, or the browser has no canvas. */
function paint({ canvas, kept, lit }: AmbientParts, points: CanvasRenderingContext2D): boolean {
  const { width, height } = POINTS;
  points.drawImage(kept, 0, 0, width, height);
  if (points.getImageData(0, 0, width, height).data.every((value, at) => at % 4 === 3 || value === 0)) return false;
  const edge = (column: number): string => colorOf(points.getImageData(column, 0, 1, height).data);
  lit({ left: edge(0), right: edge(width - 1) });
  // Opaque, so that the browser need not draw what the video covers.
  const context = canvas.getContext("2d", { alpha: false });
  if (context === null) return false;
  context.fillStyle = `rgb(${ROOM.join(" ")})`;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.globalAlpha = LIGHT;
  context.imageSmoothingQuality = "high";
  context.drawImage(points.canvas, 0, 0, canvas.width, canvas.height);
  context.globalAlpha = 1;
  return true;
}

/** The mean of the points (red, green, blue, alpha each) as it is seen in the room. */
function colorOf(points: Uint8ClampedArray): string {
  const mixed = ROOM.map((room, channel) => {
    const light = points.filter((_, at) => at % 4 === channel);
    const mean = light.reduce((sum, value) => sum + value, 0) / light.length;
    return Math.round(room * (1 - LIGHT) + mean * LIGHT);
  });
  return `rgb(${mixed.join(" ")})`;
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

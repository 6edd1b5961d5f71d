import { paceOf } from "@longarm/reels/game/reveal";
import { stripsOf } from "@longarm/reels/game/strips";
import { prepareArt } from "@longarm/reels/picture/art";
import { PICTURE_HEIGHT, PICTURE_WIDTH } from "@longarm/reels/picture/reading/layout";
import { createScene } from "@longarm/reels/picture/scene";
import type { GlassView } from "@longarm/reels/picture/view";
import type { ScreenFaults } from "../orders.ts";
import type { Clock } from "../sas/link-layer.ts";
import type { Encoder } from "./encoder.ts";
import { openEncoder } from "./encoder.ts";
import type { CameraServer } from "./rtsp.ts";
import { serveCamera } from "./rtsp.ts";

const FRAME_RATE = 30;

export type ScreenOptions = {
  readonly brand: string;
  readonly minCycleMs: number;
  readonly clock: Clock;
  /** Paints the time of each frame into it, for measurements. */
  readonly timeCode: boolean;
  /** Null: the machine has no power. */
  view(): GlassView | null;
  faults(): ScreenFaults;
  problem(sentence: string): void;
};

/** The screen of the machine as a network camera sees it. Painted and encoded only while a viewer plays. */
export async function openScreen(options: ScreenOptions): Promise<CameraServer & { close(): Promise<void> }> {
  const { brand, minCycleMs, clock, timeCode, view, faults, problem } = options;
  const scene = createScene({
    art: await prepareArt(brand),
    strips: stripsOf(brand),
    pace: paceOf(minCycleMs),
    timeCode,
  });
  const dark = new Uint8Array(scene.frame.data.length).fill(128);
  dark.fill(16, 0, PICTURE_WIDTH * PICTURE_HEIGHT);
  let encoder: Promise<Encoder> | null = null;
  let stopTimer: (() => void) | null = null;
  let wantsKeyFrame = false;
  let playing = 0;

  const shoot = async (): Promise<void> => {
    encoder ??= openEncoder(PICTURE_WIDTH, PICTURE_HEIGHT, FRAME_RATE);
    const open = await encoder;
    if (open.busy) return;
    const { dark: isDark, frozen, delayMs } = faults();
    const now = isDark ? null : view();
    const atMs = clock.now();
    if (now !== null && !frozen) scene.paint(now, atMs);
    const keyFrame = wantsKeyFrame;
    wantsKeyFrame = false;
    const unit = await open.encode(now === null ? dark : scene.frame.data, atMs, keyFrame);
    if (unit === null) return;
    if (delayMs === 0) camera.show(unit, atMs);
    else clock.after(delayMs, () => camera.show(unit, atMs));
  };
  const turn = (): void => {
    stopTimer = clock.after(1_000 / FRAME_RATE, turn);
    shoot().catch((error: Error) => problem(`The screen cannot be shown: ${error.message}`));
  };
  const stop = (): void => {
    stopTimer?.();
    stopTimer = null;
  };
  const camera = serveCamera((now) => {
    if (now > playing) wantsKeyFrame = true;
    playing = now;
    if (playing > 0 && stopTimer === null) turn();
    if (playing === 0) stop();
  });
  return {
    ...camera,
    async close() {
      stop();
      await (await encoder)?.close();
    },
  };
}

import { paceOf } from "@longarm/reels/game/reveal";
import { stripsOf } from "@longarm/reels/game/strips";
import type { Clock } from "../../ports/clock.ts";
import type { Source } from "../../ports/source.ts";
import { bell } from "./bell.ts";
import { roomCameraSource } from "./room/room-camera.ts";
import { paintedSource } from "./source.ts";
import type { MachineView } from "./view.ts";

export { prepare } from "./source.ts";

export type PaintedMachine = {
  /** Brand id: its art and its reels. */
  readonly brand: string;
  /** As the machine itself was given it: the reels turn by it. */
  readonly minCycleMs: number;
  /** Paints capture time and press marker into the picture, for measurements and tests. */
  readonly timeCode: boolean;
};

/** What a painter knows of its machine. */
export type PaintedGlass = {
  view(): MachineView;
  /** Rings at each press that had an effect; one listener at most. */
  onPress(listener: () => void): () => void;
};

/** Picture and room of a simulated machine. */
export function paintedPictures(
  { brand, minCycleMs, timeCode }: PaintedMachine,
  glass: PaintedGlass,
  clock: Clock,
): { source: Source; roomCamera: Source } {
  const options = { brand, strips: stripsOf(brand), pace: paceOf(minCycleMs), timeCode, clock };
  return { source: paintedSource({ ...options, ...glass }), roomCamera: roomCameraSource(brand, clock) };
}

/** The glass of a machine in another process, by the last `view` that arrived from there. */
export function mirrorGlass(first: unknown): PaintedGlass & { show(view: unknown): void } {
  // Made by `Machine.view`, of the same sources.
  let now = first as MachineView;
  const pressed = bell();
  return {
    view: () => now,
    onPress: pressed.listen,
    show(view) {
      const { presses } = now;
      now = view as MachineView;
      if (now.presses !== presses) pressed.ring();
    },
  };
}

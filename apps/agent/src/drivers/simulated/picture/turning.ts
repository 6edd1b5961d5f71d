import type { Strip } from "../game/strips.ts";
import type { Pace } from "../reveal.ts";
import type { MachineView } from "../view.ts";
import type { BrandArt } from "./art.ts";
import { moves } from "./motion.ts";
import { reelColumn, symbolColumn } from "./places.ts";
import type { Planes, Rect } from "./planes.ts";
import { copyRect } from "./planes.ts";
import { paintReel } from "./reels.ts";

type TurningDeps = {
  frame: Planes;
  art: BrandArt;
  strips: readonly Strip[];
  pace: Pace;
  touched(place: Rect): void;
};

/** The reels while any of them moves: each until it stands, and then no more. */
export function createTurning({ frame, art, strips, pace, touched }: TurningDeps) {
  /** Reels of which nothing but the symbols was painted since their ground was made. */
  const plain = new Set<number>();
  const standing = new Map<number, number | undefined>();
  return {
    paint(view: MachineView, since: number): void {
      for (const [reel, strip] of strips.entries()) {
        const turn = { spinMs: pace.spinMs, reel };
        const stop = view.stops[reel];
        if (moves(turn, since)) standing.delete(reel);
        else if (standing.has(reel) && standing.get(reel) === stop) continue;
        else standing.set(reel, stop);
        if (!plain.has(reel)) copyRect(frame, art.lit, reelColumn(reel));
        touched(plain.has(reel) ? symbolColumn(reel) : reelColumn(reel));
        plain.add(reel);
        paintReel(frame, art, strip, view, turn, since);
      }
    },
    /** Something else was painted over the reels. */
    forget(): void {
      plain.clear();
      standing.clear();
    },
  };
}

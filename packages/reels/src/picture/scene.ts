import type { Pace } from "../game/reveal.ts";
import type { Strip } from "../game/strips.ts";
import type { BrandArt } from "./art.ts";
import { writeCentred } from "./glyphs.ts";
import { moves } from "./motion.ts";
import { moneyText, writeAmount } from "./numbers.ts";
import {
  JACKPOT_BASELINE,
  jackpotBox,
  jackpotMiddle,
  MESSAGE_BAND,
  MESSAGE_BASELINE,
  MESSAGE_MIDDLE,
  meterBox,
  REELS,
  reelColumn,
  SPIN_LAMP,
  symbolColumn,
  withLight,
} from "./places.ts";
import type { Planes, Rect } from "./planes.ts";
import { copyRect, fillGrey, planes } from "./planes.ts";
import { METER_LINES, PICTURE_HEIGHT, PICTURE_WIDTH, TIME_CODE } from "./reading/layout.ts";
import { timeCodeBits } from "./reading/time-code.ts";
import { anyMoves, lightWins, paintBonus, paintReel, paintReels, winningCells } from "./reels.ts";
import { lay } from "./sprites.ts";
import type { GlassView } from "./view.ts";

/** How long a win counts up, ms. */
export const COUNT_UP_MS = 600;

export type SceneOptions = { art: BrandArt; strips: readonly Strip[]; pace: Pace; timeCode: boolean };

/** One machine's picture: painted in place, only where something changed. `paint` answers where. */
export type Scene = { readonly frame: Planes; paint(view: GlassView, nowMs: number): Rect[] };

/** What is shown in the place of the title; empty: the title itself. */
export function messageOf(view: GlassView, shownWin: number): string {
  const { meters, notice, stage } = view;
  const [handPay] = meters.handPays;
  if (handPay !== undefined) return `HAND PAY ${moneyText(handPay.amount)} - CALL ATTENDANT`;
  if (notice !== "") return notice;
  if (stage?.is === "bonus") return `BONUS - PICK ${Math.min(stage.picked + 1, 3)}/3 - WIN ${moneyText(shownWin)}`;
  if (stage !== null && view.freeSpinsTotal > 0 && (stage.spin > 0 || stage.is === "rest")) {
    return stage.spin === 0
      ? `${view.freeSpinsTotal} FREE SPINS`
      : `FREE SPIN ${stage.spin}/${view.freeSpinsTotal} - WIN ${moneyText(shownWin)}`;
  }
  return shownWin > 0 ? `WIN ${moneyText(shownWin)}` : "";
}

/** The win the meter shows: it counts up when a game has ended. */
export function shownWin(view: GlassView, nowMs: number): number {
  const { win } = view.meters;
  if (view.stage !== null || view.restAt === 0) return win;
  const share = Math.min(Math.max((nowMs - view.restAt) / COUNT_UP_MS, 0), 1);
  return share === 1 ? win : Math.floor(win * share);
}

/** Writes when the picture was taken, and the marker of the last press, into its lower edge: the blocks that changed. */
function createTimeCode(to: Planes, touched: (place: Rect) => void) {
  const { x, y, block, height } = TIME_CODE;
  let written: boolean[] = [];
  return {
    paint(view: GlassView, nowMs: number): void {
      const bits = timeCodeBits({ time: nowMs, marker: view.presses % 2 === 1 });
      for (const [n, bit] of bits.entries()) {
        if (written[n] === bit) continue;
        const place = { x: x + n * block, y, width: block, height };
        fillGrey(to, place, bit ? 226 : 24);
        touched(place);
      }
      written = bits;
    },
    forget(): void {
      written = [];
    },
  };
}

export function createScene({ art, strips, pace, timeCode }: SceneOptions): Scene {
  const frame = planes(PICTURE_WIDTH, PICTURE_HEIGHT, Uint8Array.from(art.lit.data));
  const painted = new Map<string, string>();
  const changed = (part: string, key: string): boolean => {
    if (painted.get(part) === key) return false;
    painted.set(part, key);
    return true;
  };
  let places: Rect[] = [];
  const code = createTimeCode(frame, (place) => void places.push(place));
  const touched = (place: Rect): void => {
    places.push(place);
    // The lamp is behind it.
    if (place.y + place.height > TIME_CODE.y) code.forget();
  };
  const turning = createTurning({ frame, art, strips, pace, touched });
  const glass = createGlass({ frame, art, changed, touched });

  const paintTurn = (view: GlassView, nowMs: number): void => {
    const since = view.turnAt === 0 ? Number.POSITIVE_INFINITY : nowMs - view.turnAt;
    if (anyMoves(pace.spinMs, since)) {
      painted.delete("reels");
      turning.paint(view, since);
      return;
    }
    const cells = view.stage?.is === "spin" ? new Set<number>() : winningCells(view, strips);
    const bonus = view.stage?.is === "bonus";
    if (!changed("reels", JSON.stringify([view.stops, [...cells], bonus, view.picks]))) return;
    turning.forget();
    paintReels(frame, art, strips, view);
    if (bonus) paintBonus(frame, art, view);
    else if (cells.size > 0) lightWins(frame, art, strips, view, cells);
    touched(REELS);
  };
  return {
    frame,
    paint(view, nowMs) {
      places = [];
      const off = view.meters.lockup === "disabled" || view.meters.lockup === "outOfService";
      if (changed("plate", String(off))) {
        frame.data.set((off ? art.dark : art.lit).data);
        painted.clear();
        painted.set("plate", String(off));
        turning.forget();
        touched({ x: 0, y: 0, width: PICTURE_WIDTH, height: PICTURE_HEIGHT });
      }
      if (!off) {
        paintTurn(view, nowMs);
        glass.paint(view, shownWin(view, nowMs));
      }
      if (timeCode) code.paint(view, nowMs);
      return places;
    },
  };
}

type GlassDeps = {
  frame: Planes;
  art: BrandArt;
  /** Whether a part is to be painted anew, because it shows something else than `key`. */
  changed(part: string, key: string): boolean;
  touched(place: Rect): void;
};

/** All around the reels: meters, jackpots, messages and the lamp of the spin key. */
function createGlass({ frame, art, changed, touched }: GlassDeps) {
  const paintMeters = (view: GlassView, win: number): void => {
    for (const name of ["credit", "bet", "win"] as const) {
      const amount = name === "win" ? win : view.meters[name];
      if (!changed(name, String(amount))) continue;
      copyRect(frame, art.lit, meterBox(name));
      const winFont = amount > 0 ? art.fonts.win : art.fonts.faint;
      writeAmount(frame, name === "win" ? winFont : art.fonts.meter, METER_LINES[name], amount);
      touched(withLight(meterBox(name)));
    }
  };
  const paintTop = (view: GlassView, win: number): void => {
    for (const [index, jackpot] of view.meters.jackpots.entries()) {
      if (!changed(`jackpot${index}`, String(jackpot.amount))) continue;
      copyRect(frame, art.lit, jackpotBox(index));
      writeCentred(frame, art.fonts.jackpot, moneyText(jackpot.amount), jackpotMiddle(index), JACKPOT_BASELINE);
      touched(withLight(jackpotBox(index)));
    }
    const message = messageOf(view, win);
    if (!changed("message", message)) return;
    copyRect(frame, message === "" ? art.lit : art.bare, MESSAGE_BAND);
    writeCentred(frame, art.fonts.title, message, MESSAGE_MIDDLE, MESSAGE_BASELINE);
    touched(withLight(MESSAGE_BAND));
  };
  const paintLamp = (view: GlassView): void => {
    const { meters } = view;
    const lit = (!meters.inGame || meters.bonus) && meters.lockup === undefined && meters.credit >= meters.bet;
    if (!changed("lamp", String(lit))) return;
    copyRect(frame, art.lit, SPIN_LAMP);
    if (!lit) lay(frame, art.spinUnlit, SPIN_LAMP.x, SPIN_LAMP.y, { top: 0, bottom: PICTURE_HEIGHT });
    touched(SPIN_LAMP);
  };
  return {
    paint(view: GlassView, win: number): void {
      paintMeters(view, win);
      paintTop(view, win);
      paintLamp(view);
    },
  };
}

type TurningDeps = {
  frame: Planes;
  art: BrandArt;
  strips: readonly Strip[];
  pace: Pace;
  touched(place: Rect): void;
};

/** The reels while any of them moves: each until it stops. */
function createTurning({ frame, art, strips, pace, touched }: TurningDeps) {
  /** Reels of which nothing but the symbols was painted since their ground was made. */
  const plain = new Set<number>();
  const standing = new Map<number, number | undefined>();
  return {
    paint(view: GlassView, since: number): void {
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

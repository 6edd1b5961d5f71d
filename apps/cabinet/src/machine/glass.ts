import type { Stage } from "@longarm/reels/game/reveal";
import { freeSpinsLeft, seenWin } from "@longarm/reels/game/reveal";
import type { GlassView } from "@longarm/reels/picture/view";
import { printable } from "@longarm/reels/picture/view";
import type { State } from "./state.ts";
import { JACKPOT_SCALE, sumOf } from "./state.ts";

/** What the screen shows besides the state: the game in progress, and the last one since power up. */
type Shown = Pick<GlassView, "stage" | "presses" | "restAt" | "spin"> & {
  readonly stage: Stage | null;
  readonly bet: number;
  readonly spinAt: number;
};

/** What the machine's screen shows now. */
export function glassOf(state: State, { stage, bet, presses, restAt, spinAt, spin: last }: Shown): GlassView {
  const { game } = state;
  const live = game !== null && stage !== null ? { game, stage } : null;
  const spins = game?.outcome.spins ?? [];
  const index = stage === null || stage.is === "bonus" ? 0 : stage.spin;
  const spin = stage === null ? last : (spins[index] ?? null);
  const left = live === null ? 0 : freeSpinsLeft(live.game, live.stage);
  return {
    meters: {
      credit: sumOf(state.credits),
      bet,
      win: live === null ? state.lastWin : seenWin(live.game, live.stage),
      inGame: game !== null,
      bonus: stage?.is === "bonus",
      jackpots: state.jackpots.map(({ name, scaled }) => ({ name, amount: Math.floor(scaled / JACKPOT_SCALE) })),
      ...(state.enabled ? {} : { lockup: "disabled" }),
      handPays: state.handPays.filter(({ reset }) => !reset).map(({ amount }) => ({ amount })),
    },
    notice: noticeOf(state),
    stage,
    freeSpinsTotal: left > 0 || spins.length > 1 ? spins.length - 1 : 0,
    fromStops: index > 0 ? (spins[index - 1]?.stops ?? state.stops) : state.stops,
    stops: stage === null ? state.stops : (spin?.stops ?? state.stops),
    spin,
    picks: stage?.is === "bonus" ? (game?.outcome.picks.slice(0, stage.picked) ?? []) : [],
    turnAt: stage === null ? spinAt : stage.spinAt,
    restAt,
    presses,
  };
}

function noticeOf({ tilt, doors, cashOut }: State): string {
  if (tilt !== null) return printable(`TILT - ${tilt}`);
  if (doors.length > 0) return "DOOR OPEN";
  return cashOut === null ? "" : "CASH OUT";
}
